/**
 * What a run said, as a document: text that belongs together in one block, each tool call once, however often it was told
 * of. A story is extended, never rebuilt: a block that did not change stays the same object, so it is not drawn again.
 */
export type Story = Readonly<{
  blocks: readonly Block[];
  plan: readonly Step[];
  /** How many lines there ever were, to say how many are new. */
  lines: number;
}>;

export type Block = Readonly<{ key: string }> & (Words | Call | Said);
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
export type Step = Readonly<{ text: string; state: 'pending' | 'in_progress' | 'completed' }>;

/** One event of the stream, as it came. */
export type Heard = Readonly<{ id: string; event: string; data: string }>;

export const EMPTY_STORY: Story = { blocks: [], plan: [], lines: 0 };
const MOST_BLOCKS = 1_500;
const MOST_TEXT = 200_000;

export function extend(story: Story, heard: readonly Heard[]): Story {
  const blocks = [...story.blocks];
  let { plan, lines } = story;
  for (const each of heard) {
    const value = objectOf(parse(each.data));
    if (each.event === 'gap') {
      blocks.push({ key: `gap ${each.id} ${blocks.length}`, kind: 'notice', text: word(value['warning']) });
    } else if (each.event === 'frame') {
      plan = planOf(value) ?? plan;
      lines += add(blocks, value, each.id);
    }
  }
  return { blocks: blocks.length > MOST_BLOCKS ? blocks.slice(-MOST_BLOCKS) : blocks, plan, lines };
}

type Value = Readonly<Record<string, unknown>>;

/** Answers how many lines it added. */
function add(blocks: Block[], value: Value, id: string): number {
  const { type } = value;
  if (typeof value['reply'] === 'string') {
    const text = word(value['line']);
    blocks.push({
      key: id,
      kind: 'said',
      from: word(value['from']),
      text,
      isQuestion: value['reply'] === 'clarification',
    });
    return 1;
  }
  if (type === 'tool') return addCall(blocks, value, id);
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
  if (last && last.kind === shown && last.text.length < MOST_TEXT) {
    const joint = isPiece && shown !== 'notice' ? '' : shown === 'prose' ? '\n\n' : '\n';
    blocks[blocks.length - 1] = { ...last, text: last.text + joint + text };
  } else {
    blocks.push({ key: id, kind: shown, text });
  }
  return isPiece ? text.split('\n').length - 1 : 1;
}

const KINDS: Readonly<Record<string, Words['kind']>> = {
  text: 'prose',
  thought: 'thought',
  notice: 'notice',
  error: 'error',
};

function addCall(blocks: Block[], value: Value, key: string): number {
  const tool = objectOf(value['tool']);
  const id = word(tool['id']);
  const at = id === '' ? -1 : blocks.findLastIndex((each) => each.kind === 'call' && each.id === id);
  const state = tool['phase'] === 'end' ? (tool['ok'] === false ? 'failed' : 'ok') : 'runs';
  const output = outputOf(value);
  const before = at < 0 ? undefined : (blocks[at] as Block & Call);
  const input = tool['input'] ?? before?.input;
  const name = before?.name ?? word(tool['name'], 'tool');
  const call = {
    key: before?.key ?? key,
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

/** What a call answered, where the raw line says it: texts and files of a session update. */
function outputOf(value: Value): string {
  if (value['kind'] !== 'acp') return '';
  const update = objectOf(objectOf(objectOf(parse(word(value['line'])))['params'])['update']);
  const content = Array.isArray(update['content']) ? update['content'] : [];
  return content
    .map((each) => {
      const piece = objectOf(each);
      if (piece['type'] === 'diff') return `${word(piece['path'])}\n${word(piece['newText'])}`;
      return word(objectOf(piece['content'])['text']);
    })
    .filter((text) => text !== '')
    .join('\n');
}

function planOf(value: Value): readonly Step[] | undefined {
  if (value['type'] !== 'plan' || !Array.isArray(value['plan'])) return undefined;
  return value['plan'].map((each) => {
    const { content, text, status } = objectOf(each);
    const state = status === 'completed' || status === 'in_progress' ? status : 'pending';
    return { text: word(content, word(text)), state } as const;
  });
}

function objectOf(value: unknown): Value {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Value) : {};
}

function word(value: unknown, otherwise = ''): string {
  return typeof value === 'string' ? value : otherwise;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
