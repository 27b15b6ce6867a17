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
  /** What ends a line: a line end unless given. */
  separator?: number;
}>;

const TAIL = 2_048;
const NEWLINE = 0x0a;
const NOTHING = Buffer.alloc(0);

export function splitBytes(bounds: LineBounds, onLine: (line: ByteLine) => void): LineSplitter {
  const held = holdLines(bounds);
  return {
    push(chunk) {
      for (const line of held.take(chunk)) onLine(line);
    },
    end() {
      for (const line of held.rest()) onLine(line);
    },
  };
}

/** The same for who asks for lines. What is held of a chunk is not copied: each is a buffer of its own. */
export function* linesIn(chunks: Iterable<Buffer>, bounds: LineBounds): Generator<ByteLine> {
  const held = holdLines(bounds);
  for (const chunk of chunks) yield* held.take(chunk);
  yield* held.rest();
}

export async function* linesFrom(
  chunks: AsyncIterable<Buffer>,
  bounds: LineBounds,
): AsyncGenerator<ByteLine> {
  const held = holdLines(bounds);
  for await (const chunk of chunks) yield* held.take(chunk);
  yield* held.rest();
}

function holdLines({ most, kept = most, separator = NEWLINE }: LineBounds) {
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

  function release(): ByteLine {
    const rest = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
    const line = head
      ? { head, lost: bytes - head.length, tail: rest }
      : { head: rest, lost: 0, tail: NOTHING };
    parts = [];
    bytes = 0;
    head = undefined;
    return line;
  }

  return {
    *take(chunk: Buffer): Generator<ByteLine> {
      let start = 0;
      for (let end = chunk.indexOf(separator); end !== -1; end = chunk.indexOf(separator, start)) {
        hold(chunk.subarray(start, end));
        yield release();
        start = end + 1;
      }
      hold(chunk.subarray(start));
    },
    *rest(): Generator<ByteLine> {
      if (bytes > 0) yield release();
    },
  };
}
