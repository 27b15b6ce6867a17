// Figures that stay in the repository, with the machine and the day: docs/reference/growth.json. `node scripts/growth-plots.mjs` draws them.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import type { Figures } from './growth.bench.ts';
import { root } from './process.ts';

/** `load`: how many wanted a core at the end of it; who wants to compare milliseconds has to know. */
type Recorded = Figures & Readonly<{ machine: string; date: string; load: number }>;

export function recordGrowth(figures: readonly Figures[]): void {
  const path = join(root, 'docs', 'reference', 'growth.json');
  const kept = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Recorded[]) : [];
  const isNew = (old: Recorded): boolean =>
    !figures.some(({ engine, size }) => engine === old.engine && size === old.size);
  const [first] = cpus();
  const machine = `${first?.model.trim()}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GB`;
  const date = new Date().toISOString().slice(0, 10);
  const all = [
    ...kept.filter(isNew),
    ...figures.map((each) => ({ ...each, machine, date, load: loadavg()[1]! })),
  ];
  const round = (_: string, value: unknown): unknown =>
    typeof value === 'number' ? Math.round(value * 1_000) / 1_000 : value;
  all.sort((a, b) => b.engine.localeCompare(a.engine) || a.size - b.size);
  writeFileSync(path, `${JSON.stringify(all, round, 1)}\n`);
}
