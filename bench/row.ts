/** One line of the table. The ratio is ours to the baseline of the same run; absolute figures are for orientation only. */
export type Row = Readonly<{
  what: string;
  ours: string;
  baseline: string;
  ratio: number;
  /** What the ratio must hold, as a person reads it and as it is checked. */
  hold?: Readonly<{ text: string; isHeld(ratio: number): boolean }>;
}>;

export const atMost = (limit: number) => ({ text: `≤ ${limit}`, isHeld: (ratio: number) => ratio <= limit });
export const atLeast = (limit: number) => ({ text: `≥ ${limit}`, isHeld: (ratio: number) => ratio >= limit });

export function printRows(title: string, rows: readonly Row[]): void {
  const table = [
    ['what', 'ours', 'baseline', 'ratio', 'hold', ''],
    ...rows.map((row) => [
      row.what,
      row.ours,
      row.baseline,
      row.ratio.toFixed(2),
      row.hold?.text ?? '',
      row.hold ? (row.hold.isHeld(row.ratio) ? 'ok' : 'MISSED') : '',
    ]),
  ];
  const widths = table[0]!.map((_, column) => Math.max(...table.map((line) => line[column]!.length)));
  console.log(`\n${title}`);
  for (const line of table)
    console.log(
      `  ${line
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd()}`,
    );
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}

export function p95(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)]!;
}
