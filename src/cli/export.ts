import { Command } from 'commander';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { HubError } from '../kernel/errors.ts';
import { writeBoard } from './archive.ts';
import { configFrom, type Options, withDatabase } from './options.ts';
import type { World } from './world.ts';

/** `holdfast export`: the whole hub in one checked file, or with `--board` the board alone as lines to read elsewhere. */
export function exportCommand(world: World): Command {
  return withDatabase(
    new Command('export').description(
      'write the whole hub into one checked file: every room, the vault and the policy',
    ),
  )
    .argument('<file>', 'where to; - is the terminal, with --board')
    .option('--board', 'the board alone, as lines of JSON')
    .option('--force', 'replace an older file of that name')
    .action((file: string, options: Options) => exportTo(world, file, options));
}

async function exportTo(world: World, file: string, options: Options): Promise<void> {
  if (file !== '-' && existsSync(file) && options['force'] !== true) {
    throw new HubError('conflict', `${file} already exists.`, {
      hint: 'Give another name, or --force to replace it.',
    });
  }
  if (options['board'] === true) return writeBoard(world, file, options);
  if (file === '-')
    throw new HubError('invalid', 'A whole hub goes into a file.', {
      hint: 'Name one, or print the board alone: holdfast export - --board.',
    });
  const { exportHub } = await import('./hub-file.ts');
  const config = await configFrom(world, options);
  const { rows, files, digest } = await exportHub(config, resolve(file));
  const left = ['config.yaml', 'secrets.yaml', 'keys and tokens'];
  if (options['json'])
    return world.print(JSON.stringify({ file: resolve(file), rows, files, sha256: digest, left }));
  world.print(`Wrote ${rows} rows and ${files} files to ${resolve(file)}; sha256 ${digest}.`);
  world.tell(`Not in it: ${left.join(', ')}. Agents get new tokens on the other side.`);
}
