import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { editAtRandom, readFiles } from './run.ts';

type Wanted = Readonly<{ edits: number; seed: number; folder?: string | undefined }>;

const MOST_FILES = 60;

/** The long form, over the sources of this repository or of another folder. */
export async function tortureCitations({ edits, seed, folder }: Wanted) {
  const from = folder ?? join(import.meta.dirname, '../../src');
  const paths = readdirSync(from, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:[cm]?[jt]sx?|py|go|rs|md)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => statSync(path).size > 1_000 && statSync(path).size < 100_000)
    .map((path) => relative(from, path))
    .sort();
  const every = Math.max(1, Math.floor(paths.length / MOST_FILES));
  const files = readFiles(from, paths.filter((_, i) => i % every === 0).slice(0, MOST_FILES));
  const root = mkdtempSync(join(tmpdir(), 'holdfast-citations-'));
  try {
    const { judged, right, wrong, edits: made } = await editAtRandom({ root, files }, edits, seed);
    const share = right / judged;
    const head = `${files.size} files, ${made} edits (seed ${seed}): ${right} of ${judged} citations of edited files right`;
    return { share, text: `${head}, ${(share * 100).toFixed(1)} %\n${wrong.slice(0, 20).join('\n')}\n` };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
