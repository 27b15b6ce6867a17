// `node scripts/record-limits.mjs FOLDER [family[.case[.lane]]]`: what the real clients print when their model says that there
// is no more, for `test/fixtures/dispatch/limits`. The models are imitated and answer as the vendors document it
// (test/clients/mocks/limits.mjs). One file per family, case and lane: `{out}` and `{err}` are lines of the client, `{end}` is how it
// left, `{now}` when it was asked. Names of this machine are taken out.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { AGENTS } from './clients/agents.mjs';
import { installClients } from './clients/install.mjs';
import { toolEnv } from './toolchain.mjs';
import { LIMITS, startLimited } from '../test/clients/mocks/limits.mjs';

const [target, only = ''] = process.argv.slice(2);
/** So long a client may try again by itself before its recording ends. */
const PATIENCE_MS = Number(process.env.PATIENCE_MS ?? 150_000);
const PROMPT = 'Say hello.';
const AT_ONCE = 4;

const EXEC = {
  claude: ['claude', '-p', '--output-format', 'stream-json', '--verbose'],
  codex: ['codex', 'exec', '--json', '--skip-git-repo-check', '-s', 'read-only', '-m', 'mock-model', '-'],
  gemini: ['gemini', '-o', 'stream-json', '--skip-trust', '-m', 'gemini-2.5-flash'],
  opencode: ['opencode', 'run', '--format', 'json', '-m', 'mock/mock-model'],
};
const ACP = {
  claude: ['claude-agent-acp'],
  codex: ['codex-acp'],
  gemini: ['gemini', '--acp', '--skip-trust', '-m', 'gemini-2.5-flash'],
  opencode: ['opencode', 'acp'],
};
/** Windows of use are told to people who are logged in, not to keys. */
const LOGGED_IN = { ANTHROPIC_API_KEY: undefined, CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat01-dummy' };

const commands = installClients();
const jobs = Object.keys(EXEC).flatMap((family) =>
  Object.keys(LIMITS[family]).flatMap((kind) =>
    ['exec', 'acp'].map((lane) => ({ family, kind, lane, name: `${family}.${kind}.${lane}` })),
  ),
);
mkdirSync(target, { recursive: true });
const wanted = jobs.filter(({ name }) => `${name}.`.startsWith(only === '' ? '' : `${only}.`));
// They wait most of the time; so many at once are no more work than one after the other.
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    for (let job = wanted.shift(); job; job = wanted.shift()) await record(job);
  }),
);

async function record({ family, kind, lane, name }) {
  const now = Date.now();
  const model = await startLimited(LIMITS[family][kind](now));
  const home = mkdtempSync(join(tmpdir(), 'ada-'));
  const folder = join(home, 'boat');
  mkdirSync(folder);
  const { prepare, settings } = AGENTS[family];
  prepare?.({ home, folder }, model);
  const own = settings(model);
  const env = {
    PATH: [commands, toolEnv.PATH].join(delimiter),
    HOME: home,
    TERM: 'dumb',
    LANG: 'C.UTF-8',
    TZ: 'UTC',
    GEMINI_CLI_NO_RELAUNCH: 'true',
    // By itself it tries ten times, for minutes.
    CLAUDE_CODE_MAX_RETRIES: '1',
    ...own.env,
    ...(family === 'claude' && kind === 'usage' && LOGGED_IN),
    ...(own.model !== undefined && lane === 'acp' && acpModel(family, own.model)),
  };
  const entries = [{ now }];
  const note = (entry) => entries.push(entry);
  const [command, ...args] = lane === 'exec' ? EXEC[family] : ACP[family];
  const child = spawn(command, args, { cwd: folder, env, stdio: ['pipe', 'pipe', 'pipe'] });
  const late = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
  createInterface({ input: child.stderr }).on('line', (err) => note({ err }));
  const out = createInterface({ input: child.stdout }).on('line', (line) => note({ out: line }));
  if (lane === 'exec') child.stdin.end(PROMPT);
  else converse(out, child.stdin, folder);
  const [code, signal] = await new Promise((resolve) => child.on('close', (...end) => resolve(end)));
  clearTimeout(late);
  await model.close();
  note({
    end: { code, signal, seconds: Math.round((Date.now() - now) / 1000), requests: model.seen.length },
  });
  const tidy = (text) =>
    text
      .replaceAll(home, '/home/ada')
      .replaceAll(basename(home), 'ada')
      .replaceAll(commands.replace(/\.bin$/, ''), '/clients/')
      .replaceAll(model.url.replace('http://', ''), 'model');
  writeFileSync(
    join(target, `${name}.jsonl`),
    tidy(
      `${kept(entries)
        .map((each) => JSON.stringify(each))
        .join('\n')}\n`,
    ),
  );
  console.log(name, JSON.stringify(entries.at(-1)));
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}

const MOST_COMPLAINTS = 20;

/** What a client tells of itself when it begins is long and says nothing here; of its complaints the last are enough. */
function kept(entries) {
  const complaints = new Set(entries.filter(({ err }) => err !== undefined).slice(-MOST_COMPLAINTS));
  return entries.filter((entry) =>
    entry.out === undefined
      ? entry.err === undefined || complaints.has(entry)
      : !/"subtype":"init"|"available_commands_update"|"jsonrpc":"2.0","id":[12]\b/.test(entry.out),
  );
}

function acpModel(family, model) {
  if (family === 'codex') return { CODEX_CONFIG: JSON.stringify({ model }) };
  if (family === 'opencode') return { OPENCODE_CONFIG_CONTENT: JSON.stringify({ model }) };
  return {};
}

/** One prompt, as a client of ACP asks it; then it hangs up. */
function converse(out, stdin, cwd) {
  const say = (message) => stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  say({ id: 1, method: 'initialize', params: { protocolVersion: 1, clientCapabilities: {} } });
  out.on('line', (line) => {
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      return;
    }
    if (message.method !== undefined) return;
    if (message.id === 1) say({ id: 2, method: 'session/new', params: { cwd, mcpServers: [] } });
    else if (message.id === 2 && message.result)
      say({
        id: 3,
        method: 'session/prompt',
        params: { sessionId: message.result.sessionId, prompt: [{ type: 'text', text: PROMPT }] },
      });
    else stdin.end();
  });
}
