// What the demo starts beside its agents: runs of small programs of its own, a source, a runner, a Being and schedules. They
// are real programs under the real services, in the demo's folder, and none of them reaches further than its hub.
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { stringify } from 'yaml';
import type { Api } from '../../features/api.ts';
import { createLog } from '../../kernel/log.ts';
import type { CallRoute } from '../../operation/call-route.ts';
import { configFrom } from '../options.ts';
import type { World } from '../world.ts';

/** Works for a while on what it is told; `fails` and `goes on` are words of the prompt. */
const WORKER = `
const prompt = process.argv.at(-1);
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const lines = ['Reading what is there.', 'Two places to change.', 'Changed both; running the tests.'];
for (const line of lines) {
  console.log(line);
  await pause(300);
}
if (prompt.includes('fails')) {
  console.error('The tests fail: expected 212 files, got 211.');
  process.exit(1);
}
while (prompt.includes('goes on')) {
  console.log('Still at it: ' + new Date().toISOString().slice(11, 19));
  await pause(5000);
}
console.log('Done: ' + prompt);
`;

/** Says what it does as Claude Code does, step by step, with what it used: a trace to look at. */
const BOSUN = `
const session_id = crypto.randomUUID();
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const say = (line) => console.log(JSON.stringify({ ...line, session_id, uuid: crypto.randomUUID() }));
const used = (at) => ({ input_tokens: 900 + at * 350, cache_read_input_tokens: 4000 + at * 2600, output_tokens: 120 });
const steps = [
  ['Read', { file_path: 'src/login.ts' }, 'export function afterLogin(request: Request, wanted) { … }'],
  ['Grep', { pattern: 'redirect' }, 'src/login.ts:1\\nsrc/http.ts:1'],
  ['Bash', { command: 'npm test' }, '14 passed, 1 failed: keeps the scheme'],
  ['Edit', { file_path: 'src/login.ts', old_string: 'http', new_string: 'https' }, 'updated'],
  ['Bash', { command: 'npm test' }, '15 passed'],
];
say({ type: 'system', subtype: 'init', cwd: process.cwd(), model: 'claude-demo', tools: ['Read', 'Grep', 'Bash', 'Edit'] });
for (const [at, [name, input, content]] of steps.entries()) {
  const id = 'toolu_' + at;
  say({ type: 'assistant', message: { id: 'msg_' + at, role: 'assistant', model: 'claude-demo', usage: used(at),
    content: [{ type: 'tool_use', id, name, input }] } });
  await pause(250 + at * 220);
  say({ type: 'user', message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] } });
}
const result = 'The scheme is kept now; the test that said so failed before and passes.';
say({ type: 'assistant', message: { id: 'msg_9', role: 'assistant', model: 'claude-demo', usage: used(5),
  content: [{ type: 'text', text: result }] } });
say({ type: 'result', subtype: 'success', is_error: false, result, num_turns: 6, total_cost_usd: 0.184, usage: {
  input_tokens: 11200, cache_read_input_tokens: 63000, output_tokens: 720 } });
`;

/** What Claude Code prints when its five hours are used up: the run waits for them, as it would anywhere. */
const THRIFTY = `
const session_id = '23e4e57f-07d8-46e0-aa51-55f4f89dd042';
const resetsAt = Math.floor(Date.now() / 1000) + 7200;
const rate_limit_info = { status: 'rejected', resetsAt, rateLimitType: 'five_hour', isUsingOverage: false };
const text = "You've hit your 5-hour limit";
const usage = { input_tokens: 0, output_tokens: 0 };
const message = { id: 'm', model: '<synthetic>', role: 'assistant', usage, content: [{ type: 'text', text }] };
const api = { error: 'rate_limit', api_error_status: 429, api_error: 'usage_limit_reached' };
const say = (line) => console.log(JSON.stringify({ ...line, session_id }));
say({ type: 'rate_limit_event', rate_limit_info });
say({ type: 'assistant', message, ...api, is_api_error_message: true, api_error_params: { rate_limit_info } });
say({ type: 'result', subtype: 'success', is_error: true, result: text, total_cost_usd: 0, usage, ...api });
process.exitCode = 1;
`;

/** A source of tide tables: two tools that answer from a formula. */
const SOURCE = `
import { createInterface } from 'node:readline';
const tool = (name, description, properties) =>
  ({ name, description, inputSchema: { type: 'object', properties, required: Object.keys(properties) } });
const tools = [
  tool('next_tide', 'When the next high water of a station is.', { station: { type: 'string' } }),
  tool('list_stations', 'The stations there are tables for.', {}),
];
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'tide-tables', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools }),
  'tools/call': ({ name }) => ({
    content: [{ type: 'text', text: name === 'next_tide' ? 'High water in 3 h 12 min.' : 'Bergen, Oslo' }],
  }),
  ping: () => ({}),
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) return;
  const made = answers[method]?.(params);
  const rest = made ? { result: made } : { error: { code: -32601, message: 'no such method' } };
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...rest }) + '\\n');
});
`;

/** What config.yaml of the demo says; its programs are written beside it. */
export function writeDemoPrograms(folder: string): string {
  const programs = join(folder, 'programs');
  mkdirSync(programs);
  const [worker, source] = [join(programs, 'worker.mjs'), join(programs, 'tides.mjs')];
  writeFileSync(worker, WORKER);
  writeFileSync(source, SOURCE);
  writeFileSync(join(programs, 'thrifty.mjs'), THRIFTY);
  writeFileSync(join(programs, 'bosun.mjs'), BOSUN);
  // Of a client that is known by its family the program alone is named; what it is given follows.
  const [thrifty, bosun] = ['thrifty', 'bosun'].map((name) => {
    const program = join(programs, name);
    writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${program}.mjs'\n`, { mode: 0o755 });
    return program;
  }) as [string, string];
  const command = [process.execPath, worker, '{prompt}'];
  return stringify({
    // Its one check is the demo's own.
    land: { '*': { unconfined: true } },
    agents: {
      deckhand: { family: 'command', command, budget: { day: { dollars: 5 } } },
      bosun: {
        family: 'claude',
        lane: 'exec',
        command: [bosun],
        budget: { '5h': { tokens: 400_000 }, day: { dollars: 2 } },
      },
      thrifty: { family: 'claude', lane: 'exec', command: [thrifty] },
    },
    sessions: { from: ['claude-code'] },
    sources: { tides: { command: [process.execPath, source], trust: 'all' } },
  });
}

const RUNS = [
  { instance: 'bosun', prompt: 'Keep the scheme after a login' },
  { instance: 'bosun', prompt: 'Look whether the redirect test is flaky' },
  { instance: 'deckhand', prompt: 'Check the samples of 1998 again' },
  { instance: 'deckhand', prompt: 'Import the last sample, which fails' },
  { instance: 'deckhand', prompt: 'Watch the gauges; this goes on' },
  { instance: 'thrifty', prompt: 'Summarise the day when there is quota again' },
] as const;

const SCHEDULES = [
  { when: 'every weekday 7:00', agent: 'deckhand', prompt: 'triage new issues' },
  { when: 'label:triage', agent: 'deckhand', prompt: 'say what the new task needs' },
] as const;

export async function startDemoPrograms(ask: CallRoute<Api>, repository: string | undefined): Promise<void> {
  for (const run of RUNS) await ask('POST /v1/send_message', { ...run, async: true });
  const folder = repository === undefined ? {} : { folder: repository };
  for (const schedule of SCHEDULES) await ask('POST /api/schedules', { ...schedule, ...folder });
  const { schedules } = await ask('GET /api/schedules', { limit: 10 });
  await ask('POST /api/schedules/:id/pause', { id: schedules[0]!.id });
  await ask('POST /v1/beings', { name: 'Ada' });
  await ask('POST /v1/beings/import', { records: [...livingBeing()] });
}

const ISLANDS: readonly (readonly [name: string, digest: string, memories: readonly string[]])[] = [
  [
    'Tide tables',
    'Importing gauge files, and what goes wrong with them.',
    [
      'The file of Bergen, 1998, had a column that moved with the sign.',
      'Oslo writes feet; everybody else writes metres.',
      'A file without a station is refused by the line it misses it on.',
      'All 212 samples import since Tuesday.',
    ],
  ],
  [
    'Releases',
    'How and when the software of the harbour is released.',
    ['Never on a Friday again.', 'A person lets the publish through.', 'The notes are two sentences long.'],
  ],
];

/** A Being that remembers something, in the form of an export. */
function* livingBeing(): Generator<Api['POST /v1/beings/import']['given']['records'][number]> {
  const now = Date.now();
  const times = { createdAt: now, updatedAt: now };
  yield { kind: 'being', id: randomUUID(), owner: 'local', name: 'Marina', marker: null, ...times };
  for (const [name, digest, memories] of ISLANDS) {
    const clusterId = randomUUID();
    yield { kind: 'cluster', id: clusterId, name, digest, parentId: null, ...times };
    for (const [at, action] of memories.entries())
      yield {
        kind: 'node',
        id: randomUUID(),
        clusterId,
        action,
        scene: { actors: ['Marina'], when: [] },
        feeling: at === 0 ? 'relieved' : null,
        themes: [name],
        importance: 0.9 - at * 0.15,
        status: 'active',
        reason: null,
        replacedBy: null,
        isFresh: false,
        isPinned: false,
        cycles: at * 4,
        reactivations: at,
        dyingCycles: 0,
        lastActivated: now,
        ...times,
      };
  }
}

/** Where the demo plays. */
export type DemoSeat = Readonly<{
  folder: string;
  address: string;
  world: World;
  /** Where git is there. */
  repository?: string;
}>;

/** Another machine, as far as the hub can tell. Resolves when it has left. */
export async function runDemoRunner(
  ask: CallRoute<Api>,
  { folder, address, world }: DemoSeat,
): Promise<void> {
  const { createRunnerLink, requireHubUrl } = await import('../../features/dispatch/runner/link.ts');
  const { runRunner } = await import('../../features/dispatch/runner/runner.ts');
  const made = await ask('POST /api/tokens', { agent: 'desktop', scopes: ['runs:work'], label: 'runner' });
  const home = join(folder, 'desktop');
  mkdirSync(home, { mode: 0o700 });
  const env = { HOME: home, PATH: world.env['PATH'], HOLDFAST_HOME: home };
  const config = await configFrom({ ...world, env }, {});
  const parts = {
    config,
    env,
    log: createLog('error'),
    link: createRunnerLink(requireHubUrl(address), made.token, env),
    home: join(home, 'runner'),
    projects: {},
    wish: { slots: 3, labels: ['gpu'] },
    tell: () => undefined,
  };
  await runRunner(parts, world.interrupted);
}

/** A request that ran out or was answered is made again, so that there is one for as long as somebody looks. */
export async function renewAsks(
  ask: CallRoute<Api>,
  calls: readonly (() => Promise<unknown>)[],
  stopped: AbortSignal,
): Promise<void> {
  for (let turn = 0; !stopped.aborted; turn += 1) {
    await wait(RENEW_MS, undefined, { signal: stopped });
    const { approvals } = await ask('GET /api/tools/approvals');
    if (approvals.length >= calls.length) continue;
    void calls[turn % calls.length]!().catch(() => undefined);
  }
}
const RENEW_MS = 4_000;
