import type { Fact, Procedure } from '../../features/memory/fact.ts';
import type { HubCommand } from '../client.ts';
import { scopeOf } from './scope.ts';
import { textOf } from '../options.ts';
import { readProjectOf } from '../project-of.ts';
import { wholeFactId } from './id.ts';
import { shortId } from '../short-id.ts';
import { renderTable } from '../terminal/table.ts';
import { localTime } from '../terminal/when.ts';
import { wholeNumber } from '../whole-number.ts';

type Listed = Pick<Fact, 'id' | 'title' | 'content' | 'createdAt'>;

/** `holdfast memory list`: the facts saved last, or the procedures by name. */
export async function listMemory({ world, client, options }: HubCommand): Promise<void> {
  const before = textOf(options, 'before');
  const team = await readProjectOf(client, options, world);
  const page = { limit: wholeNumber('--limit', options['limit']), ...scopeOf({ ...options, team }) };
  const answer =
    options['procedures'] === true
      ? await client.ask('GET /api/memory/procedures', { ...page, after: textOf(options, 'after') })
      : await client.ask('GET /api/memory', {
          ...page,
          before: before === undefined ? undefined : await wholeFactId(client, before),
        });
  if (options['json']) return world.print(JSON.stringify(answer));
  const rows: readonly Listed[] = 'facts' in answer ? answer.facts : answer.procedures.map(asListed);
  if (rows.length === 0)
    return world.tell(
      team === undefined
        ? 'Nothing is remembered yet.'
        : `Nothing is remembered yet in ${team}; --all looks everywhere.`,
    );
  const columns = [
    { title: 'SAVED', cell: (row: Listed) => localTime(row.createdAt) },
    { title: 'ID', cell: (row: Listed) => shortId(row.id) },
    { title: 'TITLE', cell: (row: Listed) => row.title, flexible: true },
    { title: 'CONTENT', cell: (row: Listed) => row.content.replace(/\s+/g, ' '), flexible: true },
  ];
  world.print(renderTable(columns, rows, world.columns));
}

function asListed({ name, version, ...procedure }: Procedure): Listed {
  return { ...procedure, title: `${name} (version ${version})` };
}
