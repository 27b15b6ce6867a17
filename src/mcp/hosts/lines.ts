import { isUtf8 } from 'node:buffer';
import { type LineSplitter, splitBytes } from '../../kernel/byte-lines.ts';

/** One line of input, or why there is none to read. */
export type InputLine = Readonly<{ text: string } | { problem: 'too long' | 'not UTF-8' }>;

const MAX_LINE = 10 * 1024 * 1024;

/** Messages, one per line. One over the limit is dropped as it arrives; empty lines are not lines. */
export function createLineSplitter(onLine: (line: InputLine) => void, limit = MAX_LINE): LineSplitter {
  return splitBytes({ most: limit, kept: 0 }, ({ head, lost }) => {
    if (lost > 0) onLine({ problem: 'too long' });
    else if (head.length > 0)
      onLine(isUtf8(head) ? { text: head.toString('utf8') } : { problem: 'not UTF-8' });
  });
}
