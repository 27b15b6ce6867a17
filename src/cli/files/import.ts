import { Command } from 'commander';
import { existsSync } from 'node:fs';
import { HubError } from '../../kernel/errors.ts';
import { readBoard } from '../board/files.ts';
import { withClient } from '../client.ts';
import { importForeign } from './import-foreign.ts';
import { FORMATS, formatOf, type Format } from './import-format.ts';
import { importMemory } from '../memory/files.ts';
import { configFrom, type Options, withDatabase } from '../options.ts';
import { progressOf } from '../terminal/progress.ts';
import type { World } from '../world.ts';

/** `holdfast import`: what another hub, or another tool, had. Repeatable: what is there already is not taken twice. */
export function importCommand(world: World): Command {
  return withDatabase(
    new Command('import').description(
      'read in a whole hub, a board, tasks of another tool, or notes; again brings them up to date',
    ),
  )
    .argument('<file>', 'where from; - is the input')
    .option('--from <format>', `what it is: ${FORMATS.join(', ')}; told by the file unless given`)
    .option('--project, --team <id>', 'the project that tasks of another tool become part of')
    .option('--dry-run', 'show what it would take, and change nothing')
    .action((file: string, options: Options) => importFrom(world, file, options));
}

async function importFrom(world: World, file: string, options: Options): Promise<void> {
  if (file !== '-' && !existsSync(file))
    throw new HubError('not_found', `There is no file ${file}.`, {
      hint: 'Name a file that `holdfast export` or another tool wrote, or - for the input.',
    });
  const format = readFormat(options['from']) ?? formatOf(file);
  if (format === 'hub') return takeHub(world, file, options);
  if (format === 'board') return readBoard(world, file, options);
  if (format === 'notes')
    return withClient(world, options, (client) => importMemory({ world, client, options }, [file]));
  return importForeign(world, { file, format }, options);
}

function readFormat(given: Options[string]): Format | undefined {
  if (given === undefined) return undefined;
  const found = FORMATS.find((format) => format === given);
  if (found) return found;
  throw new HubError('invalid', `--from must be one of ${FORMATS.join(', ')}.`);
}

async function takeHub(world: World, file: string, options: Options): Promise<void> {
  if (file === '-') throw new HubError('invalid', 'A whole hub is read from a file.', { hint: 'Name it.' });
  const { importHub } = await import('./hub-file.ts');
  const done = await importHub(await configFrom(world, options), file, {
    isTrial: options['dryRun'] === true,
    onProgress: progressOf(world, options),
  });
  if (options['json']) return world.print(JSON.stringify(done));
  const what = `${done.rows} rows and ${done.files} files`;
  if (done.state === 'already there') world.print(`Nothing to do: this file was read in before (${what}).`);
  else world.print(`${done.state === 'imported' ? 'Took' : 'Would take'} ${what}, checked to the last line.`);
  for (const path of done.kept) world.tell(`${path} differs from the one in the file and stays as it is.`);
  if (done.state === 'imported')
    world.tell('Agents need new tokens: `holdfast token create`, `holdfast connect`.');
}
