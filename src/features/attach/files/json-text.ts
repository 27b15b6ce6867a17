import { isDeepStrictEqual } from 'node:util';
import { type MemberSpan, type ObjectSpan, scanJson } from './json-scan.ts';
import type { Put, SettingsText, Undo } from './settings-text.ts';

/** Settings as JSON: one member is put in or taken out, and every other byte stays. */
export const jsonText: SettingsText = {
  has: (text, path, entry) => {
    const member = find(text, path);
    return member !== undefined && isDeepStrictEqual(parse(rawOf(text, member)), entry);
  },

  put(text, path, entry): Put {
    const whole = text.trim() === '' ? '{}\n' : text;
    const existing = find(whole, path);
    if (existing) {
      const value = render(entry, whole, path.length - 1);
      return {
        text: splice(whole, existing.valueStart, existing.end, value),
        undo: { previous: rawOf(whole, existing) },
      };
    }
    const depth = deepestExisting(whole, path);
    const missing = path.slice(depth + 1).reduceRight<unknown>((inner, key) => ({ [key]: inner }), entry);
    return { text: insert(whole, path.slice(0, depth), path[depth]!, missing), undo: { kept: depth } };
  },

  remove(text, path, undo: Undo = {}): string {
    const member = find(text, path);
    if (!member) return text;
    if (undo.previous !== undefined) return splice(text, member.valueStart, member.end, undo.previous);
    let rest = cut(text, path);
    // Containers that came with the entry go with it, unless someone has put something else into them.
    for (let depth = path.length - 1; depth > (undo.kept ?? path.length); depth -= 1) {
      if (objectAt(rest, path.slice(0, depth))?.members.length !== 0) break;
      rest = cut(rest, path.slice(0, depth));
    }
    return rest;
  },

  isEmpty: (text) => scanJson(text).members.length === 0,
};

function find(text: string, path: readonly string[]): MemberSpan | undefined {
  if (text.trim() === '') return undefined;
  return objectAt(text, path.slice(0, -1))?.members.findLast(({ key }) => key === path.at(-1));
}

function objectAt(text: string, path: readonly string[]): ObjectSpan | undefined {
  return path.reduce<ObjectSpan | undefined>(
    (object, key) => object?.members.findLast((member) => member.key === key)?.object,
    scanJson(text),
  );
}

/** How many containers of the path are there. */
function deepestExisting(text: string, path: readonly string[]): number {
  let depth = path.length - 1;
  while (depth > 0 && !objectAt(text, path.slice(0, depth))) depth -= 1;
  return depth;
}

function insert(text: string, under: readonly string[], key: string, value: unknown): string {
  const object = objectAt(text, under)!;
  const unit = indentOf(text);
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const member = `${JSON.stringify(key)}: ${render(value, text, under.length)}`;
  const last = object.members.at(-1);
  if (!last) {
    const inner = text.slice(object.start + 1, object.end - 1);
    // A comment in an otherwise empty object is somebody's: the entry goes below it.
    const behind = object.end - 1 - trailingBlank(inner);
    if (!isBlank(inner))
      return splice(text, behind, behind, `${newline}${unit.repeat(under.length + 1)}${member}`);
    const body = `{${newline}${unit.repeat(under.length + 1)}${member}${newline}${unit.repeat(under.length)}}`;
    return splice(text, object.start, object.end, body);
  }
  const comma = commaBehind(text, last, object);
  const lineStart = text.lastIndexOf('\n', last.start) + 1;
  const lead = text.slice(lineStart, last.start);
  const isOwnLine = /^\s*$/.test(lead) && lineStart > object.start;
  const before = isOwnLine ? `${newline}${lead}` : ' ';
  if (comma === undefined) return splice(text, last.end, last.end, `,${before}${member}`);
  return splice(text, comma, comma, `${before}${member},`);
}

/** Takes a member out together with the comma that tied it to its neighbour. */
function cut(text: string, path: readonly string[]): string {
  const object = objectAt(text, path.slice(0, -1))!;
  const index = object.members.findLastIndex(({ key }) => key === path.at(-1));
  const member = object.members[index]!;
  const { start } = member;
  const before = object.members[index - 1];
  const comma = commaBehind(text, member, object);
  const end = comma ?? member.end;
  if (
    object.members.length === 1 &&
    isBlank(text.slice(object.start + 1, start)) &&
    isBlank(text.slice(end, object.end - 1))
  )
    return splice(text, object.start, object.end, '{}');
  if (!before) return splice(text, lineBreakBefore(text, start), end, '');
  const isLast = index === object.members.length - 1;
  if (!isLast || comma !== undefined) return splice(text, lineBreakBefore(text, start), end, '');
  return splice(text, before.end, end, text.slice(before.end, start).replace(/,\s*$/, ''));
}

/** Just behind the comma that follows a member, if one does; comments may stand between. */
function commaBehind(text: string, { end }: MemberSpan, object: ObjectSpan): number | undefined {
  const [tie] = /^(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*,/.exec(text.slice(end, object.end)) ?? [];
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

function render(value: unknown, text: string, depth: number): string {
  const unit = indentOf(text);
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  return JSON.stringify(value, null, unit).replaceAll('\n', `${newline}${unit.repeat(depth + 1)}`);
}

/** The indentation the file already uses. */
function indentOf(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
}

function rawOf(text: string, { valueStart, end }: MemberSpan): string {
  return text.slice(valueStart, end);
}

function parse(raw: string): unknown {
  try {
    return JSON.parse(raw) as unknown;
  } catch {
    return undefined;
  }
}

function splice(text: string, start: number, end: number, replacement: string): string {
  return text.slice(0, start) + replacement + text.slice(end);
}
