// What is kept of a cited span, and of the file it stands in: hashes, by which it is known again. No text.
import { sha256 } from '../../../kernel/digest.ts';
import { mostLike } from './likeness.ts';
import { hashOf, hashOfText, isTelling, namesIn, type NormalLine, type NormalText } from './normal.ts';

export type SpanPrint = Readonly<{
  /** Length and rolling hash of the normal text, and the digest that decides. */
  length: number;
  roll: number;
  digest: string;
  /** Its telling lines; at most so many, evenly. */
  lines: readonly number[];
  /** The telling lines next to it, nearest first. */
  before: readonly number[];
  after: readonly number[];
  names: readonly number[];
  /** How often it stood in its file. */
  copies: number;
  /** The lines next to it, brackets too, nearest first: they tell one bracket from the next. */
  edges?: Readonly<{ above: readonly number[]; below: readonly number[] }> | undefined;
  /** How much the rest of its file was like it: what is no more like it than that is not what is left of it. */
  rival?: number | undefined;
}>;

/** The smallest hashes of its telling lines: the share that two files have in common is that of their lines. */
export type FileSketch = readonly number[];

const MOST_LINES = 40;
const MOST_NAMES = 32;
const NEIGHBOURS = 3;
const EDGES = 4;
const SKETCH = 64;
/** Enough of a sketch to know a file again that a span was in. */
export const OF_A_SPAN = 32;

/** Undefined where nothing stands on those lines. */
export function printOf(file: NormalText, { from, to }: LineRange): SpanPrint | undefined {
  const inside = file.lines.filter(({ no }) => no >= from && no <= to);
  const [first, last] = [inside[0], inside.at(-1)];
  if (!first || !last) return undefined;
  const text = file.text.slice(first.start, last.end);
  const roll = hashOf(file.prefix, first.start, last.end);
  const whole = { length: text.length, roll, digest: digestOf(text) };
  const above = file.lines.slice(0, file.lines.indexOf(first)).reverse();
  const below = file.lines.slice(file.lines.indexOf(last) + 1);
  const print = {
    ...whole,
    lines: evenly(inside.filter(isTelling), MOST_LINES).map(({ hash }) => hash),
    before: neighboursOf(above),
    after: neighboursOf(below),
    names: namesIn(text, MOST_NAMES),
    copies: placesOf(file, whole).length,
    edges: { above: above.slice(0, EDGES).map(hashOfLine), below: below.slice(0, EDGES).map(hashOfLine) },
  };
  const rest = { text: file.text, lines: [...above.reverse(), ...below] };
  return { ...print, rival: mostLike(rest, { from, to, print })?.share ?? 0 };
}

const hashOfLine = ({ hash }: NormalLine): number => hash;

export type LineRange = Readonly<{ from: number; to: number }>;
/** Where a span stands: `first` and `last` are places in `lines`. */
export type Stand = LineRange & Readonly<{ first: number; last: number }>;

function neighboursOf(lines: readonly NormalLine[]): number[] {
  return lines
    .filter(isTelling)
    .slice(0, NEIGHBOURS)
    .map(({ hash }) => hash);
}

function evenly<T>(all: readonly T[], most: number): T[] {
  if (all.length <= most) return [...all];
  return Array.from({ length: most }, (_, i) => all[Math.floor((i * all.length) / most)]!);
}

function digestOf(text: string): string {
  return sha256(text, 'base64url').slice(0, 16);
}

/** Wherever exactly this stands, from the beginning of a line to the end of one. */
export function placesOf(
  { text, lines, prefix }: NormalText,
  { length, roll, digest }: Pick<SpanPrint, 'length' | 'roll' | 'digest'>,
): Stand[] {
  const found: Stand[] = [];
  let last = 0;
  for (const [first, { start, no }] of lines.entries()) {
    const end = start + length;
    if (end > text.length) break;
    while (lines[last]!.end < end) last += 1;
    if (lines[last]!.end !== end || hashOf(prefix, start, end) !== roll) continue;
    if (digestOf(text.slice(start, end)) === digest)
      found.push({ from: no, to: lines[last]!.no, first, last });
  }
  return found;
}

export function sketchOf({ lines }: NormalText): FileSketch {
  const hashes = new Set(lines.filter(isTelling).map(({ hash }) => scramble(hash)));
  return [...hashes].sort((a, b) => a - b).slice(0, SKETCH);
}

/** How much of two files is the same, 0 to 1. Two that say nothing are the same. */
export function likeness(a: FileSketch, b: FileSketch): number {
  const size = Math.min(a.length, b.length);
  if (size === 0) return a.length === b.length ? 1 : 0;
  const [mine, theirs] = [new Set(a), new Set(b)];
  const least = [...new Set([...a, ...b])].sort((x, y) => x - y).slice(0, size);
  return least.filter((hash) => mine.has(hash) && theirs.has(hash)).length / size;
}

/** Polynomial hashes of like lines lie together: the smallest of them would be no fair sample. */
function scramble(hash: number): number {
  return hashOfText(String(hash));
}
