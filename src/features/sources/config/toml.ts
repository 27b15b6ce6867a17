/**
 * As much of TOML as files of clients use: tables, keys, strings, numbers, booleans, lists and inline tables. What it does
 * not know it leaves out; nothing is ever written from it.
 */
export function readToml(text: string): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  let table = root;
  for (const line of joinLists(text)) {
    const header = /^\[\s*([^[\]]+?)\s*\]$/.exec(line);
    if (header) table = tableAt(root, keysOf(header[1]!));
    const pair = header ? null : /^((?:[\w.-]|"[^"]*"|'[^']*')+)\s*=\s*(.+)$/s.exec(line);
    if (!pair) continue;
    const keys = keysOf(pair[1]!);
    tableAt(table, keys.slice(0, -1))[keys.at(-1)!] = valueOf(pair[2]!.trim());
  }
  return root;
}

/** A list may go over several lines. */
function joinLists(text: string): string[] {
  const lines: string[] = [];
  let open = '';
  for (const raw of text.split(/\r?\n/)) {
    const line = withoutComment(raw).trim();
    if (line === '') continue;
    open = open === '' ? line : `${open} ${line}`;
    if (balance(open) > 0 && open.includes('=')) continue;
    lines.push(open);
    open = '';
  }
  return lines;
}

const QUOTED = /"(?:[^"\\]|\\.)*"|'[^']*'/g;

function withoutComment(line: string): string {
  const bare = line.replace(QUOTED, (quoted) => ' '.repeat(quoted.length));
  const at = bare.indexOf('#');
  return at < 0 ? line : line.slice(0, at);
}

function balance(text: string): number {
  const bare = text.replace(QUOTED, '');
  return (bare.match(/[[{]/g)?.length ?? 0) - (bare.match(/[\]}]/g)?.length ?? 0);
}

function keysOf(path: string): string[] {
  return [...path.matchAll(/"([^"]*)"|'([^']*)'|([\w-]+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare!,
  );
}

function tableAt(root: Record<string, unknown>, keys: readonly string[]): Record<string, unknown> {
  let here = root;
  for (const key of keys) {
    const next = Object.hasOwn(here, key) ? here[key] : undefined;
    here = (
      next !== null && typeof next === 'object' ? next : (here[key] = Object.create(null) as object)
    ) as Record<string, unknown>;
  }
  return here;
}

function valueOf(text: string): unknown {
  if (text.startsWith('"')) return unquoted(text);
  if (text.startsWith("'")) return text.slice(1, -1);
  if (text.startsWith('[')) return parts(text.slice(1, -1)).map(valueOf);
  if (text.startsWith('{')) {
    const pairs = parts(text.slice(1, -1)).map((part) => {
      const at = part.indexOf('=');
      return [keysOf(part.slice(0, at))[0] ?? '', valueOf(part.slice(at + 1).trim())] as const;
    });
    return Object.fromEntries(pairs);
  }
  if (text === 'true' || text === 'false') return text === 'true';
  return Number.isNaN(Number(text)) ? text : Number(text);
}

function unquoted(text: string): string {
  try {
    return JSON.parse(text) as string;
  } catch {
    return text.slice(1, -1);
  }
}

/** Split at commas that stand neither in quotes nor in brackets. */
function parts(text: string): string[] {
  const found: string[] = [];
  let from = 0;
  const bare = text.replace(QUOTED, (quoted) => ' '.repeat(quoted.length));
  let depth = 0;
  for (let at = 0; at <= bare.length; at += 1) {
    const sign = bare[at];
    if (sign === '[' || sign === '{') depth += 1;
    if (sign === ']' || sign === '}') depth -= 1;
    if (at < bare.length && (sign !== ',' || depth > 0)) continue;
    const part = text.slice(from, at).trim();
    if (part !== '') found.push(part);
    from = at + 1;
  }
  return found;
}
