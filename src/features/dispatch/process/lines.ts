/** Lines of a stream of bytes, whatever comes: no line end for a gigabyte, broken UTF-8, NUL. */
export type OutputLine = Readonly<{ text: string; /** Bytes of it that were not kept. */ lost: number }>;

export interface OutputSplitter {
  add(chunk: Buffer): void;
  /** What stands after the last line end. */
  end(): void;
}

/** So much of one line is kept in memory, to be understood; what is stored of it is far less. */
const MOST_KEPT = 8 * 1024 * 1024;

export function splitLines(hear: (line: OutputLine) => void, most = MOST_KEPT): OutputSplitter {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let waiting: string[] = [];
  let kept = 0;
  let lost = 0;

  function keep(text: string): void {
    const room = most - kept;
    if (text.length > room) {
      lost += text.length - Math.max(0, room);
      if (room > 0) waiting.push(text.slice(0, room));
      kept = most;
    } else if (text !== '') {
      waiting.push(text);
      kept += text.length;
    }
  }

  function emit(): void {
    const text = waiting.join('').replace(/\r$/, '').replaceAll('\0', '\uFFFD');
    const line = { text, lost };
    waiting = [];
    kept = 0;
    lost = 0;
    hear(line);
  }

  function take(text: string): void {
    let from = 0;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', from)) {
      keep(text.slice(from, at));
      emit();
      from = at + 1;
    }
    keep(text.slice(from));
  }

  return {
    add: (chunk) => take(decoder.decode(chunk, { stream: true })),
    end() {
      take(decoder.decode());
      if (kept > 0 || lost > 0) emit();
    },
  };
}

const MOST_STORED = 64 * 1024;

/** A line as it is stored: at most 64 KB, with a word about the rest. */
export function cutLine({ text, lost }: OutputLine): string {
  if (lost === 0 && text.length <= MOST_STORED / 4) return text;
  const bytes = Buffer.from(text);
  const over = bytes.length - MOST_STORED + lost;
  if (lost === 0 && over <= 0) return text;
  // The last character may have been cut in two.
  const head = bytes
    .subarray(0, MOST_STORED)
    .toString()
    .replace(/\uFFFD$/, '');
  return `${head}[… ${over} bytes cut]`;
}
