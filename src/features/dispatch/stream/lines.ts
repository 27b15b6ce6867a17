import { type LineSplitter, splitBytes } from '../../../kernel/byte-lines.ts';

/** A line that an agent printed. */
export type OutputLine = Readonly<{ text: string; /** Bytes of it that were not kept. */ lost: number }>;

/** So much of one line is kept in memory, to be understood; what is stored of it is far less. */
const MOST_KEPT = 8 * 1024 * 1024;

export function splitLines(hear: (line: OutputLine) => void, most = MOST_KEPT): LineSplitter {
  return splitBytes({ most }, ({ head, lost }) => {
    const text = head.toString('utf8').replace(/\r$/, '').replaceAll('\0', '\uFFFD');
    hear({ text, lost });
  });
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
