// Where in a project a span stands that is no longer in its file, and where a file went that is no longer there.
import type { StoredCite } from './cite.ts';
import { mostLike } from './likeness.ts';
import { isTelling } from './normal.ts';
import { type FileSketch, likeness, type LineRange, placesOf, sketchOf } from './print.ts';
import { foundIn, standingIn } from './stand.ts';
import type { Tree } from './tree.ts';

/** Every file of a tree by its telling lines: made in one walk, asked for many spans, and let go. */
export type Survey = Readonly<{
  byLine: ReadonlyMap<number, readonly string[]>;
  sketches: ReadonlyMap<string, FileSketch>;
}>;

export type Settled = Readonly<{
  state: 'fresh' | 'moved' | 'changed' | 'gone';
  path?: string;
  now?: LineRange;
}>;

const AT_ONCE = 16;
/** A line that stands in so many files leads nowhere. */
const COMMON = 50;
/** Below, two files have nothing to do with each other. */
const SAME_FILE = 0.5;
/** Names and lines of a span, each a share of 1: with so much of both it is that span in another file. */
const SAME_SPAN = 1.2;
const MOST_LOOKED_AT = 5;
/** A shorter span stands in many places by chance. */
const SHORTEST = 24;

export async function surveyOf(tree: Tree): Promise<Survey> {
  const byLine = new Map<number, string[]>();
  const sketches = new Map<string, FileSketch>();
  const waiting = [...(await tree.list())];
  async function walk(): Promise<void> {
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      const file = await tree.read(path);
      if (!file) continue;
      sketches.set(path, sketchOf(file));
      for (const hash of new Set(file.lines.filter(isTelling).map((line) => line.hash))) {
        const known = byLine.get(hash);
        if (!known) byLine.set(hash, [path]);
        else if (known.length < COMMON) known.push(path);
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, walk));
  return { byLine, sketches };
}

/** What becomes of a citation when all of the project is known. */
export async function settle(tree: Tree, cite: StoredCite, survey: () => Promise<Survey>): Promise<Settled> {
  const file = await tree.read(cite.path);
  const here = file && standingIn(file, cite);
  if (here && (here.state === 'fresh' || here.state === 'moved' || !cite.print)) return here;
  const all = await survey();
  const elsewhere = cite.print && (await movedTo(tree, cite, all));
  if (elsewhere) return elsewhere;
  if (here && here.state !== 'gone') return here;
  const parts = cite.print && (await partsIn(tree, cite, all));
  if (here) return parts ?? here;
  const path = await renamedTo(tree, cite, all);
  const other = path === undefined ? undefined : await tree.read(path);
  if (path === undefined || !other) return parts ?? { state: 'gone' };
  if (!cite.print) return { state: 'moved', path, now: { from: 1, to: other.count } };
  const there = standingIn(other, cite);
  if (there.state === 'gone') return parts ?? there;
  const isSame = there.state === 'fresh' || there.state === 'moved';
  return { ...there, state: isSame ? 'moved' : 'changed', path, now: there.now ?? cite };
}

/** The same text in another file that did not have it before. */
async function movedTo(tree: Tree, cite: StoredCite, { byLine }: Survey): Promise<Settled | undefined> {
  const { print, path: own, commit } = cite;
  if (!print || print.copies > 1 || print.length < SHORTEST) return undefined;
  const lists = print.lines.map((hash) => byLine.get(hash) ?? []);
  // A rewrapped span has other lines; its text is looked for where most of the file is.
  const rarest = lists.filter((list) => list.length < COMMON).sort((a, b) => a.length - b.length)[0] ?? [];
  const candidates = rarest
    .filter((path) => path !== own)
    .sort((a, b) => nearness(b, own) - nearness(a, own));
  for (const path of candidates) {
    const file = await tree.read(path);
    const place = file && foundIn(file, cite);
    if (!file || !place || placesOf(file, print).length > 1) continue;
    const before = commit === undefined ? undefined : await tree.readAt(commit, path);
    if (before && placesOf(before, print).length > 0) continue;
    return { state: 'moved', path, now: { from: place.from, to: place.to } };
  }
  return undefined;
}

/** Most of its lines in another file that had none of them before: it went there, and was edited. */
async function partsIn(tree: Tree, cite: StoredCite, { byLine }: Survey): Promise<Settled | undefined> {
  const { path: own, commit, from, to } = cite;
  const print = cite.print!;
  const held = new Map<string, number>();
  for (const hash of print.lines) {
    const paths = byLine.get(hash) ?? [];
    if (paths.length < COMMON) for (const path of paths) held.set(path, (held.get(path) ?? 0) + 1);
  }
  const candidates = [...held]
    .filter(([path, count]) => path !== own && count >= SAME_FILE * print.lines.length)
    .sort(([a, some], [b, others]) => others - some || nearness(b, own) - nearness(a, own));
  for (const [path] of candidates.slice(0, MOST_LOOKED_AT)) {
    const [file, before] = [await tree.read(path), commit && (await tree.readAt(commit, path))];
    const best = file && mostLike(file, { from, to, print });
    if (!best || best.share < SAME_SPAN) continue;
    if (before && (mostLike(before, { from, to, print })?.share ?? 0) >= best.share) continue;
    const [first, last] = [file.lines[best.first]!, file.lines[best.last]!];
    return { state: 'changed', path, now: { from: first.no, to: last.no } };
  }
  return undefined;
}

/** As git knows it, or the file that is most like it and is new. */
async function renamedTo(tree: Tree, cite: StoredCite, { sketches }: Survey): Promise<string | undefined> {
  const told = cite.commit === undefined ? undefined : await tree.renamed(cite.commit, cite.path);
  if (told !== undefined) return told;
  const alike = [...sketches]
    .map(([path, sketch]) => ({ path, share: likeness(cite.sketch ?? [], sketch) }))
    .filter(({ share }) => share >= SAME_FILE)
    .sort((a, b) => b.share - a.share);
  for (const { path } of alike)
    if (cite.commit === undefined || !(await tree.readAt(cite.commit, path))) return path;
  return undefined;
}

/** The same name first, then the nearest folder. */
function nearness(path: string, own: string): number {
  const [a, b] = [path.split('/'), own.split('/')];
  const shared = a.findIndex((part, i) => part !== b[i]);
  return (a.at(-1) === b.at(-1) ? 100 : 0) + (shared === -1 ? a.length : shared);
}
