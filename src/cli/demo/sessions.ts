// What a client of the demo recorded of its own sessions: read by the hub like those of any client, from the demo's folder alone.
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

type Told = Readonly<{ role: 'user' | 'assistant'; content: readonly Readonly<Record<string, unknown>>[] }>;

const say = (role: Told['role'], text: string): Told => ({ role, content: [{ type: 'text', text }] });
const call = (id: string, name: string, input: object): Told => ({
  role: 'assistant',
  content: [{ type: 'tool_use', id, name, input }],
});
const result = (id: string, content: string): Told => ({
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: id, content }],
});

type Place = Readonly<{ folder: string; repository: string; commit: string }>;

const COMMIT = 'git commit -qam "Redirects are not kept"';

/** Why the redirect is not kept by browsers: the commit is named, so that `why` of its line leads here. */
function redirectTold({ repository, commit }: Place): readonly Told[] {
  const file = join(repository, 'src/http.ts');
  return [
    say('user', 'Whoever signs out and in again lands on the page of whoever was here before. Find out why.'),
    call('t1', 'Read', { file_path: file }),
    result(
      't1',
      '1\texport const redirect = (to: string) =>\n2\t  new Response(null, { status: 302, headers: { location: to } });',
    ),
    say(
      'assistant',
      'A browser may keep a 302 that says nothing about it, and this one says nothing: the second person is sent where the first one went. It has to be no-store; no-cache would still let it be kept.',
    ),
    call('t2', 'Edit', {
      file_path: file,
      old_string: 'location: to',
      new_string: "location: to, 'cache-control': 'no-store'",
    }),
    result('t2', `The file ${file} has been updated.`),
    call('t3', 'Bash', { command: COMMIT }),
    result('t3', `[main ${commit}] Redirects are not kept\n 1 file changed, 1 insertion(+)`),
    say('assistant', 'Done: redirects say no-store now, and the two of them no longer share one.'),
  ];
}

const LAYOUTS: readonly Told[] = [
  say('user', 'Which layouts do the gauge files before 2019 have?'),
  call('t1', 'Bash', { command: 'head -3 samples/1998/*.txt' }),
  result('t1', '==> samples/1998/bergen.txt <==\n0001 +0213 A\n0002 -0041 A'),
  say(
    'assistant',
    'Three. The first two differ in their heads; in the third the column of the reading moves by one where its sign is negative.',
  ),
  say('user', 'Remember that for the import.'),
  say('assistant', 'Saved as a fact, with the three layouts named.'),
];

const STEP_MS = 20_000;

/** Where Claude Code would leave them. The folder is what CLAUDE_CONFIG_DIR is set to. */
export function writeDemoSessions(place: Place): void {
  const sessions = join(place.folder, 'claude', 'projects', 'tidepool');
  mkdirSync(sessions, { recursive: true });
  for (const [title, told] of [
    ['Wrong page after signing in again', redirectTold(place)],
    ['Layouts of the gauge files', LAYOUTS],
  ] as const) {
    const sessionId = randomUUID();
    const begin = Date.now() - told.length * STEP_MS;
    const common = { cwd: place.repository, sessionId, version: '2.1.325', gitBranch: 'main' };
    const lines = told.map(({ role, content }, at) => ({
      type: role,
      uuid: randomUUID(),
      timestamp: new Date(begin + at * STEP_MS).toISOString(),
      message: {
        role,
        content,
        ...(role === 'assistant' && {
          id: `m${at}`,
          model: 'claude-demo',
          usage: { input_tokens: 4_000 + at * 900, output_tokens: 180 },
        }),
      },
      ...common,
    }));
    const about = [
      { type: 'custom-title', customTitle: title, sessionId },
      { type: 'cost-state', totalCostUSD: told.length * 0.03, sessionId },
    ];
    const text = [...lines, ...about].map((line) => `${JSON.stringify(line)}\n`).join('');
    writeFileSync(join(sessions, `${sessionId}.jsonl`), text);
  }
}
