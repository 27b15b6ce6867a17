/** One word of a POSIX shell. Left bare only when nothing in it could mean anything. */
export function shellWord(text: string): string {
  if (/^[A-Za-z0-9_\-./:=@%+,]+$/.test(text)) return text;
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
