import type { Client } from './client.ts';
import { scopeOf } from './memory-files.ts';
import type { Options } from './options.ts';
import { wholeFactId } from './memory-id.ts';
import { shortId } from './short-id.ts';
import { renderTable } from './table.ts';
import { localTime } from './when.ts';
import type { World } from './world.ts';

type Listed = Readonly<{ id: string; title: string; content: string; createdAt: number }>;
type ListedProcedure = Readonly<{
  id: string;
  name: string;
  version: number;
  content: string;
  createdAt: number;
}>;

/** `holdfast memory list`: the facts saved last, or the procedures by name. */
export async function listMemory(world: World, client: Client, options: Options): Promise<void> {
  const { limit, before, after } = options;
  const isOfProcedures = options['procedures'] === true;
  const earlier =
    typeof before === 'string' ? decodeURIComponent(await wholeFactId(client, before)) : undefined;
  const page = Object.entries({
    limit,
    before: isOfProcedures ? undefined : earlier,
    after: isOfProcedures ? after : undefined,
  });
  const given = page.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []));
  const query = new URLSearchParams({
    ...scopeOf(options),
    ...(Object.fromEntries(given) as Record<string, string>),
  });
  const path = isOfProcedures ? '/api/memory/procedures' : '/api/memory';
  const answer = await client.call<{ facts?: Listed[]; procedures?: ListedProcedure[] }>(
    'GET',
    `${path}?${query.toString()}`,
  );
  if (options['json']) return world.print(JSON.stringify(answer));
  const rows =
    answer.facts ??
    answer.procedures?.map((one) => ({ ...one, title: `${one.name} (version ${one.version})` })) ??
    [];
  if (rows.length === 0) return world.tell('Nothing is remembered yet.');
  const columns = [
    { title: 'SAVED', cell: (row: Listed) => localTime(row.createdAt) },
    { title: 'ID', cell: (row: Listed) => shortId(row.id) },
    { title: 'TITLE', cell: (row: Listed) => row.title, flexible: true },
    { title: 'CONTENT', cell: (row: Listed) => row.content.replace(/\s+/g, ' '), flexible: true },
  ];
  world.print(renderTable(columns, rows, world.columns));
}
