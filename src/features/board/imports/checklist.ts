import { HubError } from '../../../kernel/errors.ts';
import { type ForeignFile, type ForeignTask, textOf } from './foreign.ts';
import { createNames } from './names.ts';

/**
 * A Markdown checklist: every item with a box is a task, one that stands deeper a subtask of the one above it, and lines below an
 * item that have no box are its description. An item is known again by the id it carries (`^keel`, as Obsidian writes them),
 * else by its words and those of the items above it.
 */
export function readChecklist(bytes: Uint8Array, file: string): ForeignFile {
  const text = textOf(bytes);
  if (text === undefined)
    throw new HubError('invalid', 'The file is not UTF-8.', { hint: 'Save it as UTF-8 first.' });
  const items = itemsOf(text);
  if (items.length === 0)
    throw new HubError('invalid', `${file} has no item with a box.`, {
      hint: 'A task is a line such as: - [ ] caulk the hull',
    });
  const nameOf = createNames(file);
  const open: Placed[] = [];
  const tasks = items.map((item): ForeignTask => {
    while (open.length > 0 && open.at(-1)!.column >= item.column) open.pop();
    const above = open.at(-1);
    const { id, due, labels, title } = readWords(item.words);
    const key = id ?? nameOf(title, above?.key);
    open.push({ column: item.column, key });
    return {
      key,
      title,
      description: descriptionOf(item),
      status: STATUS[item.mark] ?? 'todo',
      priority: 0,
      parent: above?.key,
      dependsOn: [],
      labels,
      comments: [],
      createdAt: undefined,
      updatedAt: undefined,
      closedAt: undefined,
      due,
    };
  });
  return { tasks, problems: [] };
}

type Placed = Readonly<{ column: number; key: string }>;
type Item = Readonly<{ column: number; mark: string; words: string; below: string[] }>;

/** What people put into a box; anything else is still to be done. */
const STATUS: Readonly<Record<string, string>> = { x: 'done', X: 'done', '-': 'cancelled', '~': 'cancelled' };

const ITEM = /^(\s*)(?:[-*+]|\d{1,9}[.)])\s+\[(.)\](?:\s+(.*))?$/u;
const FENCE = /^\s*(```+|~~~+)/;

/** A box in a block of code is an example of one. */
function itemsOf(text: string): Item[] {
  const items: Item[] = [];
  let fence: string | undefined;
  for (const line of text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)) {
    const mark = FENCE.exec(line)?.[1];
    const isFence: boolean =
      mark !== undefined && (fence === undefined || (mark[0] === fence[0] && mark.length >= fence.length));
    const found = fence === undefined && !isFence ? ITEM.exec(line) : null;
    if (isFence) fence = fence === undefined ? mark : undefined;
    const [, space = '', box = ' ', words = ''] = found ?? [];
    if (found && words.trim() !== '') items.push({ column: columnOf(space), mark: box, words, below: [] });
    else addBelow(items, line, fence !== undefined || isFence);
  }
  return items;
}

/** What stands below an item belongs to it as long as it is indented; a heading, or text at the margin, ends all of them. */
function addBelow(items: readonly Item[], line: string, isCode: boolean): void {
  const column = columnOf(/^\s*/.exec(line)![0]);
  const isBlank = line.trim() === '';
  const item = isBlank ? items.at(-1) : items.findLast((each) => each.column < column);
  if (item) item.below.push(line);
  else if (!isCode) items.at(-1)?.below.push(END);
}

const END = '\0';

function descriptionOf({ below, column }: Item): string | undefined {
  const end = below.indexOf(END);
  const lines = end === -1 ? below : below.slice(0, end);
  const indents = lines.filter((line) => line.trim() !== '').map((line) => /^\s*/.exec(line)![0].length);
  const least = indents.length === 0 ? column : Math.min(...indents);
  const text = lines
    .map((line) => line.slice(least))
    .join('\n')
    .trim();
  return text === '' ? undefined : text;
}

/** A tab leads to the next multiple of four. */
function columnOf(space: string): number {
  let column = 0;
  for (const sign of space) column = sign === '\t' ? column - (column % 4) + 4 : column + 1;
  return column;
}

const ID = /\s\^([\p{L}\p{N}][\p{L}\p{N}._-]{0,99})\s*$/u;
const DUE = /(?:^|\s)(?:due:|@due\(|📅\s*)(\d{4}-\d{2}-\d{2})\)?(?=\s|$)/u;
const TAG = /(?<=^|\s)#([\p{L}][\p{L}\p{N}._/-]{0,49})(?=\s|$)/gu;

/** The id and the day are taken out of the words; a tag may be one of them, and stays. */
function readWords(words: string) {
  const id = ID.exec(words)?.[1];
  const rest = id === undefined ? words : words.replace(ID, '');
  const due = DUE.exec(rest)?.[1];
  const title = (due === undefined ? rest : rest.replace(DUE, ' ')).replace(/\s+/g, ' ').trim();
  const labels = [...rest.matchAll(TAG)].map(([, tag]) => tag!);
  return { id, due, labels, title: title === '' ? words.trim() : title };
}
