// Lines of a stream of bytes, whatever comes: no line end for a gigabyte, broken UTF-8, NUL. A line that
// grows too long is not held in memory: its first bytes and its last ones are kept, and how many were lost
// between them.
export type ByteLine = Readonly<{
  head: Buffer;
  /** Bytes after `head` that were not kept; 0 for a whole line. */
  lost: number;
  /** The last bytes of a line that is not whole. */
  tail: Buffer;
}>;

export interface LineSplitter {
  readonly push: (chunk: Buffer) => void;
  /** The input is over: a last line may lack its line end. */
  readonly end: () => void;
}

export type LineBounds = Readonly<{
  /** A line with more bytes is not whole. */
  most: number;
  /** So much of the beginning of one is kept; all that is allowed unless given. */
  kept?: number;
}>;

const TAIL = 2_048;
const NEWLINE = 0x0a;
const NOTHING = Buffer.alloc(0);

export function splitBytes(
  { most, kept = most }: LineBounds,
  onLine: (line: ByteLine) => void,
): LineSplitter {
  let parts: Buffer[] = [];
  let bytes = 0;
  /** Set once the line is longer than allowed. */
  let head: Buffer | undefined;

  function hold(part: Buffer): void {
    if (part.length === 0) return;
    bytes += part.length;
    parts.push(part);
    if (bytes <= most) return;
    const all = Buffer.concat(parts);
    head ??= Buffer.from(all.subarray(0, kept));
    parts = [Buffer.from(all.subarray(-TAIL))];
  }

  function release(): void {
    const rest = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
    const line = head
      ? { head, lost: bytes - head.length, tail: rest }
      : { head: rest, lost: 0, tail: NOTHING };
    parts = [];
    bytes = 0;
    head = undefined;
    onLine(line);
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
    end() {
      if (bytes > 0) release();
    },
  };
}
