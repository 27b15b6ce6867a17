import { HubError } from '../../../kernel/errors.ts';
import { tomlTable } from '../toml-table.ts';
import { NotReadable } from './json-scan.ts';
import type { Put, SettingsText, Undo } from './settings-text.ts';

/** Settings as TOML: an entry is a table of its own, put at the end and taken out as whole lines. */
export const tomlText: SettingsText = {
  has: (text, path, entry) => {
    const table = findTable(text, path);
    return (
      table !== undefined && linesOf(text).slice(table.start, table.end).join('\n') === tomlTable(path, entry)
    );
  },

  read: (text, path) => {
    const table = findTable(text, path);
    return table && linesOf(text).slice(table.start, table.end).join('\n');
  },

  put(text, path, entry): Put {
    refuseOpenText(text);
    refuseInline(text, path);
    const block = tomlTable(path, entry);
    const table = findTable(text, path);
    if (table) {
      const lines = linesOf(text);
      const previous = lines.slice(table.start, table.end).join('\n');
      return { text: replace(lines, table, block), undo: { previous } };
    }
    const start = text === '' || text.endsWith('\n') ? text : `${text}\n`;
    return { text: `${start}${start === '' ? '' : '\n'}${block}\n`, undo: {} };
  },

  remove(text, path, undo: Undo = {}): string {
    const table = findTable(text, path);
    if (!table) return text;
    const lines = linesOf(text);
    if (undo.previous !== undefined) return replace(lines, table, undo.previous);
    const start = table.start > 0 && lines[table.start - 1]!.trim() === '' ? table.start - 1 : table.start;
    return [...lines.slice(0, start), ...lines.slice(table.end)].join('\n');
  },

  isEmpty: (text) => text.trim() === '',
};

type Span = Readonly<{ start: number; end: number }>;

function linesOf(text: string): string[] {
  return text.split('\n');
}

function replace(lines: readonly string[], { start, end }: Span, block: string): string {
  return [...lines.slice(0, start), block, ...lines.slice(end)].join('\n');
}

/** The lines of a table and of the tables below it, without the blank lines and comments that lead to the next one. */
function findTable(text: string, path: readonly string[]): Span | undefined {
  const lines = linesOf(text);
  const headers = headersOf(lines);
  const first = headers.findIndex((header) => isSame(header.path, path));
  if (first < 0) return undefined;
  const next = headers.slice(first + 1).find((header) => !isSame(header.path.slice(0, path.length), path));
  let end = next?.line ?? lines.length;
  while (end > headers[first]!.line + 1 && /^\s*(#.*)?$/.test(lines[end - 1]!)) end -= 1;
  return { start: headers[first]!.line, end };
}

type Header = Readonly<{ path: readonly string[]; line: number }>;

/** Lines that open a table, passing over text of several lines in which they would mean nothing. */
function headersOf(lines: readonly string[]): Header[] {
  const found: Header[] = [];
  let closing: string | undefined;
  lines.forEach((line, index) => {
    if (closing === undefined) {
      const [, name] = /^\s*\[\[?([^\]]+)\]\]?\s*(#.*)?$/.exec(line) ?? [];
      if (name !== undefined) found.push({ path: keysOf(name), line: index });
    }
    closing = closingAfter(line, closing);
  });
  return found;
}

/** The quotes that still have to come after this line. */
function closingAfter(line: string, open: string | undefined): string | undefined {
  let closing = open;
  for (const [quotes] of line.matchAll(/"""|'''/g)) {
    if (closing === undefined) closing = quotes;
    else if (closing === quotes) closing = undefined;
  }
  return closing;
}

/** Key after key, and none behind what is no key: looked for from every letter on, a long one would take the square of its length. */
function keysOf(name: string): string[] {
  return [...name.matchAll(/\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([A-Za-z0-9_-]+))\s*(?:\.|$)/gy)].map(
    ([, basic, literal, bare]) => bare ?? literal ?? unescape(basic ?? ''),
  );
}

/** Most escapes are those of JSON; a key with another one is none of ours, whatever it means. */
function unescape(basic: string): string {
  try {
    return JSON.parse(`"${basic}"`) as string;
  } catch {
    return basic;
  }
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((key, i) => key === other[i]);
}

/** What would be put at the end of such a file would be part of its text. */
function refuseOpenText(text: string): void {
  let closing: string | undefined;
  for (const line of linesOf(text)) closing = closingAfter(line, closing);
  if (closing !== undefined) throw new NotReadable(`it ends within a text that ${closing} began`);
}

/** `mcp_servers = { … }` and `[mcp_servers]` with `x = { … }` would make our table a second definition, which TOML forbids. */
function refuseInline(text: string, path: readonly string[]): void {
  const [top, id] = [path[0]!, path.at(-1)!];
  const lines = linesOf(text);
  const headers = headersOf(lines);
  const tableOf = (index: number) => headers.findLast(({ line }) => line < index)?.path ?? [];
  const isInline = lines.some((line, index) => {
    const [, name] =
      /^\s*((?:"[^"]*"|'[^']*'|[A-Za-z0-9_-]+)(?:\s*\.\s*(?:"[^"]*"|'[^']*'|[A-Za-z0-9_-]+))*)\s*=/.exec(
        line,
      ) ?? [];
    if (name === undefined) return false;
    const full = [...tableOf(index), ...keysOf(name)];
    return (
      full[0] === top &&
      (full.length === 1 ||
        (full.length === 2 && full[1] === id) ||
        (tableOf(index).length < 2 && full[1] === id))
    );
  });
  if (!isInline) return;
  throw new HubError('conflict', `The file defines ${top} in a form that cannot be added to line by line.`, {
    hint: `Write it as tables ([${top}.name]), or add the entry by hand; --dry-run shows it.`,
  });
}
