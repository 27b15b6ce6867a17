import type { Block, Story, WaitReason } from './story.ts';

/**
 * A run as a trace: what it did, one after the other, how long each took, what stood in the model's context, and what it had
 * cost. Made of the story alone; what a client does not say is absent, never reckoned.
 *
 * A call lasts from its beginning to its end. Words of the model last from the end of what was before them until their last
 * piece, since that is how long they were waited for. What the hub or a person said is a moment.
 */
export type Trace = Readonly<{
  steps: readonly TraceStep[];
  /** From its first to its last sign; both absent where nothing has a time. */
  from?: number;
  until?: number;
  /** How full the model's context was, and of how much. */
  context: readonly Readonly<{ at: number; used: number; attempt: number }>[];
  window?: number;
}>;

export type StepKind = 'call' | 'words' | 'thought' | 'wait' | 'notice' | 'error' | 'message';
export type TraceStep = Readonly<{
  key: string;
  kind: StepKind;
  attempt: number;
  title: string;
  gist: string;
  state: 'runs' | 'ok' | 'failed';
  from?: number;
  /** Absent while it is under way. */
  until?: number;
  context?: number;
  /** By how much the cost of the run grew with it. */
  costUsd?: number;
  block: Block;
}>;

export function traceOf({ blocks, spent }: Story): Trace {
  const steps: TraceStep[] = [];
  let ended: Readonly<{ attempt: number; until: number | undefined }> = { attempt: 0, until: undefined };
  for (const block of blocks) {
    if (isShortWait(block)) continue;
    const before = ended.attempt === block.attempt ? ended.until : undefined;
    const step = stepOf(block, before);
    steps.push(step);
    ended = { attempt: block.attempt, until: later(before, step.until ?? step.from) };
  }
  const times = steps.flatMap(({ from, until }) => [from ?? [], until ?? []].flat());
  const window = spent.findLast((each) => each.window !== undefined)?.window;
  return {
    steps: withSpent(steps, spent),
    ...(times.length > 0 && { from: lowest(times), until: highest(times) }),
    context: spent.flatMap(({ at, context, attempt }) =>
      at === undefined || context === undefined ? [] : [{ at, used: context, attempt }],
    ),
    ...(window !== undefined && { window }),
  };
}

const later = (a: number | undefined, b: number | undefined) =>
  a === undefined ? b : b === undefined ? a : Math.max(a, b);
// A long run has more steps than a call may have arguments.
const lowest = (all: readonly number[]) => all.reduce((a, b) => Math.min(a, b));
const highest = (all: readonly number[]) => all.reduce((a, b) => Math.max(a, b));

/** Every run waits for a moment until somebody takes it. */
const SHORT_MS = 1_000;
const isShortWait = (block: Block): boolean =>
  block.kind === 'wait' && block.until !== undefined && block.until - (block.at ?? 0) < SHORT_MS;

export const WAITED: Readonly<Record<WaitReason, string>> = {
  queued: 'Waited its turn',
  waiting_approval: 'Waited for an approval',
  waiting_input: 'Waited for an answer',
  waiting_quota: 'Waited for its quota',
};

const KINDS: Readonly<Record<Exclude<Block['kind'], 'call' | 'wait'>, readonly [StepKind, string]>> = {
  prose: ['words', 'Says'],
  plain: ['words', 'Prints'],
  thought: ['thought', 'Thinks'],
  notice: ['notice', 'Notice'],
  error: ['error', 'Error'],
  said: ['message', 'Message'],
};

function stepOf(block: Block, before: number | undefined): TraceStep {
  const { key, attempt, at, until } = block;
  const common = { key, attempt, block, state: 'ok' as const, ...(at !== undefined && { from: at }) };
  if (block.kind === 'call') {
    const { name: title, gist, state } = block;
    return { ...common, kind: 'call', title, gist, state, ...(state !== 'runs' && ended(until)) };
  }
  if (block.kind === 'wait') {
    const state = until === undefined ? 'runs' : 'ok';
    return { ...common, kind: 'wait', title: WAITED[block.reason], gist: block.text, state, ...ended(until) };
  }
  const [kind, title] = KINDS[block.kind];
  const isOfModel = kind === 'words' || kind === 'thought';
  const from = isOfModel ? (before ?? at) : at;
  return {
    ...common,
    kind,
    title,
    gist: firstLine(block.text),
    state: kind === 'error' ? 'failed' : 'ok',
    ...(from !== undefined && at !== undefined && { from: Math.min(from, at) }),
    ...ended(until),
  };
}

const ended = (until: number | undefined) => (until === undefined ? {} : { until });

function firstLine(text: string): string {
  const line = text.split('\n').find((each) => each.trim() !== '') ?? '';
  return withoutMarks(line.trim()).slice(0, 240);
}

/** In one line nothing is drawn bold: what is left are its words. */
const withoutMarks = (line: string): string => line.replace(/^#{1,6} /, '').replace(/(\*\*|`)(.+?)\1/g, '$2');

/**
 * What was told belongs to the step of the same call of the model, else to the last step that had begun. Cost is told as a
 * sum: a step has what it grew by.
 */
function withSpent(steps: readonly TraceStep[], spent: Story['spent']): readonly TraceStep[] {
  const found = new Map<TraceStep, { context?: number; costUsd?: number }>();
  let total: Readonly<{ attempt: number; usd: number }> = { attempt: 0, usd: 0 };
  for (const { at, attempt, call, context, totalUsd } of spent) {
    const step =
      (call === undefined
        ? undefined
        : steps.find((each) => each.block.call === call && each.attempt === attempt)) ??
      steps.findLast(
        (each) => each.attempt === attempt && at !== undefined && (each.block.at ?? at + 1) <= at,
      );
    const grown = totalUsd === undefined ? 0 : totalUsd - (total.attempt === attempt ? total.usd : 0);
    if (totalUsd !== undefined) total = { attempt, usd: totalUsd };
    if (!step) continue;
    const known = found.get(step);
    found.set(step, {
      ...known,
      ...(context !== undefined && { context }),
      ...(grown > 0 && { costUsd: (known?.costUsd ?? 0) + grown }),
    });
  }
  return steps.map((step) => ({ ...step, ...found.get(step) }));
}

export type StepFilter = Readonly<{
  kind?: StepKind | 'failed' | undefined;
  text?: string;
  attempt?: number | undefined;
}>;

/** Every word has to be somewhere in what the step did, was given, or answered. */
export function filterSteps(steps: readonly TraceStep[], wanted: StepFilter): readonly TraceStep[] {
  const words = (wanted.text ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  return steps.filter(
    (step) =>
      (wanted.attempt === undefined || step.attempt === wanted.attempt) &&
      (wanted.kind === undefined ||
        (wanted.kind === 'failed' ? step.state === 'failed' : step.kind === wanted.kind)) &&
      (words.length === 0 || isAbout(step, words)),
  );
}

function isAbout({ title, gist, block }: TraceStep, words: readonly string[]): boolean {
  const rest = block.kind === 'call' ? `${JSON.stringify(block.input ?? '')} ${block.output}` : block.text;
  const all = `${title} ${gist} ${rest}`.toLowerCase();
  return words.every((each) => all.includes(each));
}

export type TraceSum = Readonly<{
  steps: number;
  calls: number;
  failed: number;
  ms?: number;
  waitedMs: number;
  fullest?: number;
  costUsd?: number;
}>;

export function sumUp({ steps, context }: Trace, attempt?: number): TraceSum {
  const own = filterSteps(steps, { attempt });
  const times = own.flatMap(({ from, until }) => [from ?? [], until ?? []].flat());
  const used = context
    .filter((each) => attempt === undefined || each.attempt === attempt)
    .map((each) => each.used);
  const costs = own.flatMap(({ costUsd }) => costUsd ?? []);
  return {
    steps: own.length,
    calls: own.filter(({ kind }) => kind === 'call').length,
    failed: own.filter(({ kind, state }) => kind === 'call' && state === 'failed').length,
    waitedMs: own
      .filter(({ kind }) => kind === 'wait')
      .reduce((sum, { from = 0, until = from }) => sum + until - from, 0),
    ...(times.length > 0 && { ms: highest(times) - lowest(times) }),
    ...(used.length > 0 && { fullest: highest(used) }),
    ...(costs.length > 0 && { costUsd: costs.reduce((a, b) => a + b) }),
  };
}
