import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { keepSetup } from './setups.ts';
import { tidyChecks } from './tidy.ts';

const DAY = 86_400_000;

it('keeps the set-ups that were used last, and drops old ones, half ones and trees that nobody uses', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-tidy-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const now = Date.now();
  const used = (path: string, days: number) =>
    utimesSync(path, new Date(now - days * DAY), new Date(now - days * DAY));
  const stores = Array.from({ length: 11 }, (_, at) => join(folder, 'setups', 'web', `s${at}`));
  for (const [at, store] of stores.entries()) {
    await keepSetup(store, folder, []);
    used(join(store, '.holdfast-setup'), at === 0 ? 20 : at);
  }
  const half = join(folder, 'setups', 'web', 'half.making');
  mkdirSync(half);
  used(half, 2);
  for (const [name, days] of [
    ['lately', 1],
    ['long-ago', 40],
  ] as const) {
    mkdirSync(join(folder, name, 'own'), { recursive: true });
    writeFileSync(join(folder, name, 'own', 'HEAD'), 'x\n');
    used(join(folder, name, 'own', 'HEAD'), days);
  }
  await tidyChecks(folder, now);
  expect(stores.map((store) => existsSync(store))).toEqual([
    false,
    ...Array<boolean>(8).fill(true),
    false,
    false,
  ]);
  expect(
    [half, 'lately', 'long-ago'].map((name) => existsSync(join(folder, name.replace(folder, '')))),
  ).toEqual([false, true, false]);
});
