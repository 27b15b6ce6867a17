// What the two makers of pictures share: lines that fit, in characters that may stand in an SVG.

/** At most `wide` letters a row; what goes on stands further in. */
export function wrap(line, wide, indent) {
  const rows = [''];
  for (const part of line.split(/(?<= )/)) {
    if ((rows.at(-1) + part).trimEnd().length > wide) rows.push(`${indent}${part}`);
    else rows[rows.length - 1] += part;
  }
  return rows.map((row) => row.trimEnd());
}

export function escape(text) {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
