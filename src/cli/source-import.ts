import { readFile } from 'node:fs/promises';
import { HubError } from '../kernel/errors.ts';
import { reasonOf } from '../kernel/file-faults.ts';
import { redactValue } from '../kernel/redact.ts';
import { withClient } from './client.ts';
import type { Options } from './options.ts';
import type { World } from './world.ts';

/** Shows what the file would bring; with --yes it is added. The file itself is never changed. */
export async function importSources(world: World, file: string, options: Options): Promise<void> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new HubError('not_found', `${file} cannot be read (${reasonOf(error)}).`, {
      hint: 'Name the file of the other client.',
    }).because(error);
  });
  const only = Array.isArray(options['only']) ? new Set(options['only'] as readonly string[]) : undefined;
  const added = await withClient(world, options, async (client) => {
    const { found } = await client.ask('POST /api/sources/import', { text, path: file });
    const chosen = found.filter(({ name }) => only === undefined || only.has(name));
    const good = chosen.filter(({ problem }) => problem === null);
    if (options['yes'] === true)
      for (const { name, entry } of good) await client.ask('PUT /api/sources/:name {entry}', { name, entry });
    return { chosen, good };
  });
  if (options['json'])
    return world.print(
      JSON.stringify({
        found: added.chosen,
        added: options['yes'] === true ? added.good.map(({ name }) => name) : [],
      }),
    );
  if (added.chosen.length === 0) return world.tell(`${file} names no servers.`);
  for (const { name, entry, notes, problem } of added.chosen) {
    world.print(`${name}  ${JSON.stringify(redactValue(entry))}`);
    for (const note of new Set(notes)) world.print(`  ${note}`);
    if (problem !== null) world.print(`  cannot be used: ${problem}`);
  }
  if (options['yes'] === true) world.tell(`${added.good.length} added to config.yaml.`);
  else world.tell('Nothing was changed. Add them with --yes, or some of them with --only <names…> --yes.');
}
