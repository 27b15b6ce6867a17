import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import { globFiles } from '../src/features/coretools/finding/glob.ts';
import { grepFiles } from '../src/features/coretools/finding/grep.ts';
import { freshFolder } from './process.ts';
import { median, type Row } from './row.ts';

const FILES = Number(process.env['BENCH_FILES'] ?? 50_000);
export const title = `Grep and Glob beside the bare engine: ${FILES} files`;

const signal = new AbortController().signal;

/** Against ripgrep asked by itself: what parsing its answer and comparing with what git ignores costs. */
export async function measure(): Promise<readonly Row[]> {
  const root = freshFolder();
  fill(root);
  const ground = { root, folder: '', base: '', closed: new Set<string>() };
  const query = {
    patterns: ['needle\\d+'],
    glob: undefined,
    type: undefined,
    caseInsensitive: false,
    maxMatches: 10_000,
    mayReach: () => true,
  };
  const grep = await timed(async () => (await grepFiles(ground, query, signal)).hits.length);
  const glob = await timed(
    async () =>
      (
        await globFiles(
          ground,
          {
            pattern: '**/*.ts',
            limit: 100_000,
            respectIgnore: true,
            includeHidden: false,
            mayReach: () => true,
          },
          signal,
        )
      ).count,
  );
  const otherGrep = await timed(async () =>
    countLines([rgPath, '-n', '--sort', 'path', 'needle\\d+', '.'], root),
  );
  const otherGlob = await timed(async () => countLines([rgPath, '--files', '-g', '**/*.ts', '.'], root));
  rmSync(root, { recursive: true });
  if (grep.found !== otherGrep.found || glob.found !== otherGlob.found)
    throw new Error(`found ${grep.found}/${otherGrep.found} lines, ${glob.found}/${otherGlob.found} files`);
  return [
    {
      what: `Grep, ${grep.found} matches, against ripgrep`,
      ours: ms(grep.ms),
      baseline: ms(otherGrep.ms),
      ratio: grep.ms / otherGrep.ms,
    },
    {
      what: `Glob, ${glob.found} files, against ripgrep`,
      ours: ms(glob.ms),
      baseline: ms(otherGlob.ms),
      ratio: glob.ms / otherGlob.ms,
    },
  ];
}

function fill(root: string): void {
  for (let i = 0; i < FILES; i += 1) {
    const folder = join(root, `d${i % 50}`, `e${i % 500}`);
    if (i < 500) mkdirSync(folder, { recursive: true });
    const mark = i % 100 === 0 ? `const needle${i} = 1;\n` : '';
    writeFileSync(
      join(folder, `f${i}.${i % 5 === 0 ? 'md' : 'ts'}`),
      `// file ${i}\n${'export const value = 42;\n'.repeat(20)}${mark}`,
    );
  }
  execFileSync('git', ['init', '-q'], { cwd: root });
}

async function timed(work: () => Promise<number>): Promise<{ ms: number; found: number }> {
  const times: number[] = [];
  let found = 0;
  for (let i = 0; i < 3; i += 1) {
    const startedAt = performance.now();
    found = await work();
    times.push(performance.now() - startedAt);
  }
  return { ms: median(times), found };
}

function countLines([program, ...args]: string[], cwd: string): number {
  const { stdout } = spawnSync(program!, args, { cwd, encoding: 'utf8', maxBuffer: 1 << 28 });
  return stdout.split('\n').length - 1;
}

function ms(value: number): string {
  return `${value.toFixed(0)} ms`;
}
