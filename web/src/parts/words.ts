/** The words of a command line, as a shell would take them: what stands in quotes is one. */
export function wordsOf(line: string): string[] {
  return line.match(/"[^"]*"|'[^']*'|\S+/g)?.map((word) => word.replace(/^(["'])(.*)\1$/, '$2')) ?? [];
}

/** One of them, as it is written so that it stays one. */
export const quoteWord = (word: string): string => (/\s/.test(word) ? JSON.stringify(word) : word);
