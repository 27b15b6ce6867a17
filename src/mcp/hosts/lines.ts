import { isUtf8 } from 'node:buffer';

/** One line of input, or why there is none to read. */
export type InputLine = Readonly<{ text: string } | { problem: 'too long' | 'not UTF-8' }>;

export interface LineSplitter {
  readonly push: (chunk: Buffer) => void;
  /** The input is over: a last line may lack its newline. */
  end(): void;
}

const MAX_LINE = 10 * 1024 * 1024;

const NEWLINE = 0x0a;

/**
 * Splits a byte stream at newlines. A line over the limit is dropped as it arrives, never held in
 * memory, and splitting goes on with the next one. Empty lines are not lines.
 */
export function createLineSplitter(onLine: (line: InputLine) => void, limit = MAX_LINE): LineSplitter {
  let parts: Buffer[] = [];
  let length = 0;
  let isTooLong = false;

  function hold(bytes: Buffer): void {
    if (isTooLong || bytes.length === 0) return;
    length += bytes.length;
    isTooLong = length > limit;
    if (isTooLong) parts = [];
    else parts.push(bytes);
  }

  function release(): void {
    if (isTooLong) onLine({ problem: 'too long' });
    else if (length > 0) onLine(decode(parts.length === 1 ? parts[0]! : Buffer.concat(parts)));
    parts = [];
    length = 0;
    isTooLong = false;
  }

  return {
    push(chunk) {
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
        hold(chunk.subarray(start, end));
        release();
        start = end + 1;
      }
      hold(chunk.subarray(start));
    },
    end: release,
  };
}

function decode(bytes: Buffer): InputLine {
  return isUtf8(bytes) ? { text: bytes.toString('utf8') } : { problem: 'not UTF-8' };
}
