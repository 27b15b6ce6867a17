import { replaceUnseenInText, spell } from '../../kernel/unseen.ts';
import { paint, type Style } from './color.ts';

/** Tables for people: as wide as they need to be, never wider than the terminal. */
export type Column<R> = Readonly<{
  title: string;
  cell(row: R): string;
  /** May be cut with an ellipsis when the terminal is narrow. */
  flexible?: boolean;
  /** Left out while no row has anything in it. */
  rare?: boolean;
  style?(row: R): Style | undefined;
}>;

const GAP = '  ';
/** Below this a cut column says nothing any more. */
const LEGIBLE = 8;

/** A terminal too narrow for a legible table gets one block of lines per row, with nothing cut. */
export function renderTable<R>(
  all: readonly Column<R>[],
  rows: readonly R[],
  terminal: number | undefined,
): string {
  const columns = all.filter(({ rare, cell }) => !rare || rows.some((row) => cell(row) !== ''));
  const titles = columns.map(({ title }) => title);
  const body = rows.map((row) => columns.map((column) => printable(column.cell(row))));
  const cells = [titles, ...body];
  const natural = columns.map((_, i) => Math.max(...cells.map((line) => displayWidth(line[i]!))));
  const widths = terminal === undefined ? natural : fit(columns, natural, terminal);
  if (!widths) return body.map((line) => renderBlock(titles, line)).join('\n\n');
  const heading = lineOf(titles.map((text, i) => pad(text, widths[i]!)));
  const lines = body.map((line, at) =>
    lineOf(line.map((text, i) => painted(columns[i]!, rows[at]!, pad(text, widths[i]!)))),
  );
  const cut = titles.filter((_, i) => natural[i]! > widths[i]!);
  return [heading, ...lines, ...whatWasCut(cut, terminal)].join('\n');
}

function whatWasCut(titles: readonly string[], terminal: number | undefined): string[] {
  if (titles.length === 0) return [];
  const line = `cut: ${titles.join(', ')} (whole: --json)`;
  return [terminal === undefined ? line : clip(line, terminal)];
}

function lineOf(cells: readonly string[]): string {
  return cells.join(GAP).trimEnd();
}

/** Around the words alone: the spaces that fill a column are at the end of a line, and go. */
function painted<R>({ style }: Column<R>, row: R, cell: string): string {
  const text = cell.trimEnd();
  return `${paint(style?.(row), text)}${cell.slice(text.length)}`;
}

function renderBlock(titles: readonly string[], line: readonly string[]): string {
  const width = Math.max(...titles.map(displayWidth));
  return titles
    .map((title, i) => `${pad(title, width)}${GAP}${line[i]!}`)
    .filter((_, i) => line[i] !== '')
    .join('\n');
}

/** Takes what is missing from the flexible columns, widest first, and leaves the others whole. Undefined: it cannot be done. */
function fit(
  columns: readonly Readonly<{ flexible?: boolean }>[],
  natural: readonly number[],
  terminal: number,
): number[] | undefined {
  const widths = [...natural];
  const total = () => widths.reduce((sum, width) => sum + width, 0) + GAP.length * (widths.length - 1);
  while (total() > terminal) {
    const shrinkable = widths
      .map((width, i) => ({ width, i }))
      .filter(({ width, i }) => columns[i]!.flexible && width > LEGIBLE);
    const widest = shrinkable.sort((a, b) => b.width - a.width)[0];
    if (!widest) return undefined;
    widths[widest.i] = widest.width - 1;
  }
  return widths;
}

function pad(text: string, width: number): string {
  const cut = clip(text, width);
  return cut + ' '.repeat(Math.max(0, width - displayWidth(cut)));
}

/** What is too wide ends with an ellipsis. */
export function clip(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let out = '';
  let used = 0;
  for (const { segment } of graphemes.segment(text)) {
    const next = displayWidth(segment);
    if (used + next > width - 1) break;
    out += segment;
    used += next;
  }
  return `${out}…`;
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const WIDE =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}]/u;
const ASCII = /^[\x20-\x7e]*$/;

/** Columns a text takes in a terminal. */
export function displayWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

/** Text from agents must not move the cursor, recolour the terminal, fake a line or hide in one. */
export function printable(text: string): string {
  return replaceUnseenInText(text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim(), spell);
}
