// The short form; `npm run torture -- --citations [edits] [seed]` runs the long one.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { makeScratch } from '../fixtures/scratch.ts';
import { editAtRandom, readFiles } from './run.ts';

const root = join(import.meta.dirname, '../..');

it('say how cited code stands after random edits, moves, renames and rebases', async () => {
  const scratch = makeScratch('test');
  onTestFinished(() => rmSync(scratch, { recursive: true, force: true }));
  const paths = readdirSync(join(root, 'src/store'))
    .filter((name) => name.endsWith('.ts') && !name.includes('.test.'))
    .map((name) => `src/store/${name}`)
    .slice(0, 20);
  const { judged, right, wrong } = await editAtRandom(
    { root: scratch, files: readFiles(root, paths) },
    40,
    7,
  );
  expect(judged).toBeGreaterThan(40);
  expect(right / judged, wrong.join('\n')).toBeGreaterThanOrEqual(0.95);
});
