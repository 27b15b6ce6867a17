// `holdfast why FILE:LINE`: from a line to its commit to the moment of the session that made it.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command } from 'commander';
import { HubError } from '../kernel/errors.ts';
import { withClient } from './client.ts';
import { QuietExit } from './exit.ts';
import { type Options, withDatabase } from './options.ts';
import { momentLines } from './sessions-view.ts';
import { printable } from './terminal/table.ts';
import { localMinute } from './terminal/when.ts';
import { wholeNumber } from './whole-number.ts';
import type { World } from './world.ts';

const NONE = 3;

export function whyCommand(world: World): Command {
  return withDatabase(
    new Command('why').description('who touched this line and why: its commit, and the sessions behind it'),
  )
    .argument('<file:line>')
    .option('--limit <n>', 'at most so many moments, 1 to 20', '5')
    .action((place: string, options: Options) => why(world, place, options));
}

async function why(world: World, place: string, options: Options): Promise<void> {
  const [, name, line] = /^(.+):(\d{1,8})$/s.exec(place) ?? [];
  if (name === undefined || line === undefined || Number(line) < 1)
    throw new HubError(
      'invalid',
      `Say a file and a line, such as src/app.ts:40; got ${JSON.stringify(place)}.`,
    );
  const file = resolve(world.cwd, name);
  if (!existsSync(file))
    throw new HubError('not_found', `There is no file ${file}.`, { hint: 'Check the path.' });
  const limit = wholeNumber('--limit', options['limit']);
  const answer = await withClient(world, { database: options['database'] }, (client) =>
    client.ask('GET /api/sessions/why', { file, line: Number(line), limit }),
  );
  const { commit, moments } = answer;
  if (options['json']) world.print(JSON.stringify(answer));
  else {
    world.print(
      commit === null
        ? 'Not committed yet.'
        : printable(
            `${commit.id.slice(0, 10)}  ${localMinute(commit.at)}  ${commit.author}: ${commit.subject}`,
          ),
    );
    if (moments.length > 0) world.print(`\n${moments.map(momentLines).join('\n\n')}`);
    else world.tell('No session that is known here touched it.');
  }
  if (moments.length === 0) throw new QuietExit(NONE);
}
