// What the owner of a conflict is told: the files, both sides, and whose work landed first.
import type { Git } from '../../../kernel/git/git.ts';
import { changedBetween } from '../repository.ts';
import type { MergeConflict } from './stack.ts';

export type ToldConflict = Readonly<{
  files: readonly string[];
  sides: readonly string[];
  /** The task whose landing changed these files last. */
  first: string | undefined;
  why: string | undefined;
}>;

const MOST_FILES = 3;
const MOST_LINES = 40;
const MOST_WIDTH = 200;

type Between = Readonly<{ tip: string; head: string }>;

export async function tellConflict(
  git: Git,
  { files, tree, why }: MergeConflict,
  { tip, head }: Between,
): Promise<ToldConflict> {
  const sides: string[] = [];
  for (const file of tree === undefined ? [] : files.slice(0, MOST_FILES)) {
    const { code, stdout } = await git.ask('cat-file', 'blob', `${tree}:${file}`);
    const marked = code === 0 ? markedIn(stdout) : [];
    if (marked.length > 0) sides.push([file, ...marked].join('\n'));
  }
  return { files, sides, first: await firstIn(git, files, { tip, head }), why };
}

/** The lines from the first mark to the last, as far as anybody reads. */
function markedIn(text: string): string[] {
  const lines = text.split('\n');
  const from = lines.findIndex((line) => line.startsWith('<<<<<<< '));
  const to = lines.findLastIndex((line) => line.startsWith('>>>>>>> '));
  if (from < 0 || to < from) return [];
  const found = lines.slice(from, Math.min(to + 1, from + MOST_LINES));
  return [...found.map((line) => line.slice(0, MOST_WIDTH)), ...(to + 1 > from + MOST_LINES ? ['[…]'] : [])];
}

const MOST_LOOKED_AT = 200;

/** Of the commits that the target has more, the newest that changed one of these files and says for which task. */
async function firstIn(git: Git, files: readonly string[], { tip, head }: Between) {
  if (files.length === 0) return undefined;
  const task = '%(trailers:key=Holdfast-Task,valueonly,separator=)';
  const only = ['--first-parent', '-n', `${MOST_LOOKED_AT}`];
  const { stdout } = await git.ask('log', ...only, `--format=%H ${task}`, `${head}..${tip}`, '--');
  const wanted = new Set(files);
  for (const line of stdout.split('\n')) {
    const [commit = '', id = ''] = line.split(' ');
    if (id === '') continue;
    const changed = await changedBetween(git, `${commit}^1`, commit);
    if (changed.some((path) => wanted.has(path))) return id;
  }
  return undefined;
}
