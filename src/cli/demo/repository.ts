import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { startGit } from '../../kernel/git/process.ts';
import { LANDING, LANDING_CHECK } from './landings.ts';

/** A repository of the demo with one branch that waits for a review. Made up, as everything in it is. */
type Files = Readonly<Record<string, string>>;

const CHECKS = `version: 1
checks:
  unit: { run: "${LANDING_CHECK}" }
`;

const LOGIN = `import { redirect } from './http.ts';

/** After signing in a person goes on to where they wanted to be. */
export function afterLogin(request: Request, wanted = '/'): Response {
  const scheme = 'http';
  return redirect(\`\${scheme}://\${request.host}\${wanted}\`);
}
`;

const BEFORE: Files = {
  '.holdfast/checks.yaml': CHECKS,
  'README.md': '# tidepool\n\nReadings of the tide, as rows.\n',
  'src/login.ts': LOGIN,
  'src/http.ts':
    'export const redirect = (to: string) =>\n  new Response(null, { status: 302, headers: { location: to } });\n',
};

const OLD_GAUGES: Files = {
  'src/login.ts': LOGIN.replace("const scheme = 'http';", "const scheme = request.scheme ?? 'http';"),
  'src/import/gauges.ts': 'export const LAYOUTS = 3;\n',
};

/** What a recorded session of the demo tells of (`demo-sessions.ts`). */
const KEPT: Files = {
  'src/http.ts': BEFORE['src/http.ts']!.replace('location: to', "location: to, 'cache-control': 'no-store'"),
};

const AFTER: Files = {
  'src/login.ts': LOGIN.replace(
    "  const scheme = 'http';\n",
    '  // Only our own proxy is believed: anybody else could send people to where they do not want to be.\n  const scheme = schemeOf(request);\n',
  ).replace("from './http.ts';\n", "from './http.ts';\nimport { schemeOf } from './proxy.ts';\n"),
  'src/proxy.ts': `const PROXY = '10.0.0.2';

/** What the person's browser speaks, as the one proxy we run tells it. */
export function schemeOf(request: Request): 'http' | 'https' {
  const isOurs = request.from === PROXY;
  return isOurs && request.headers['x-forwarded-proto'] === 'https' ? 'https' : 'http';
}
`,
  'test/login.test.ts': `it('keeps the scheme', () => expect(goTo({ from: '10.0.0.2', proto: 'https' })).toMatch(/^https:/));
it('ignores a forged header', () => expect(goTo({ from: '1.2.3.4', proto: 'https' })).toMatch(/^http:/));
`,
};

/** The commit a session tells of. Undefined where git is not there, or too old: the demo then has one view less. */
export async function makeDemoRepository(folder: string, branch: string): Promise<string | undefined> {
  mkdirSync(folder, { recursive: true });
  const env = { HOME: folder, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  const who = ['-c', 'user.name=codex', '-c', 'user.email=codex@holdfast.invalid'];
  const git = async (...args: readonly string[]) =>
    (await startGit({ cwd: folder, args: [...who, ...args], env })).code === 0;
  const commit = async (files: Files, about: string) => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    return (await git('add', '-A')) && (await git('commit', '-q', '-m', about));
  };
  const isMade =
    (await git('init', '-q', '-b', 'main').catch(() => false)) &&
    (await commit(BEFORE, 'Readings as rows')) &&
    (await commit(KEPT, 'Redirects are not kept')) &&
    (await git('checkout', '-q', '-b', branch)) &&
    (await commit(AFTER, 'Keep the scheme that our proxy names')) &&
    // Two that change the same line will meet; the hub says so before they do.
    (await git('checkout', '-q', '-b', 'old-gauges', 'main')) &&
    (await commit(OLD_GAUGES, 'Gauges are read by whoever signed in')) &&
    (await inTurn(LANDING, ({ branch: name, title, files }) =>
      git('checkout', '-q', '-b', name, 'main').then((isThere) => isThere && commit(files, title)),
    )) &&
    (await git('checkout', '-q', 'main'));
  if (!isMade) return undefined;
  return (await startGit({ cwd: folder, args: ['rev-parse', '--short', 'main'], env })).stdout.trim();
}

/** Until one does not go well. */
async function inTurn<T>(all: readonly T[], make: (one: T) => Promise<boolean>): Promise<boolean> {
  for (const one of all) if (!(await make(one))) return false;
  return true;
}
