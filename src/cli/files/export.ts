import { Command } from 'commander';
import { resolve } from 'node:path';
import { writeBoard } from '../board/files.ts';
import { configFrom, type Options, withDatabase } from '../options.ts';
import { progressOf } from '../terminal/progress.ts';
import { refuseExisting } from './record-file.ts';
import type { World } from '../world.ts';

/** `holdfast export`: the whole hub in one checked file, or with `--board` the board alone as lines to read elsewhere. */
export function exportCommand(world: World): Command {
  return withDatabase(
    new Command('export').description(
      'write the whole hub into one checked file: every room, the vault and the policy',
    ),
  )
    .argument('<file>', 'where to; - prints the board alone')
    .option('--board', 'the board alone, as lines of JSON')
    .option('--sessions', 'your sessions with clients as well, with all that was said in them')
    .option('--force', 'replace an older file of that name')
    .action((file: string, options: Options) => exportTo(world, file, options));
}

async function exportTo(world: World, file: string, options: Options): Promise<void> {
  refuseExisting(file, options);
  // A whole hub is no text for a terminal; what a pipe gets is lines about tasks, as ever.
  if (options['board'] === true || file === '-') return writeBoard(world, file, options);
  const { exportHub } = await import('./hub-file.ts');
  const config = await configFrom(world, options);
  const { rows, files, digest } = await exportHub(config, {
    target: resolve(file),
    onProgress: progressOf(world, options),
    also: options['sessions'] === true ? 'sessions' : undefined,
  });
  const left = [
    'config.yaml',
    'secrets.yaml',
    'keys and tokens',
    ...(options['sessions'] === true ? [] : ['sessions (--sessions)']),
  ];
  if (options['json'])
    return world.print(JSON.stringify({ file: resolve(file), rows, files, sha256: digest, left }));
  world.print(`Wrote ${rows} rows and ${files} files to ${resolve(file)}; sha256 ${digest}.`);
  world.tell(`Not in it: ${left.join(', ')}. Agents get new tokens on the other side.`);
}
