import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type NamedFamily, readerFor } from '../../src/features/dispatch/agents/families.ts';
import { readUpdate } from '../../src/features/dispatch/frames/acp.ts';
import { EMPTY_STORY, extend, type Heard } from '../../web/src/runs/story.ts';
import { filterSteps, sumUp, traceOf } from '../../web/src/runs/trace.ts';

const folder = fileURLToPath(new URL('../fixtures/dispatch/transcripts/', import.meta.url));
const linesOf = (name: string) => readFileSync(`${folder}${name}.jsonl`, 'utf8').trim().split('\n');

const START = Date.parse('2026-11-15T12:00:00Z');
let count = 0;
const heard = (event: string, data: object): Heard => ({
  id: String((count += 1)),
  event,
  data: JSON.stringify(data),
});
const at = (seconds: number) => new Date(START + seconds * 1_000).toISOString();

/** A recording as the hub would have stored it: its own reader, a second between two lines. */
function replay(name: string): readonly Heard[] {
  if (name.startsWith('acp.')) return replayAcp(name);
  const reader = readerFor(name.split('.')[0] as NamedFamily, undefined);
  return linesOf(name).map((line, second) => {
    // OpenCode says the hour of its calls, so its lines come at their own.
    const { timestamp } = JSON.parse(line) as { timestamp?: number };
    const ts = name.startsWith('opencode.') ? new Date(timestamp!).toISOString() : at(second);
    return heard('frame', { line, kind: 'stdout', ts, ...reader.read(line) });
  });
}

type Recorded = Readonly<{ t: number; dir: string; msg?: { params?: { update?: Record<string, unknown> } } }>;

function replayAcp(name: string): readonly Heard[] {
  const family = name.split('.')[1] as NamedFamily;
  return linesOf(name).flatMap((each) => {
    const { t, dir, msg } = JSON.parse(each) as Recorded;
    if (dir !== 'agent') return [];
    const update = msg?.params?.update;
    const common = update && readUpdate(update, family);
    return [heard('frame', { line: JSON.stringify(msg), kind: 'acp', ts: at(t / 1_000), ...common })];
  });
}

const traced = (name: string) => traceOf(extend(EMPTY_STORY, replay(name)));

describe('a run as a trace', () => {
  it.each(readdirSync(folder).map((file) => file.replace('.jsonl', '')))(
    '%s: steps in order, none of them negative, nothing invented',
    (name) => {
      const { steps, from, until, context } = traced(name);
      expect(steps.length).toBeGreaterThan(0);
      expect(until!).toBeGreaterThanOrEqual(from!);
      for (const step of steps) {
        expect(step.title).not.toBe('');
        if (step.until !== undefined) expect(step.until).toBeGreaterThanOrEqual(step.from!);
      }
      // Codex and Gemini tell their tokens once, at the end, and never how full a context is.
      if (/^(codex|gemini|acp\.gemini)\./.test(name)) {
        expect(context).toEqual([]);
        expect(steps.every((step) => step.context === undefined && step.costUsd === undefined)).toBe(true);
      }
    },
  );

  it.each([
    ['claude.mcp', 'mcp__lab__echo', 'echo:via-mcp'],
    ['codex.mcp', 'lab.echo', 'echo:via-mcp'],
    ['gemini.mcp', 'mcp_lab_echo', 'echo:via-mcp'],
    ['opencode.mcp', 'lab_echo', 'echo:via-mcp'],
    ['codex.shell', 'shell', 'hello-from-shell'],
  ])('%s: a call has its name, its time and what it answered', (name, tool, answer) => {
    const [call, ...others] = traced(name).steps.filter(({ kind }) => kind === 'call');
    expect(others).toEqual([]);
    expect(call).toMatchObject({ title: tool, state: 'ok' });
    expect(call!.block).toMatchObject({ output: expect.stringContaining(answer) as string });
    // OpenCode tells of a call when it is over, and says itself how long it took.
    expect(call!.until! - call!.from!).toBe(name === 'opencode.mcp' ? 20 : 1_000);
  });

  it('context fills up as each client tells it, and of how much where it says so', () => {
    const used = (name: string) => traced(name).context.map((each) => each.used);
    expect(used('claude.mcp')).toEqual([2_100, 2_100]);
    expect(traced('claude.mcp').window).toBe(1_000_000);
    expect(used('opencode.shell')).toEqual([1_200, 1_200]);
    expect(traced('opencode.shell').window).toBeUndefined();
    expect(used('acp.claude.text').at(-1)).toBe(2_145);
    expect(traced('acp.codex.text')).toMatchObject({ window: 258_400 });
    expect(used('acp.opencode.text')).toEqual([1_200]);
  });

  it('a step costs what the sum grew by', () => {
    const costs = (name: string) => traced(name).steps.flatMap(({ costUsd }) => costUsd ?? []);
    expect(costs('opencode.shell')).toHaveLength(2);
    expect(sumUp(traced('opencode.shell')).costUsd).toBeCloseTo(0.001_14, 5);
    expect(sumUp(traced('acp.claude.text')).costUsd).toBeCloseTo(0.012_72, 5);
    expect(sumUp(traced('claude.edit.partial')).costUsd).toBeCloseTo(0.012_72, 5);
    expect(sumUp(traced('codex.shell'))).not.toHaveProperty('costUsd');
  });

  const text = (second: number, words: string) =>
    heard('frame', { kind: 'stdout', line: '{}', ts: at(second), type: 'text', text: words });
  const state = (second: number, value: object) =>
    heard('task', { status: 'active', ts: at(second), ...value });

  it('waiting is a step, attempts are apart, and what was never closed is under way', () => {
    const trace = traceOf(
      extend(EMPTY_STORY, [
        state(0, { attempt: 1, reason: 'running' }),
        text(1, 'I begin.'),
        state(2, { attempt: 1, reason: 'waiting_approval' }),
        state(62, { attempt: 1, reason: 'running' }),
        text(63, 'Allowed.'),
        state(70, { attempt: 1, status: 'pending' }),
        state(100, { attempt: 2, reason: 'starting' }),
        text(101, 'Again.'),
        state(110, { attempt: 2, reason: 'waiting_quota', waits_for: { text: 'resets at noon' } }),
      ]),
    );
    expect(trace.steps.map(({ title, attempt, state: how }) => `${attempt} ${title} ${how}`)).toEqual([
      '1 Says ok',
      '1 Waited for an approval ok',
      '1 Says ok',
      '1 Waited its turn ok',
      '2 Says ok',
      '2 Waited for its quota runs',
    ]);
    expect(sumUp(trace, 1)).toMatchObject({ steps: 4, waitedMs: 90_000 });
    expect(sumUp(trace, 2)).toMatchObject({ steps: 2, calls: 0 });
    expect(trace.steps.at(-1)).toMatchObject({ gist: 'resets at noon' });
    expect(trace.steps.at(-1)).not.toHaveProperty('until');
  });

  it('is filtered by kind, by failure and by words of what was given and answered', () => {
    const { steps } = traced('codex.shell');
    const titles = (wanted: Parameters<typeof filterSteps>[1]) =>
      filterSteps(steps, wanted).map(({ title }) => title);
    expect(titles({ kind: 'call' })).toEqual(['shell']);
    expect(titles({ text: 'HELLO-from echo' })).toEqual(['shell']);
    expect(titles({ kind: 'failed' })).toEqual([]);
    expect(titles({ attempt: 2 })).toEqual([]);
    expect(filterSteps(traced('claude.api-500').steps, { kind: 'failed' })).not.toEqual([]);
  });
});
