/** The git of the hub is its own: whoever starts another one starts what a repository tells it to. */
const STARTS = [/\bchild_process\b[^]*\(\s*['"`]git['"`]\s*,/, /\b(?:command|program):\s*['"`]git\b/];

export function modulesThatStartGit(sources: readonly Readonly<{ path: string; text: string }>[]): string[] {
  return sources.filter(({ text }) => STARTS.some((start) => start.test(text))).map(({ path }) => path);
}
