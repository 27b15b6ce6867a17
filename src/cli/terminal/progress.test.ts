import { ftruncateSync, openSync, closeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freshFolder } from '../../../test/fixtures/databases.ts';
import { counted, progressOf, tellLargeCopy } from './progress.ts';

function listener() {
  const lines: string[] = [];
  return { lines, tell: (line: string) => void lines.push(line) };
}

it('quick work is silent, long work is told of once a second', () => {
  let time = 0;
  const world = listener();
  const progress = progressOf(world, {}, () => time);
  for (let row = 1; row <= 3000; row += 1) {
    time = row;
    progress(row, 'rows');
  }
  expect(world.lines).toEqual(['1000 rows …', '2000 rows …', '3000 rows …']);
});

it('says nothing beside an answer for a program', () => {
  let time = 0;
  const world = listener();
  const progress = progressOf(world, { json: true }, () => (time += 5000));
  progress(1, 'rows');
  tellLargeCopy(world, { json: true }, sparse(100));
  expect(world.lines).toEqual([]);
});

it('a copy is announced when it is large, and a file that is not there is nobody’s copy', () => {
  const world = listener();
  for (const file of [sparse(1), '/no/such/file', sparse(100)]) tellLargeCopy(world, {}, file);
  expect(world.lines).toEqual(['Copying 100 MB and checking the copy …']);
});

it('counts what goes by and changes nothing of it', () => {
  const counts: number[] = [];
  expect([...counted(['a', 'b'], (count) => counts.push(count))]).toEqual(['a', 'b']);
  expect(counts).toEqual([1, 2]);
});

function sparse(megabytes: number): string {
  const path = join(freshFolder(), 'file');
  const file = openSync(path, 'w');
  ftruncateSync(file, megabytes << 20);
  closeSync(file);
  return path;
}
