// Random edits of a real repository, made on disk and in a model that knows every line by its own number. So what became
// of a span is known without looking at any text, and can be compared with what citations say.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** `text` as it stands; `isEdited`: it says something else than at first. */
type ModelLine = { readonly id: number; text: string; isEdited: boolean };
export type Model = Map<string, ModelLine[]>;

export type Random = Readonly<{
  below(limit: number): number;
  pick<T>(all: readonly T[]): T;
  chance(share: number): boolean;
}>;

/** The same numbers for the same seed. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return { below, pick: (all) => all[below(all.length)]!, chance: (share) => next() < share };
}

let lastId = 0;
const line = (text: string): ModelLine => ({ id: (lastId += 1), text, isEdited: false });

export function modelOf(files: ReadonlyMap<string, string>): Model {
  return new Map([...files].map(([path, text]) => [path, text.replace(/\n$/, '').split('\n').map(line)]));
}

export const copyOf = (model: Model): Model =>
  new Map([...model].map(([path, lines]) => [path, lines.map((each) => ({ ...each }))]));

export function writeModel(root: string, model: Model, before: Model): void {
  for (const path of before.keys()) if (!model.has(path)) rmSync(join(root, path), { force: true });
  for (const [path, lines] of model) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), `${lines.map(({ text }) => text).join('\n')}\n`);
  }
}

/** Where the edit should be: around this span, so that it matters. */
export type Target = Readonly<{ path: string; ids: readonly number[] }>;

type Edit = (model: Model, target: Target, random: Random) => void;

const fileWith = (model: Model, ids: readonly number[]): string | undefined =>
  [...model].find(([, lines]) => lines.some(({ id }) => ids.includes(id)))?.[0];

function spanIn(model: Model, { ids }: Target) {
  const path = fileWith(model, ids);
  const lines = path === undefined ? undefined : model.get(path)!;
  const first = lines?.findIndex(({ id }) => ids.includes(id)) ?? -1;
  const last = lines?.findLastIndex(({ id }) => ids.includes(id)) ?? -1;
  return path === undefined || first === -1 ? undefined : { path, lines: lines!, first, last };
}

const NEW_LINES = [
  'const added = compute(left, right);',
  '// What follows is only for the first call.',
  'if (options.isVerbose) log.info("one more", { count });',
  'export function somethingNew(value: number): number {',
  '  return value * 2 + offset;',
  '}',
  'import { other } from "./other.ts";',
  'this.cache.set(key, entry);',
];

const newLines = (random: Random): ModelLine[] =>
  Array.from({ length: 1 + random.below(6) }, () =>
    line(`${random.pick(NEW_LINES)} // ${random.below(10_000)}`),
  );

function changeText({ text }: ModelLine, random: Random): string {
  const words = [...text.matchAll(/[A-Za-z]{3,}|\d+/g)];
  if (words.length === 0) return `${text} changed(${random.below(100)})`;
  const { 0: word, index } = random.pick(words);
  return `${text.slice(0, index)}${/\d/.test(word) ? String(Number(word) + 1) : `${word}Now`}${text.slice(index + word.length)}`;
}

function onSpan(work: (span: NonNullable<ReturnType<typeof spanIn>>, random: Random) => void): Edit {
  return (model, target, random) => {
    const span = spanIn(model, target);
    if (span) work(span, random);
  };
}

const named = (path: string, random: Random): string => {
  const parts = path.split('/');
  const [stem, ...rest] = parts.pop()!.split('.');
  const name = [random.chance(0.5) ? `${stem}-renamed` : stem, ...rest].join('.');
  return [...(random.chance(0.5) ? [...parts, 'deeper'] : parts.slice(0, -1)), name].join('/');
};

export const EDITS: Readonly<Record<string, Edit>> = {
  insertAbove: onSpan(
    ({ lines, first }, random) => void lines.splice(random.below(first + 1), 0, ...newLines(random)),
  ),
  insertBelow: onSpan(({ lines, last }, random) => {
    lines.splice(last + 1 + random.below(lines.length - last), 0, ...newLines(random));
  }),
  insertInside: onSpan(({ lines, first, last }, random) => {
    if (last > first) lines.splice(first + 1 + random.below(last - first), 0, ...newLines(random));
  }),
  editInside: onSpan(({ lines, first, last }, random) => {
    const one = random.pick(lines.slice(first, last + 1).filter(({ text }) => text.trim() !== ''));
    one.text = changeText(one, random);
    one.isEdited = true;
  }),
  editOutside: onSpan(({ lines, first, last }, random) => {
    const others = lines.filter((_, i) => i < first || i > last);
    if (others.length === 0) return;
    const one = random.pick(others);
    one.text = changeText(one, random);
    one.isEdited = true;
  }),
  deleteSpan: onSpan(({ lines, first, last }) => void lines.splice(first, last - first + 1)),
  deleteAbove: onSpan(({ lines, first }, random) => {
    if (first > 0) lines.splice(random.below(first), Math.min(first, 1 + random.below(3)) && 1);
  }),
  indent: onSpan(({ lines }, random) => {
    const more = random.pick(['  ', '\t', '    ']);
    for (const one of lines) if (one.text !== '') one.text = more + one.text;
  }),
  blankLines: onSpan(({ lines, last }, random) => {
    for (let i = 0; i < 3; i += 1) lines.splice(random.below(last + 1), 0, line(''));
  }),
  moveWithin: onSpan(({ lines, first, last }, random) => {
    const block = lines.splice(first, last - first + 1);
    lines.splice(random.below(lines.length + 1), 0, ...block);
  }),
  moveAcross(model, target, random) {
    const span = spanIn(model, target);
    if (!span) return;
    const others = [...model.keys()].filter((path) => path !== span.path);
    const block = span.lines.splice(span.first, span.last - span.first + 1);
    if (random.chance(0.5))
      model.set(`src/made/part-${random.below(1_000)}.ts`, [...newLines(random), ...block]);
    else {
      const lines = model.get(random.pick(others))!;
      lines.splice(random.below(lines.length + 1), 0, ...block);
    }
  },
  rename(model, target, random) {
    const span = spanIn(model, target);
    if (!span) return;
    const to = named(span.path, random);
    if (model.has(to)) return;
    model.set(to, span.lines);
    model.delete(span.path);
  },
  deleteFile(model, target) {
    const span = spanIn(model, target);
    if (span) model.delete(span.path);
  },
};

export type Truth = Readonly<{ state: 'fresh' | 'moved' | 'changed' | 'gone'; path?: string; from?: number }>;

/** What became of the lines: all there together, some, or none. Lines that say nothing do not count. */
export function truthOf(model: Model, { path, ids }: Target, from: number): Truth {
  const places = [...model].flatMap(([at, lines]) =>
    lines.flatMap((each, i) => (ids.includes(each.id) ? [{ at, i, each, lines }] : [])),
  );
  if (places.length === 0) return { state: 'gone' };
  const [first, last] = [places[0]!, places.at(-1)!];
  const isTogether =
    places.length === ids.length &&
    places.every(({ at, each }, i) => at === first.at && !each.isEdited && each.id === ids[i]) &&
    first.lines.slice(first.i, last.i + 1).every(({ id, text }) => ids.includes(id) || text.trim() === '');
  if (!isTogether) return { state: 'changed' };
  const now = { path: first.at, from: first.i + 1 };
  return now.path === path && now.from === from ? { state: 'fresh' } : { state: 'moved', ...now };
}
