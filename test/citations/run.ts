// Cites spans of a real repository, edits it at random, asks how each stands, and compares with what was done.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { StoredCite } from '../../src/features/memory/cites/cite.ts';
import { normalise } from '../../src/features/memory/cites/normal.ts';
import { OF_A_SPAN, printOf, sketchOf } from '../../src/features/memory/cites/print.ts';
import { createStandings, toCite } from '../../src/features/memory/cites/standings.ts';
import { openTree } from '../../src/features/memory/cites/tree.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { openWorkspace } from '../../src/kernel/workspace.ts';
import { git } from '../fixtures/repositories.ts';
import {
  copyOf,
  EDITS,
  type Model,
  modelOf,
  type Random,
  randomFrom,
  type Target,
  type Truth,
  truthOf,
  writeModel,
} from './edits.ts';

export type Outcome = Readonly<{ edits: number; judged: number; right: number; wrong: readonly string[] }>;

type Cited = Readonly<{ cite: StoredCite; target: Target }>;

/** `files`: paths of the sources, and where they are read from. */
export type Ground = Readonly<{ root: string; files: ReadonlyMap<string, string> }>;

export function readFiles(from: string, paths: readonly string[]): ReadonlyMap<string, string> {
  return new Map(paths.map((path) => [path, readFileSync(join(from, path), 'utf8')]));
}

/** Rounds of one to four edits around one span; every citation of a file that was touched is asked about. */
export async function editAtRandom({ root, files }: Ground, edits: number, seed: number): Promise<Outcome> {
  const random = randomFrom(seed);
  for (const [path, text] of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  git(root, 'init', '-q', '-b', 'main');
  const base = modelOf(files);
  writeModel(root, base, base);
  git(root, 'add', '-A');
  git(root, 'commit', '-qm', 'base');
  const commit = git(root, 'rev-parse', 'HEAD').trim();
  const cited = citesOf(base, { commit, random });
  const space = await openWorkspace({ root });
  const tree = openTree({ space, mayRead: async () => true });
  const standings = createStandings({ log: silentLog });
  const wrong: string[] = [];
  let [made, judged] = [0, 0];
  while (made < edits) {
    git(root, 'checkout', '-q', '-f', '-B', 'work', commit);
    git(root, 'clean', '-qfd');
    const model = copyOf(base);
    const { target } = random.pick(cited);
    const done = random.chance(0.2)
      ? rebase(root, model, { target, cited, random, commit })
      : editOnce(root, model, { target, random });
    if (done.length === 0) continue;
    made += done.length;
    const touched = cited.filter(({ target: { path, ids } }) => isTouched(model, base, path, ids));
    const settled = await standings.whole(
      tree,
      touched.map(({ cite }) => cite),
    );
    for (const [i, { cite, target: each }] of touched.entries()) {
      judged += 1;
      const truth = truthOf(model, each, cite.from);
      const said = toCite(cite, settled[i]);
      const isRight =
        said.state === truth.state &&
        (truth.state !== 'moved' || (said.now?.path === truth.path && said.now?.from === truth.from));
      if (!isRight) wrong.push(describe(done, cite, truth, JSON.stringify(said)));
    }
  }
  return { edits: made, judged, right: judged - wrong.length, wrong };
}

function describe(
  done: readonly string[],
  { path, from, to }: StoredCite,
  truth: Truth,
  said: string,
): string {
  return `${done.join(' ')}: ${path}:${from}-${to} is ${JSON.stringify(truth)}, said ${said}`;
}

function isTouched(model: Model, base: Model, path: string, ids: readonly number[]): boolean {
  const now = model.get(path);
  return textOf(base.get(path)) !== textOf(now) || !now?.some(({ id }) => ids.includes(id));
}

/** Five spans of each file, of one to twelve lines; one in six is the whole file. */
function citesOf(base: Model, { commit, random }: Readonly<{ commit: string; random: Random }>): Cited[] {
  return [...base].flatMap(([path, lines]) => {
    const file = normalise(lines.map(({ text }) => text).join('\n'));
    const sketch = sketchOf(file);
    return Array.from({ length: 5 }, () => {
      const first = random.pick(file.lines.slice(0, -1));
      const last = lines.slice(first.no - 1, first.no + random.below(12));
      const to = first.no + last.findLastIndex(({ text }) => text.trim() !== '');
      const print = printOf(file, { from: first.no, to })!;
      const ids = lines.slice(first.no - 1, to).filter(({ text }) => text.trim() !== '');
      const cite = { path, from: first.no, to, commit, of: 'it', print, sketch: sketch.slice(0, OF_A_SPAN) };
      return { cite, target: { path, ids: ids.map(({ id }) => id) } };
    });
  });
}

type Editing = Readonly<{ target: Target; random: Random }>;

function editOnce(root: string, model: Model, { target, random }: Editing): string[] {
  const before = copyOf(model);
  const names = Object.keys(EDITS);
  const done = Array.from({ length: 1 + random.below(4) }, () => random.pick(names));
  for (const name of done) EDITS[name]!(model, target, random);
  writeModel(root, model, before);
  if (random.chance(0.5)) {
    git(root, 'add', '-A');
    git(root, 'commit', '-qm', done.join(' '), '--allow-empty');
    done.push('commit');
  }
  return done;
}

type Rebasing = Editing & Readonly<{ cited: readonly Cited[]; commit: string }>;

/**
 * One edit on a branch, one of other files on the main line, and the branch put on top of that; moves and renames on either
 * side. Nothing is done where both touched one file.
 */
function rebase(root: string, model: Model, { target, cited, random, commit }: Rebasing): string[] {
  const other = random.pick(cited.filter(({ target: { path } }) => path !== target.path)).target;
  const [mine, theirs] = [random.pick(Object.keys(EDITS)), random.pick(Object.keys(EDITS))];
  const [before, apart] = [copyOf(model), copyOf(model)];
  EDITS[theirs]!(apart, other, random);
  EDITS[mine]!(model, target, random);
  const [here, there] = [changedIn(model, before), changedIn(apart, before)];
  if (here.some((path) => there.includes(path))) return [];
  git(root, 'checkout', '-q', '-B', 'upstream', commit);
  writeModel(root, apart, before);
  git(root, 'add', '-A');
  git(root, 'commit', '-qm', theirs, '--allow-empty');
  git(root, 'checkout', '-q', '-B', 'work', commit);
  writeModel(root, model, before);
  git(root, 'add', '-A');
  git(root, 'commit', '-qm', mine, '--allow-empty');
  // Git would move what is new in a folder whose only file was renamed; the model does not.
  git(root, '-c', 'merge.directoryRenames=false', 'rebase', '-q', 'upstream');
  for (const path of there) {
    const lines = apart.get(path);
    if (lines) model.set(path, lines);
    else model.delete(path);
  }
  return [mine, theirs, 'rebase'];
}

/** Paths that were added, taken away, or say something else. */
function changedIn(model: Model, before: Model): string[] {
  const paths = new Set([...model.keys(), ...before.keys()]);
  return [...paths].filter((path) => textOf(model.get(path)) !== textOf(before.get(path)));
}

const textOf = (lines: readonly Readonly<{ text: string }>[] | undefined): string | undefined =>
  lines?.map(({ text }) => text).join('\n');
