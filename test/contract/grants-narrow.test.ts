// Rows 2 and 3: what "always" covers unless somebody chooses more, and what every grant looks at.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { toolCallerOf } from '../../src/features/broker/caller.ts';
import { findFacts } from '../../src/features/broker/judge/facts.ts';
import { judgeCall } from '../../src/features/broker/judge/judge-call.ts';
import { keysOf } from '../../src/features/broker/ask/offers.ts';
import { readPolicy } from '../../src/features/broker/judge/policy/read.ts';
import type { WorldTool } from '../../src/features/broker/world-tool.ts';
import { createCoreTools } from '../../src/features/coretools/coretools.ts';
import { agentCallTool, budgetTool } from '../../src/features/dispatch/attempt/permissions.ts';
import { runTaskTool, sendTool } from '../../src/features/dispatch/tools.ts';
import { addTool, triggerTool } from '../../src/features/schedules/tools.ts';
import { localPrincipal } from '../../src/kernel/principal.ts';
import { brokerHost } from '../fixtures/broker-host.ts';
import { eachEngine, freshDatabase, freshFolder } from '../fixtures/databases.ts';
import { dispatchHub } from '../fixtures/dispatch-hub.ts';

type Args = Readonly<Record<string, unknown>>;
/** `other`: the call with one thing changed. `same`: changed in what makes no difference to what happens. */
type Sample = Readonly<{ first: Args; other: readonly Args[]; same?: readonly Args[] }>;

const OPTS = { cwd: 'a', model: 'small', session_id: 's1' };
const RUN = { run: 'r1', tool: 'Bash', kind: 'execute', title: 'Tests' };

const SAMPLES: Readonly<Record<string, Sample>> = {
  echo: { first: { message: 'a' }, other: [{ message: 'b' }] },
  note: { first: { note: 'a' }, other: [{ note: 'b' }] },
  web_search: { first: { query: 'a', limit: 1 }, other: [{ query: 'b' }, { limit: 2 }] },
  delete_path: { first: { path: 'src/a' }, other: [{ path: 'src/b' }, { path: 'a' }] },
  restore_path: { first: { id: 'one' }, other: [{ id: 'two' }] },
  Bash: {
    first: { command: 'git status -s', cwd: 'src' },
    other: [{ command: 'git status' }, { cwd: '.' }, { background: true }, { command: 'git log' }],
  },
  BashOutput: {
    first: { task_id: 'a' },
    other: [{ task_id: 'b' }, { stdout_cursor: 1 }, { stderr_cursor: 1 }],
  },
  BashKill: { first: { task_id: 'a' }, other: [{ task_id: 'b' }] },
  Read: {
    first: { path: 'src/a' },
    other: [{ path: 'src/b' }, { cwd: 'src' }, { line_start: 2 }, { line_end: 3 }, { sheet: 'x' }],
  },
  Write: {
    first: { path: 'src/a', content: 'x' },
    other: [
      { path: 'src/b' },
      { content: 'y' },
      { cwd: 'src' },
      { mode: 'create' },
      { must_not_exist: true },
      { create_parents: false },
      { line_endings: 'crlf' },
      { unsafe_overwrite_without_read: true },
    ],
  },
  Edit: {
    first: { path: 'src/a', old_string: 'a', new_string: 'b' },
    other: [
      { path: 'src/b' },
      { old_string: 'c' },
      { new_string: 'd' },
      { replace_all: true },
      { cwd: 'src' },
      { unsafe_overwrite_without_read: true },
    ],
  },
  Grep: {
    first: { pattern: 'a' },
    other: [
      { pattern: 'b' },
      { patterns: 'c' },
      { path: 'src' },
      { cwd: 'src' },
      { glob: '*' },
      { type: 'ts' },
    ],
  },
  Glob: { first: { pattern: 'a' }, other: [{ pattern: 'b' }, { cwd: 'src' }, { include_hidden: true }] },
  WebFetch: {
    first: { url: 'https://a.example/x/y?z=1' },
    other: [
      { url: 'https://a.example/x/y?z=2' },
      { url: 'https://a.example/x/' },
      { url: 'https://b.example/x/y?z=1' },
      { url: 'http://a.example/x/y?z=1' },
    ],
  },
  WebSearch: {
    first: { query: 'a' },
    other: [
      { query: 'b' },
      { limit: 2 },
      { include_domains: ['a.example'] },
      { exclude_domains: ['b.example'] },
      { recency: '24h' },
      { country: 'no' },
    ],
  },
  SendMessage: {
    first: { instance: 'a', prompt: 'x', opts: OPTS },
    other: [
      { instance: 'b' },
      { prompt: 'y' },
      { opts: { ...OPTS, cwd: 'b' } },
      { opts: { ...OPTS, model: 'large' } },
      { opts: { ...OPTS, session_id: 's2' } },
      { opts: { ...OPTS, project: 'p' } },
      { opts: { ...OPTS, other: 'z' } },
      { opts: undefined },
      { instance: undefined, tag: 't' },
    ],
  },
  RunTask: {
    first: { taskId: 'a', instance: 'x', project: 'p', teamId: 't' },
    other: [{ taskId: 'b' }, { instance: 'y' }, { project: 'q' }, { teamId: 'u' }, { taskId: undefined }],
  },
  AgentToolCall: {
    first: { ...RUN, command: 'npm test', input: { command: 'npm test', cwd: 'a' } },
    other: [
      { command: 'npm run x', input: { command: 'npm run x', cwd: 'a' } },
      { input: { command: 'npm test', cwd: 'b' } },
      { input: { command: 'npm test', cwd: 'a', timeout: 9 } },
      { tool: 'Sh' },
      { command: undefined, paths: ['a b'], input: {} },
    ],
    same: [{ run: 'r2' }],
  },
  ScheduleAdd: {
    first: { when: '0 7 * * 1-5', agent: 'a', prompt: 'x', tz: 'Europe/Oslo', missed: 'skip', folder: 'p' },
    other: [
      { when: '0 8 * * 1-5' },
      { agent: 'b' },
      { prompt: 'y' },
      { tz: 'Europe/Paris' },
      { missed: 'all' },
      { folder: 'q' },
    ],
  },
  TriggerRun: {
    first: { fire: 'f1', schedule: 's1', instance: 'a', prompt: 'x', because: 'label', project: 'p' },
    other: [{ schedule: 's2' }, { instance: 'b' }, { prompt: 'y' }, { project: 'q' }],
    same: [{ fire: 'f2' }, { because: 'status' }],
  },
  AgentBudget: { first: { run: 'r1', what: '1 USD' }, other: [{ run: 'r2' }, { what: '2 USD' }] },
};

async function tools(workspace: string): Promise<WorldTool[]> {
  const db = await freshDatabase('sqlite');
  mkdirSync(join(workspace, 'src'));
  for (const name of ['a', 'src/a', 'src/b']) writeFileSync(join(workspace, name), 'x');
  const core = createCoreTools({
    db,
    scratch: freshFolder(),
    closed: [],
    sandbox: 'off',
    env: process.env,
    search: () => ({}),
  });
  onTestFinished(() => core.close());
  // Judged and never run: what they would start is not there.
  const dispatched = [sendTool(undefined as never), runTaskTool(undefined as never), budgetTool()];
  const scheduled = [
    { ...addTool(undefined as never), precheck: undefined },
    triggerTool(undefined as never),
  ];
  const all = [...core.builtins, ...core.tools, ...dispatched, ...scheduled, agentCallTool()];
  // Nothing was deleted here: what is asked for is compared, not where it would land.
  return all.map((tool) => (tool.name === 'restore_path' ? { ...tool, facts: async () => ({}) } : tool));
}

async function judged(tool: WorldTool, args: Args, folder: string) {
  const read = await readPolicy('version: 1\nrules:\n  - { decide: ask }\n');
  const place = { folder, project: null, ground: folder, isRepository: false };
  const found = await findFacts(tool, args, place);
  if (!read.ok || 'refusal' in found) throw new Error(`${tool.name} cannot be judged`);
  const who = localPrincipal('', { agent: 'ada' });
  const caller = toolCallerOf(who, place);
  const { verdict } = judgeCall({ tool, args, facts: found.facts, place, caller, callId: 'x' }, read.policy);
  if (verdict.decision !== 'require_approval') throw new Error(`${tool.name} is not asked for`);
  const { exact } = verdict;
  const keys = new Set([verdict.shape.key, exact, ...keysOf(verdict.offers)]);
  const shape = JSON.parse(verdict.shape.text) as Record<string, string>;
  return { exact, keys, shape, key: verdict.shape.key };
}

const without = (args: Args): Args =>
  Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined));

describe('row 3: what a grant looks at', () => {
  it('the narrowest grant of a call covers no call that does anything else', async () => {
    const folder = freshFolder();
    for (const tool of await tools(folder)) {
      const { first, other, same = [] } = SAMPLES[tool.name]!;
      const { exact } = await judged(tool, first, folder);
      for (const change of other)
        expect(
          [tool.name, change, (await judged(tool, without({ ...first, ...change }), folder)).keys.has(exact)],
          JSON.stringify(change),
        ).toEqual([tool.name, change, false]);
      for (const change of [{}, ...same])
        expect((await judged(tool, { ...first, ...change }, folder)).keys.has(exact), tool.name).toBe(true);
    }
  });

  it('the usual shape leaves open only what it says is any', async () => {
    const open: Record<string, readonly string[]> = {
      // What a file comes to hold, and how it is written, is what "any file right in src" means.
      Write: ['content', 'mode', 'must_not_exist', 'create_parents', 'line_endings', 'cwd', 'path'],
      Edit: ['old_string', 'new_string', 'replace_all', 'cwd', 'path'],
      delete_path: ['path'],
      WebFetch: ['url'],
      Bash: ['command'],
      RunTask: ['taskId'],
    };
    const folder = freshFolder();
    for (const tool of await tools(folder)) {
      const { first, other } = SAMPLES[tool.name]!;
      const usual = await judged(tool, first, folder);
      for (const change of other) {
        const names = Object.keys(change);
        const isAny = (name: string) =>
          usual.shape[name]?.startsWith('any') === true || open[tool.name]?.includes(name) === true;
        if (names.every(isAny)) continue;
        const changed = await judged(tool, without({ ...first, ...change }), folder);
        expect([tool.name, change, changed.key === usual.key]).toEqual([tool.name, change, false]);
      }
    }
  });

  it('every governed tool of a hub is looked at here', async () => {
    const hub = await dispatchHub('sqlite');
    const { body } = await hub.ask('GET', '/api/tools?all=true');
    const names = (body.tools as { name: string }[]).map(({ name }) => name);
    expect(names).toContain('SendMessage');
    expect(names.filter((name) => SAMPLES[name] === undefined)).toEqual([]);
  });
});

eachEngine('row 2: always, unless somebody chooses more', (engine) => {
  it('a bare allow_always covers these very arguments', async () => {
    const workspace = freshFolder();
    for (const name of ['a', 'b']) writeFileSync(join(workspace, name), 'x');
    const host = brokerHost(await freshDatabase(engine), { workspace });
    const ada = host.connect({ agent: 'ada' });
    const calling = ada.call('delete_path', { path: 'a' });
    const { id } = await host.pending();
    await host.resolve(id, 'allow_always');
    expect((await calling).isError).toBe(false);
    const { body } = await host.rest('GET', '/api/tools/grants');
    expect(body.grants.map(({ shape }: any) => shape)).toEqual([{ exactly: '{"path":"a"}' }]);
    const other = ada.call('delete_path', { path: 'b' });
    const asked = await host.pending();
    expect(JSON.parse(asked.argsSummary)).toEqual({ path: 'b' });
    await host.resolve(asked.id, 'deny');
    expect((await other).isError).toBe(true);
  });
});
