/** Whole lines out of chunks. A line that grows too long is not kept: only its ends are, which say whose answer it was. */
export type LineReader = Readonly<{ take(chunk: Buffer): void }>;

export type Lines = Readonly<{
  maxBytes: number;
  onLine(line: string): void;
  onTooLong(ends: Readonly<{ head: string; tail: string; bytes: number }>): void;
}>;

const ENDS = 2_048;
const NEWLINE = 10;

export function createLineReader({ maxBytes, onLine, onTooLong }: Lines): LineReader {
  let parts: Buffer[] = [];
  let bytes = 0;
  let head: Buffer | undefined;

  function add(part: Buffer): void {
    bytes += part.length;
    parts.push(part);
    if (bytes <= maxBytes) return;
    const kept = Buffer.concat(parts);
    head ??= Buffer.from(kept.subarray(0, ENDS));
    parts = [Buffer.from(kept.subarray(-ENDS))];
  }

  function end(): void {
    const line = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
    if (head) onTooLong({ head: head.toString('utf8'), tail: line.toString('utf8'), bytes });
    else if (bytes > 0) onLine(line.toString('utf8'));
    parts = [];
    bytes = 0;
    head = undefined;
  }

  return {
    take(chunk) {
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
        add(chunk.subarray(from, at));
        end();
        from = at + 1;
      }
      if (from < chunk.length) add(chunk.subarray(from));
    },
  };
}

/** The id of the message that a cut line was; undefined when its ends do not tell. */
export function idInEnds({
  head,
  tail,
}: Readonly<{ head: string; tail: string }>): string | number | undefined {
  const found =
    /^\s*\{\s*"jsonrpc"\s*:\s*"2\.0"\s*,\s*"id"\s*:\s*("[^"\\]{1,200}"|-?\d{1,15})\s*,/.exec(head) ??
    /"id"\s*:\s*("[^"\\]{1,200}"|-?\d{1,15})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(tail);
  return found ? (JSON.parse(found[1]!) as string | number) : undefined;
}
