/**
 * Rows of comma-separated values by the names in their first line. Quoted fields may hold commas, line breaks and
 * doubled quotes; a row that is shorter than the first line has its last fields empty.
 */
export function csvRows(
  text: string,
  onCutOff: () => void = () => undefined,
): Readonly<Record<string, string>>[] {
  const [names = [], ...rows] = csvLines(text, onCutOff);
  return rows.map((row) => Object.fromEntries(names.map((name, i) => [name.trim(), row[i] ?? ''])));
}

/** A field is either quoted, or ends at the next comma or line break. */
const FIELD = /(?:"([^"]*(?:""[^"]*)*)"|((?:[^",\r\n][^,\r\n]*)?))(,|\r?\n|\r|$)/y;

function csvLines(text: string, onCutOff: () => void): string[][] {
  const lines: string[][] = [];
  let line: string[] = [];
  FIELD.lastIndex = 0;
  while (FIELD.lastIndex < text.length) {
    const [, quoted, bare = '', end] = FIELD.exec(text) ?? [];
    // A quote that is never closed: what follows it belongs to nobody.
    if (end === undefined) {
      onCutOff();
      return lines;
    }
    line.push(quoted === undefined ? bare : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    lines.push(line);
    line = [];
  }
  // The last line ends in a comma, and in nothing behind it.
  if (line.length > 0) lines.push([...line, '']);
  return lines.filter((fields) => fields.length > 1 || fields[0] !== '');
}
