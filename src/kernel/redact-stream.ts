import { REDACTED, redact } from './redact.ts';

/**
 * Text that comes in parts and is stored part by part. A secret that begins in one part and goes on in the next would be
 * whole in neither, so the end of a part is held back until what follows it is known. What is held is bounded, in size
 * and, by whoever calls `flush` after a while, in time.
 */
export interface SeamMask<T> {
  add(text: string, of: T): void;
  /** Nothing is known to follow: what is held goes out. */
  flush(): void;
  readonly isHolding: boolean;
}

/** `lines` end with a line end that their text has not; `pieces` follow each other without anything between. */
export type Seams = 'lines' | 'pieces';

type Held<T> = Readonly<{
  text: string;
  of: T;
  /** What stood before it, as far as it matters. */
  before: string;
  /** Where the word begins that may go on. */
  from: number;
}>;

const MOST_HELD = 4_096;
/** What stands before a word says what the word is: `password: `, `Bearer `. */
const BEFORE = 80;
/** A shorter end of a line is not worth waiting for, nor is one that is a plain word. */
const SHORTEST_END = 6;
const PLAIN_WORD = /^\W*[A-Za-z]?[a-z]*\W*$/;

export function createSeamMask<T>(parts: Seams, emit: (text: string, of: T) => void): SeamMask<T> {
  const block = followBlock(parts);
  let held: Held<T>[] = [];
  let heldSize = 0;
  let before = '';

  function settle(head: string): boolean {
    if (held.length === 0) return false;
    const words = [...held.map(({ text, from }) => text.slice(from)), ...(head === '' ? [] : [head])];
    const whole = words.join('');
    const apart = redact(before) + words.map(redact).join('');
    const isOver = parts === 'lines' && PLAIN_WORD.test(head) && redact(words[0]!) !== words[0];
    const isOneSecret = !isOver && redact(before + whole) !== apart;
    for (const [i, each] of held.entries()) {
      const shown = redactAfter(each.before, isOneSecret ? each.text.slice(0, each.from) : each.text);
      emit(isOneSecret && i === 0 ? `${shown}${REDACTED}` : shown, each.of);
    }
    held = [];
    before = isOneSecret ? '' : soFar(before + whole.slice(0, whole.length - head.length));
    return isOneSecret;
  }

  function soFar(text: string): string {
    return parts === 'lines' ? '' : text.slice(-BEFORE);
  }

  function mayGoOn(end: string): boolean {
    if (end === '') return false;
    return parts === 'pieces' || (end.length >= SHORTEST_END && !PLAIN_WORD.test(end));
  }

  return {
    add(given, of) {
      const text = block.mask(given);
      if (text === undefined) {
        settle('');
        before = '';
        return emit(REDACTED, of);
      }
      const head = /^\S{1,4096}/.exec(text)?.[0] ?? '';
      if (held.length > 0 && head === text && heldSize + text.length <= MOST_HELD) {
        heldSize += text.length;
        return void held.push({ text, of, before: '', from: 0 });
      }
      const rest = settle(head) ? text.slice(head.length) : text;
      const end = lastWord(rest);
      const one = { text: rest, of, before, from: rest.length - end.length };
      before = soFar(before + rest.slice(0, one.from));
      if (mayGoOn(end)) {
        held.push(one);
        heldSize = end.length;
      } else emit(redactAfter(one.before, rest), of);
    },
    flush: () => void settle(''),
    get isHolding() {
      return held.length > 0;
    },
  };
}

/** What a text shows when this stood before it: the name of a value may be there. */
function redactAfter(before: string, text: string): string {
  const [head, whole] = [redact(before), redact(before + text)];
  return whole.startsWith(head) ? whole.slice(head.length) : redact(text);
}

function lastWord(text: string): string {
  return /\S+$/.exec(text.slice(-MOST_HELD))?.[0] ?? '';
}

const BEGIN = /-----BEGIN [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----/g;
const END = /-----END [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----/;
/** As far as a key reaches whose end never comes. */
const LONGEST_BLOCK = 16_384;
const LONGEST_MARK = 80;
/** Lines inside a key: what base64 and its headers are made of, with whatever a pager or a log puts before it. */
const BODY =
  /^(?:[^A-Za-z]{0,16}[A-Za-z0-9+/=]*\s*|.{0,40}[\s:|>][A-Za-z0-9+/=]{16,}\s*|[A-Z][\w-]{2,20}: .{0,200})$/;

/** A private key that began in one part hides the parts after it, until it ends. `undefined`: all of it is hidden. */
function followBlock(parts: Seams): Readonly<{ mask(text: string): string | undefined }> {
  let left = 0;
  let recent = '';

  function look(text: string): void {
    const seen = parts === 'lines' ? text : recent + text;
    recent = parts === 'lines' ? '' : seen.slice(-LONGEST_MARK);
    const last = [...seen.matchAll(BEGIN)].at(-1);
    if (last && !END.test(seen.slice(last.index))) left = LONGEST_BLOCK;
  }

  return {
    mask(text) {
      if (left <= 0) {
        look(text);
        return text;
      }
      const seen = parts === 'lines' ? text : recent + text;
      const end = END.exec(seen);
      left -= text.length + 1;
      recent = parts === 'lines' ? '' : seen.slice(-LONGEST_MARK);
      if (!end && (parts === 'pieces' || BODY.test(text))) return undefined;
      left = 0;
      recent = '';
      if (!end) return text;
      const rest = seen.slice(end.index + end[0].length);
      look(rest);
      return `${REDACTED}${rest}`;
    },
  };
}

/** A text of many lines, also where a secret was broken by a line end. */
export function redactLines(text: string): string {
  const shown: string[] = [];
  const mask = createSeamMask<undefined>('lines', (line) => shown.push(line));
  for (const line of text.split('\n')) mask.add(line, undefined);
  mask.flush();
  return redact(shown.join('\n'));
}
