import { type ArraySpan, type MemberSpan, type ObjectSpan, scanJson, type TextSpan } from './json-scan.ts';

/** Edits of the text of a JSON file that touch one member or one element and leave every other byte alone. */

export function findMember(text: string, path: readonly string[]): MemberSpan | undefined {
  if (text.trim() === '') return undefined;
  return objectAt(text, path.slice(0, -1))?.members.findLast(({ key }) => key === path.at(-1));
}

export function objectAt(text: string, path: readonly string[]): ObjectSpan | undefined {
  return path.reduce<ObjectSpan | undefined>(
    (object, key) => object?.members.findLast((member) => member.key === key)?.object,
    scanJson(text),
  );
}

type Member = Readonly<{ key: string; value: unknown }>;

export function insertMember(text: string, under: readonly string[], { key, value }: Member): string {
  const { start, end, members: items } = objectAt(text, under)!;
  const member = `${JSON.stringify(key)}: ${render(value, text, under.length)}`;
  return insertItem(text, { start, end, items }, { item: member, depth: under.length });
}

/** `depth`: how deep the list itself stands. */
export function appendElement(text: string, { start, end, elements }: ArraySpan, element: Element): string {
  const { value, depth } = element;
  return insertItem(text, { start, end, items: elements }, { item: render(value, text, depth), depth });
}

type Element = Readonly<{ value: unknown; depth: number }>;

/** Takes a member out together with the comma that tied it to its neighbour. */
export function cutMember(text: string, path: readonly string[]): string {
  const { start, end, members: items } = objectAt(text, path.slice(0, -1))!;
  const index = items.findLastIndex(({ key }) => key === path.at(-1));
  return cutItem(text, { start, end, items }, index);
}

export function cutElement(text: string, { start, end, elements }: ArraySpan, index: number): string {
  return cutItem(text, { start, end, items: elements }, index);
}

/** An object or a list, brackets included. */
type Container = TextSpan & Readonly<{ items: readonly TextSpan[] }>;
type Item = Readonly<{ item: string; depth: number }>;

function insertItem(text: string, container: Container, { item, depth }: Item): string {
  const { start, end, items } = container;
  const unit = indentOf(text);
  const newline = newlineOf(text);
  const last = items.at(-1);
  if (!last) {
    const inner = text.slice(start + 1, end - 1);
    // A comment in an otherwise empty object is somebody's: the entry goes below it.
    const behind = end - 1 - trailingBlank(inner);
    if (!isBlank(inner)) return splice(text, at(behind), `${newline}${unit.repeat(depth + 1)}${item}`);
    const [open, close] = [text[start]!, text[end - 1]!];
    const body = `${open}${newline}${unit.repeat(depth + 1)}${item}${newline}${unit.repeat(depth)}${close}`;
    return splice(text, container, body);
  }
  const comma = commaBehind(text, last, container);
  const lineStart = text.lastIndexOf('\n', last.start) + 1;
  const lead = text.slice(lineStart, last.start);
  const isOwnLine = /^\s*$/.test(lead) && lineStart > start;
  const before = isOwnLine ? `${newline}${lead}` : ' ';
  if (comma === undefined) return splice(text, at(last.end), `,${before}${item}`);
  return splice(text, at(comma), `${before}${item},`);
}

function cutItem(text: string, container: Container, index: number): string {
  const { items } = container;
  const item = items[index]!;
  const { start } = item;
  const before = items[index - 1];
  const comma = commaBehind(text, item, container);
  const end = comma ?? item.end;
  if (
    items.length === 1 &&
    isBlank(text.slice(container.start + 1, start)) &&
    isBlank(text.slice(end, container.end - 1))
  )
    return splice(text, container, `${text[container.start]!}${text[container.end - 1]!}`);
  const isLast = index === items.length - 1;
  if (!before || !isLast || comma !== undefined)
    return splice(text, { start: lineBreakBefore(text, start), end }, '');
  return splice(text, { start: before.end, end }, text.slice(before.end, start).replace(/,\s*$/, ''));
}

/** Just behind the comma that follows an item, if one does; comments may stand between. */
function commaBehind(text: string, { end }: TextSpan, container: TextSpan): number | undefined {
  const [tie] = /^(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*,/.exec(text.slice(end, container.end)) ?? [];
  return tie === undefined ? undefined : end + tie.length;
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}

function lineBreakBefore(text: string, at: number): number {
  return at - trailingBlank(text.slice(0, at));
}

function trailingBlank(text: string): number {
  return text.length - text.trimEnd().length;
}

/** A value as it is written `depth` levels below the top of this file. */
export function render(value: unknown, text: string, depth: number): string {
  const unit = indentOf(text);
  return JSON.stringify(value, null, unit).replaceAll('\n', `${newlineOf(text)}${unit.repeat(depth + 1)}`);
}

function newlineOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

/** The indentation the file already uses. */
function indentOf(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
}

export function rawOf(text: string, { valueStart, end }: MemberSpan): string {
  return text.slice(valueStart, end);
}

function at(place: number): TextSpan {
  return { start: place, end: place };
}

export function splice(text: string, { start, end }: TextSpan, replacement: string): string {
  return text.slice(0, start) + replacement + text.slice(end);
}
