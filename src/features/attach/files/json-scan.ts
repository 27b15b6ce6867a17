/**
 * Reads just enough of a JSON settings file to know where things stand in its text. Clients allow more than JSON: comments, trailing
 * commas, and with OpenClaw bare keys and single quotes. Offsets count in the text as given, so that an edit touches nothing else.
 */
export type TextSpan = Readonly<{ start: number; end: number }>;

export type ObjectSpan = TextSpan & Readonly<{ members: readonly MemberSpan[] }>;
export type ArraySpan = TextSpan & Readonly<{ elements: readonly TextSpan[] }>;

export type MemberSpan = Readonly<{
  key: string;
  start: number;
  valueStart: number;
  /** Just behind the value. */
  end: number;
  /** When the value is an object. */
  object: ObjectSpan | undefined;
  /** When it is a list. */
  array: ArraySpan | undefined;
}>;

type Value = Readonly<{ object?: ObjectSpan; array?: ArraySpan }>;

/** No client nests its settings nearly so deep; what does is no settings file, and would end our stack. */
const DEEPEST = 500;

export class NotReadable extends Error {
  override readonly name = 'NotReadable';
}

/** The object the file consists of. Throws NotReadable with the line at fault. */
export function scanJson(text: string): ObjectSpan {
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  let depth = 0;

  function fail(wanted: string): never {
    throw new NotReadable(`line ${text.slice(0, at).split('\n').length}: expected ${wanted}`);
  }

  function skip(): void {
    for (;;) {
      const [blank] = /^(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)/.exec(text.slice(at, at + 65_536)) ?? [];
      if (blank === undefined) return;
      at += blank.length;
    }
  }

  function quoted(): string {
    const quote = text[at]!;
    const start = at;
    for (at += 1; at < text.length && text[at] !== quote; at += 1) if (text[at] === '\\') at += 1;
    if (at >= text.length) fail(`a closing ${quote}`);
    at += 1;
    const raw = text.slice(start, at);
    if (quote === '"') return readString(raw);
    return readString(`"${raw.slice(1, -1).replaceAll(`\\'`, "'").replaceAll('"', '\\"')}"`);
  }

  function readString(raw: string): string {
    try {
      return JSON.parse(raw) as string;
    } catch {
      return fail('a string');
    }
  }

  function key(): string {
    if (text[at] === '"' || text[at] === "'") return quoted();
    const [name] = /^[\p{L}_$][\p{L}\p{N}_$-]*/u.exec(text.slice(at, at + 256)) ?? [];
    if (name === undefined) return fail('a key');
    at += name.length;
    return name;
  }

  function value(): Value {
    if (text[at] === '{' || text[at] === '[') return nested();
    if (text[at] === '"' || text[at] === "'") {
      quoted();
      return {};
    }
    const [word] = /^[^\s,\]}/]+/.exec(text.slice(at, at + 256)) ?? [];
    if (word === undefined) fail('a value');
    at += word.length;
    return {};
  }

  function nested(): Value {
    if (depth === DEEPEST) fail(`at most ${DEEPEST} levels`);
    depth += 1;
    const found = text[at] === '{' ? { object: object() } : { array: array() };
    depth -= 1;
    return found;
  }

  function array(): ArraySpan {
    const start = at;
    const elements: TextSpan[] = [];
    at += 1;
    for (skip(); text[at] !== ']'; skip()) {
      const elementStart = at;
      value();
      elements.push({ start: elementStart, end: at });
      skip();
      if (text[at] === ',') at += 1;
      else if (text[at] !== ']') fail('a comma or ]');
    }
    at += 1;
    return { start, end: at, elements };
  }

  function object(): ObjectSpan {
    const start = at;
    const members: MemberSpan[] = [];
    at += 1;
    for (skip(); text[at] !== '}'; skip()) {
      const memberStart = at;
      const name = key();
      skip();
      if (text[at] !== ':') fail('a colon');
      at += 1;
      skip();
      const valueStart = at;
      const { object: inner, array: list } = value();
      members.push({ key: name, start: memberStart, valueStart, end: at, object: inner, array: list });
      skip();
      if (text[at] === ',') at += 1;
      else if (text[at] !== '}') fail('a comma or }');
    }
    at += 1;
    return { start, end: at, members };
  }

  skip();
  if (text[at] !== '{') fail('an object');
  const whole = object();
  skip();
  if (at < text.length) fail('nothing more');
  return whole;
}
