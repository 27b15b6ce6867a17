const NAMED: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};

/** Text without entities of HTML, in one pass; `instead` stands for a number that is no character. */
export function decodeEntities(text: string, instead: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]{1,6});?|#(\d{1,7});?|(lt|gt|amp|quot|apos|nbsp);)/gi,
    (_, hex?: string, digits?: string, name?: string) =>
      name === undefined
        ? characterOf(hex === undefined ? Number(digits) : parseInt(hex, 16), instead)
        : NAMED[name.toLowerCase()]!,
  );
}

export function characterOf(code: number, instead: string): string {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : instead;
}
