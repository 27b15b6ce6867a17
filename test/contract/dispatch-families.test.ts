import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { FAMILY_FACTS, type NamedFamily, readerFor } from '../../src/features/dispatch/agents/families.ts';
import type { Common } from '../../src/features/dispatch/frames/common.ts';
import { freshFolder } from '../fixtures/databases.ts';
import { dispatchHub } from '../fixtures/dispatch-hub.ts';

const folder = fileURLToPath(new URL('../fixtures/dispatch/', import.meta.url));
const transcript = (name: string) => join(folder, 'transcripts', `${name}.jsonl`);
const linesOf = (name: string) => readFileSync(transcript(name), 'utf8').trim().split('\n');

function replay(name: string) {
  const reader = readerFor(name.split('.')[0] as NamedFamily, undefined);
  const said = linesOf(name).flatMap((line) => reader.read(line) ?? []);
  return {
    said,
    types: said.map(({ type }) => type),
    verdict: reader.verdict(),
    usage: reader.usage(),
    session: reader.sessionId(),
  };
}

const tools = (said: readonly Common[]) =>
  said.flatMap((each) => (each.type === 'tool' ? [`${each.tool.phase} ${each.tool.name}`] : []));

describe('frames of the families', () => {
  it.each([
    ['claude.bash-denied', true, ''],
    ['claude.edit.partial', true, ''],
    ['claude.mcp', true, ''],
    ['claude.api-500', false, 'api'],
    ['claude.sigint', false, 'api'],
    ['codex.shell', true, ''],
    ['codex.mcp', true, ''],
    ['codex.file_change', true, ''],
    ['codex.api-401', false, 'auth'],
    ['gemini.shell-yolo', true, ''],
    ['gemini.mcp', true, ''],
    ['gemini.api-401', false, 'auth'],
    ['opencode.shell', true, ''],
    ['opencode.mcp', true, ''],
    ['opencode.api-401', false, 'auth'],
  ])('%s: its own word about the end', (name, ok, why) => {
    const { verdict, session } = replay(name);
    expect(verdict).toMatchObject(ok ? { ok } : { ok, class: why });
    expect(session).toEqual(expect.any(String));
  });

  it('text, tools and usage have one form', () => {
    expect(tools(replay('codex.shell').said)).toEqual(['start shell', 'end shell']);
    expect(tools(replay('codex.file_change').said)).toContain('end edit');
    expect(tools(replay('gemini.shell-yolo').said)).toEqual(['start run_shell_command', 'end ']);
    expect(tools(replay('opencode.shell').said)).toEqual(['end bash']);
    expect(tools(replay('claude.mcp').said)[0]).toMatch(/^start mcp__/);
    expect(replay('claude.bash-denied').types).toContain('notice');
    for (const name of ['claude.mcp', 'codex.mcp', 'gemini.mcp', 'opencode.mcp'])
      expect(replay(name).types).toContain('text');
  });

  it('tokens are counted alike: what was cached is no input', () => {
    expect(replay('gemini.shell-yolo').usage).toMatchObject({
      inputUncached: 800,
      cacheRead: 1600,
      output: 90,
      costUsd: null,
    });
    const codex = replay('codex.shell').usage!;
    const told = JSON.parse(linesOf('codex.shell').at(-1)!).usage;
    expect(codex.inputUncached).toBe(told.input_tokens - told.cached_input_tokens);
    expect(replay('opencode.shell').usage).toMatchObject({ turns: 2 });
    expect(replay('claude.mcp').usage!.costUsd).toBeGreaterThan(0);
    expect(replay('claude.sigint').usage).toMatchObject({ basis: 'lower_bound' });
  });

  it('what a session had used before is not counted again', () => {
    const before = replay('codex.shell').usage!;
    const reader = FAMILY_FACTS.codex.reader(before);
    for (const line of linesOf('codex.shell')) reader.read(line);
    expect(reader.usage()).toMatchObject({ inputUncached: 0, output: 0 });
  });

  it('lines that are no JSON are noticed and harm nothing', () => {
    for (const family of ['claude', 'codex', 'gemini', 'opencode'] as const) {
      const reader = readerFor(family, undefined);
      for (const line of [
        '',
        'Warning: something',
        '{"type":',
        '[]',
        '{"type":"result"',
        'null',
        '{"type":{"a":1}}',
        '{}',
      ])
        expect(() => reader.read(line), line).not.toThrow();
      expect(reader.verdict()).toBeUndefined();
    }
  });
});

describe('command lines', () => {
  const order = {
    prompt: '--dangerously-skip-permissions',
    mode: 'safe',
    model: undefined,
    resume: undefined,
    hub: undefined,
  } as const;

  it.each(['claude', 'codex', 'gemini', 'opencode'] as const)(
    '%s: a prompt is never an argument',
    (family) => {
      const { args, input } = FAMILY_FACTS[family].exec(order);
      expect(args).not.toContain(order.prompt);
      expect(input).toBe(order.prompt);
    },
  );

  it.each(['claude', 'codex', 'gemini', 'opencode'] as const)(
    '%s: elevated only when the mode says so',
    (family) => {
      const elevated = /dangerously|yolo|--auto$/;
      expect(FAMILY_FACTS[family].exec(order).args.filter((arg) => elevated.test(arg))).toEqual([]);
      expect(
        FAMILY_FACTS[family].exec({ ...order, mode: 'full' }).args.filter((arg) => elevated.test(arg)),
      ).toHaveLength(1);
    },
  );

  it('codex always names its sandbox, opencode its rules', () => {
    expect(FAMILY_FACTS.codex.exec(order).args.join(' ')).toContain('-s read-only');
    expect(JSON.parse(FAMILY_FACTS.opencode.exec(order).env['OPENCODE_CONFIG_CONTENT']!)).toMatchObject({
      permission: { bash: 'ask', edit: 'ask' },
    });
  });
});

describe('exit codes and last words', () => {
  /** Programs with the names of the real ones, first on the PATH of their instance. */
  function fakes(cases: Readonly<Record<string, readonly [string, number, string?]>>) {
    const agents: Record<string, object> = {};
    for (const [instance, [name, code, last = '']] of Object.entries(cases)) {
      const bin = freshFolder();
      const family = name.split('.')[0] as NamedFamily;
      const program = join(bin, FAMILY_FACTS[family].program);
      const quoted = [process.execPath, join(folder, 'replay.mjs'), transcript(name), String(code), last].map(
        (part) => `'${part}'`,
      );
      writeFileSync(program, `#!/bin/sh\nexec ${quoted.join(' ')}\n`);
      chmodSync(program, 0o755);
      agents[instance] = { family, lane: 'exec', env: { PATH: `${bin}:${process.env['PATH']}` } };
    }
    return agents;
  }

  it('a terminal frame decides, never the exit code', { timeout: 120_000 }, async () => {
    const cases = {
      'denied-ok': ['claude.bash-denied', 0],
      'claude-500': ['claude.api-500', 1],
      'claude-int': ['claude.sigint', 0],
      'codex-ok': ['codex.shell', 0],
      'codex-401': ['codex.api-401', 1],
      'gemini-ok': ['gemini.shell-yolo', 0],
      'gemini-401': ['gemini.api-401', 145],
      'opencode-ok': ['opencode.shell', 0],
      'opencode-401': ['opencode.api-401', 1],
    } as const;
    const hub = await dispatchHub('sqlite', fakes(cases));
    const expected = {
      'denied-ok': { status: 'done' },
      'claude-500': { status: 'failed', error: { class: 'api' } },
      'claude-int': { status: 'failed', exit: { code: 0 } },
      'codex-ok': { status: 'done' },
      'codex-401': { status: 'failed', error: { class: 'auth' } },
      'gemini-ok': { status: 'done' },
      'gemini-401': { status: 'failed', error: { class: 'auth' }, exit: { code: 145 } },
      'opencode-ok': { status: 'done' },
      'opencode-401': { status: 'failed', error: { class: 'auth' } },
    };
    for (const [instance, outcome] of Object.entries(expected))
      expect(await hub.run('x', instance), instance).toMatchObject(outcome);
  });

  it('exit 0 without a terminal frame is no success', async () => {
    const empty = join(freshFolder(), 'empty.jsonl');
    writeFileSync(empty, '{"type":"init","session_id":"s"}\n');
    const bin = freshFolder();
    writeFileSync(
      join(bin, 'gemini'),
      `#!/bin/sh\ncat > /dev/null; cat ${empty}; echo "Please set an API key" >&2; exit 0\n`,
    );
    chmodSync(join(bin, 'gemini'), 0o755);
    const hub = await dispatchHub('sqlite', {
      gemini: { family: 'gemini', lane: 'exec', env: { PATH: `${bin}:${process.env['PATH']}` } },
    });
    expect(await hub.run('x', 'gemini')).toMatchObject({
      status: 'failed',
      session_id: 's',
      error: { class: 'auth', text: expect.stringContaining('without a result') },
      usage: { basis: 'lower_bound' },
    });
  });
});

describe('which agent is called', () => {
  const say = (text: string, more: object = {}) => ({
    family: 'command',
    command: [process.execPath, '-e', `console.log(${JSON.stringify(text)})`],
    ...more,
  });

  it('by tag, by default, by failover before the first byte', async () => {
    const hub = await dispatchHub(
      'sqlite',
      {
        fast: say('fast', { tags: ['Quick'] }),
        broken: { family: 'command', command: ['no-such-program'], failover: ['fast'] },
        off: say('off', { enabled: false }),
      },
      { dispatch: { default: 'broken', policy: 'failover' } },
    );
    const told = async (body: object) => {
      const { body: answer } = await hub.ask('POST', '/v1/send_message', {
        prompt: 'x',
        async: true,
        ...body,
      });
      return answer.task_id === undefined ? answer.code : (await hub.over(answer.task_id)).result;
    };
    expect(await told({ tag: 'quick' })).toBe('fast');
    expect(await told({ tag: 'nobody' })).toBe('not_found');
    expect(await told({})).toBe('fast');
    expect(await told({ instance: 'off' })).toBe('unavailable');
    const { agents, count } = (await hub.ask('GET', '/v1/agents')).body;
    expect(count).toBe(agents.length);
    const byName = Object.fromEntries(agents.map((each: any) => [each.instance, each]));
    expect(byName['broken']).toMatchObject({
      callable: false,
      status: 'binary-missing',
      reason: expect.stringContaining("not on the hub's PATH"),
    });
    expect(byName['off']).toMatchObject({ callable: false, status: 'disabled' });
    expect(byName['fast']).toMatchObject({ callable: true, family: 'command', tags: ['quick'] });
    expect(Object.keys(byName)).toEqual(expect.arrayContaining(['claude', 'codex', 'gemini', 'opencode']));
    expect(
      (await hub.ask('GET', '/v1/agents?status=callable')).body.agents.every((each: any) => each.callable),
    ).toBe(true);
  });
});
