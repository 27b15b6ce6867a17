/**
 * What git prints, cut before each line that looks so. What git ends a line with is all that ends one: `^` of a pattern would
 * begin another one behind a CR or U+2028 in somebody's file as well. A line of a file comes with a sign in front of it, so that no
 * content looks like the beginning of a piece.
 */
export function piecesOf(text: string, begin: RegExp): string[] {
  return text.split(new RegExp(String.raw`(?<=\n)(?=${begin.source})`));
}
