import { type LineSplitter, splitBytes } from '../../kernel/byte-lines.ts';

type Ends = Readonly<{ head: string; tail: string }>;

export type Lines = Readonly<{
  maxBytes: number;
  onLine(line: string): void;
  onTooLong(ends: Ends & Readonly<{ bytes: number }>): void;
}>;

const HEAD = 2_048;

/** Messages of a server, one per line. One that is too long is not kept: only its ends are, which say whose answer it was. */
export function createLineReader({ maxBytes, onLine, onTooLong }: Lines): LineSplitter {
  return splitBytes({ most: maxBytes, kept: HEAD }, ({ head, lost, tail }) => {
    const text = head.toString('utf8');
    if (lost > 0) onTooLong({ head: text, tail: tail.toString('utf8'), bytes: head.length + lost });
    else if (text !== '') onLine(text);
  });
}

/** The id of the message that a cut line was; undefined when its ends do not tell. */
export function idInEnds({ head, tail }: Ends): string | number | undefined {
  const found =
    /^\s*\{\s*"jsonrpc"\s*:\s*"2\.0"\s*,\s*"id"\s*:\s*("[^"\\]{1,200}"|-?\d{1,15})\s*,/.exec(head) ??
    /"id"\s*:\s*("[^"\\]{1,200}"|-?\d{1,15})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(tail);
  return found ? (JSON.parse(found[1]!) as string | number) : undefined;
}
