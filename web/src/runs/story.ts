import { answerOf, objectOf, parse, timesOf, word, type Value } from './raw.ts';

/**
 * What a run said, as a document: text that belongs together in one block, each tool call once, however often it was told
 * of. A story is extended, never rebuilt: a block that did not change stays the same object, so it is not drawn again.
 */
export type Story = Readonly<{
  blocks: readonly Block[];
  plan: readonly Step[];
  /** How many lines there ever were, to say how many are new. */
  lines: number;
  /** The attempt that speaks; 0 before the first. */
  attempt: number;
  /** What its client told of the model's work, one by one. */
  spent: readonly Spent[];
}>;

export type Block = Readonly<{
  key: string;
  attempt: number;
  /** When its first and its last piece came; absent where a frame has no time. */
  at?: number;
  until?: number;
  /** The call of the model that it came of. */
  call?: string;
}> &
  (Words | Call | Said | Wait);
type Words = Readonly<{ kind: 'prose' | 'plain' | 'thought' | 'notice' | 'error'; text: string }>;
export type Call = Readonly<{
  kind: 'call';
  id: string;
  name: string;
  gist: string;
  state: 'runs' | 'ok' | 'failed';
  input: unknown;
  output: string;
}>;
type Said = Readonly<{ kind: 'said'; from: string; text: string; isQuestion: boolean }>;
/** It stood still: `until` is absent while it does. */
export type Wait = Readonly<{ kind: 'wait'; reason: WaitReason; text: string }>;
const WAITS = ['queued', 'waiting_approval', 'waiting_input', 'waiting_quota'] as const;
export type WaitReason = (typeof WAITS)[number];
/** `call` names the model's call where the client does. */
type Spent = Readonly<{
  at?: number;
  attempt: number;
  call?: string;
  context?: number;
  window?: number;
  totalUsd?: number;
}>;
export type Step = Readonly<{ text: string; state: 'pending' | 'in_progress' | 'completed' }>;

/** One event of the stream, as it came. */
export type Heard = Readonly<{ id: string; event: string; data: string }>;

export const EMPTY_STORY: Story = { blocks: [], plan: [], lines: 0, attempt: 0, spent: [] };
const MOST_BLOCKS = 1_500;
const MOST_TEXT = 200_000;

export function extend(story: Story, heard: readonly Heard[]): Story {
  const blocks = [...story.blocks];
  let { plan, lines, attempt, spent } = story;
  for (const each of heard) {
    const value = objectOf(parse(each.data));
    if (each.event === 'gap') {
      const key = `gap ${each.id} ${blocks.length}`;
      blocks.push({ key, attempt, kind: 'notice', text: word(value['warning']) });
    } else if (each.event === 'frame') {
      plan = planOf(value) ?? plan;
      const piece = { key: each.id, attempt, at: timeOf(value), call: callOf(value) };
      const took = spentOf(value, piece);
      if (took) spent = [...spent.slice(-MOST_BLOCKS), took];
      lines += add(blocks, value, piece);
    } else {
      attempt = Math.max(attempt, Number(value['attempt']) || 0);
      settle(blocks, value, { key: each.id, attempt, at: timeOf(value), call: undefined });
    }
  }
  const kept = blocks.length > MOST_BLOCKS ? blocks.slice(-MOST_BLOCKS) : blocks;
  return { blocks: kept, plan, lines, attempt, spent };
}

/** Where in the stream something was heard. */
type Piece = Readonly<{ key: string; attempt: number; at: number | undefined; call: string | undefined }>;

const placed = ({ key, attempt, at, call }: Piece) => ({
  key,
  attempt,
  ...(at !== undefined && { at, until: at }),
  ...(call !== undefined && { call }),
});

/** A state of the run: what it waited for is over, or it begins to wait. */
function settle(blocks: Block[], value: Value, piece: Piece): void {
  const last = blocks.findLastIndex((each) => each.kind === 'wait');
  const open = blocks[last];
  const reason = waitOf(value);
  if (open?.kind === 'wait' && open.until === undefined) {
    if (open.reason === reason) return;
    blocks[last] = { ...open, ...(piece.at !== undefined && { until: piece.at }) };
  }
  if (reason === undefined || piece.at === undefined) return;
  const { until: _, ...begun } = placed(piece);
  blocks.push({ ...begun, kind: 'wait', reason, text: word(objectOf(value['waits_for'])['text']) });
}

function waitOf(value: Value): WaitReason | undefined {
  const named = WAITS.find((each) => each === value['reason']);
  return named ?? (value['status'] === 'pending' && value['reason'] === undefined ? 'queued' : undefined);
}

function timeOf(value: Value): number | undefined {
  const at = Date.parse(word(value['ts']));
  return Number.isNaN(at) ? undefined : at;
}

function callOf(value: Value): string | undefined {
  const { call } = objectOf(value['spent']);
  return typeof call === 'string' ? call : undefined;
}

function spentOf(value: Value, { at, attempt, call }: Piece): Spent | undefined {
  if (value['spent'] === undefined) return undefined;
  const told = Object.entries(objectOf(value['spent'])).filter(([, each]) => typeof each === 'number');
  return {
    attempt,
    ...(at !== undefined && { at }),
    ...(call !== undefined && { call }),
    ...Object.fromEntries(told),
  };
}

/** Answers how many lines it added. */
function add(blocks: Block[], value: Value, piece: Piece): number {
  const { type } = value;
  if (typeof value['reply'] === 'string') {
    const text = word(value['line']);
    blocks.push({
      ...placed(piece),
      kind: 'said',
      from: word(value['from']),
      text,
      isQuestion: value['reply'] === 'clarification',
    });
    return 1;
  }
  if (type === 'tool') return addCall(blocks, value, piece);
  const kind = KINDS[word(type)];
  if (!kind) return 0;
  // Where a line is its own text, only its type stands beside it.
  const isLine = value['text'] === undefined;
  const text = isLine ? word(value['line']) : word(value['text']);
  if (text === '') return 0;
  // A program says lines, a session says pieces of them, and the other families say paragraphs.
  const isPiece = value['kind'] === 'acp';
  const shown = kind === 'prose' && isLine && !isPiece ? 'plain' : kind;
  const last = blocks.at(-1);
  if (last && last.kind === shown && last.text.length < MOST_TEXT && isSameBreath(last, piece)) {
    const joint = isPiece && shown !== 'notice' ? '' : shown === 'prose' ? '\n\n' : '\n';
    const { until } = placed(piece);
    blocks[blocks.length - 1] = {
      ...last,
      text: last.text + joint + text,
      ...(until !== undefined && { until }),
    };
  } else {
    blocks.push({ ...placed(piece), kind: shown, text });
  }
  return isPiece ? text.split('\n').length - 1 : 1;
}

const isSameBreath = (last: Block, { attempt, call }: Piece): boolean =>
  last.attempt === attempt && (call === undefined || last.call === undefined || last.call === call);

const KINDS: Readonly<Record<string, Words['kind']>> = {
  text: 'prose',
  thought: 'thought',
  notice: 'notice',
  error: 'error',
};

function addCall(blocks: Block[], value: Value, piece: Piece): number {
  const tool = objectOf(value['tool']);
  const id = word(tool['id']);
  const at =
    id === ''
      ? -1
      : blocks.findLastIndex(
          (each) => each.kind === 'call' && each.id === id && each.attempt === piece.attempt,
        );
  const state = tool['phase'] === 'end' ? (tool['ok'] === false ? 'failed' : 'ok') : 'runs';
  const output = answerOf(value);
  const before = at < 0 ? undefined : (blocks[at] as Block & Call);
  const input = tool['input'] ?? before?.input;
  const name = before?.name ?? word(tool['name'], 'tool');
  const call = {
    ...(before ? { ...before, ...(piece.at !== undefined && { until: piece.at }) } : placed(piece)),
    ...(before ? {} : timesOf(value)),
    kind: 'call',
    id,
    name,
    gist: gistOf(name, objectOf(input)),
    state,
    input,
    output: output === '' ? (before?.output ?? '') : output,
  } as const;
  if (before) blocks[at] = call;
  else blocks.push(call);
  return before ? 0 : 1;
}

const MAIN = ['command', 'cmd', 'file_path', 'path', 'pattern', 'url', 'query', 'description'];

/** One line: what it is done to, and by how much it changes it. */
function gistOf(name: string, input: Value): string {
  const main = MAIN.map((each) => input[each]).find((each) => typeof each === 'string' && each !== name);
  const [gone, come] = [input['old_string'] ?? input['oldText'], input['new_string'] ?? input['newText']];
  const size = typeof gone === 'string' && typeof come === 'string' ? ` +${count(come)} −${count(gone)}` : '';
  return `${typeof main === 'string' ? main.replaceAll(/\s+/g, ' ').slice(0, 200) : ''}${size}`.trim();
}

const count = (text: string) => (text === '' ? 0 : text.replace(/\n$/, '').split('\n').length);

function planOf(value: Value): readonly Step[] | undefined {
  if (value['type'] !== 'plan' || !Array.isArray(value['plan'])) return undefined;
  return value['plan'].map((each) => {
    const { content, text, status } = objectOf(each);
    const state = status === 'completed' || status === 'in_progress' ? status : 'pending';
    return { text: word(content, word(text)), state } as const;
  });
}
