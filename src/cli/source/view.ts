// How sources, their tools and what waits for review look in a terminal.
import type { Api } from '../../features/api.ts';
import { withClient } from '../client.ts';
import type { Options } from '../options.ts';
import { type Column, renderTable } from '../terminal/table.ts';
import { localMinute } from '../terminal/when.ts';
import type { World } from '../world.ts';

type ShownSource = Api['GET /api/sources']['answer']['sources'][number];
export type SourceDetail = Api['GET /api/sources/:name']['answer']['source'];

const COLUMNS: readonly Column<ShownSource>[] = [
  { title: 'NAME', cell: ({ name }) => name },
  {
    title: 'STATE',
    cell: ({ state, quarantined }) => (quarantined > 0 ? `${state}, ${quarantined} quarantined` : state),
  },
  { title: 'TOOLS', cell: ({ tools }) => String(tools) },
  { title: 'TRUST', cell: ({ trust }) => trust },
  { title: 'WHERE', cell: ({ url, command }) => url ?? (command ?? []).join(' '), flexible: true },
  {
    title: 'WHY',
    cell: ({ reason, problems, findings }) =>
      reason ?? [...problems, ...(findings > 0 ? [`${findings} findings`] : [])].join('; '),
    flexible: true,
  },
];

export async function printSources(world: World, options: Options): Promise<void> {
  const listed = await withClient(world, options, (client) => client.ask('GET /api/sources'));
  if (options['json']) return world.print(JSON.stringify(listed));
  const { sources, refused, hubs } = listed;
  if (sources.length > 0) world.print(renderTable(COLUMNS, sources, world.columns));
  else if (refused.length === 0) world.tell('No sources yet: holdfast source add <name> -- <command>');
  for (const { name, problem } of refused) world.tell(`${name} cannot be used: ${problem}`);
  if (new Set(hubs.map(({ hub }) => hub)).size < 2) return;
  for (const { hub, source, state, changedAt } of hubs)
    world.tell(`hub ${hub.slice(0, 8)} runs ${source}: ${state}, ${localMinute(changedAt)}`);
}

export function printSource(world: World, options: Options, source: SourceDetail): void {
  if (options['json']) return world.print(JSON.stringify(source));
  const { name, state, reason, server, toolList, resourceList, promptList, problems, otherFindings } = source;
  const lines = [
    `${name} is ${state}${reason === null ? '' : `: ${reason}`}`,
    ...(server ? [`  server     ${server.name} ${server.version}, ${server.era}`] : []),
    ...problems.map((problem) => `  problem    ${problem}`),
    ...toolList.flatMap((tool) => [
      `  ${tool.standing.padEnd(10)} ${tool.name}  ${firstLine(tool.description)}`,
      ...tool.findings.map(({ where, what }) => `             ! ${where}: ${what}`),
    ]),
    ...otherFindings.map(({ where, what }) => `  ! ${where}: ${what}`),
    ...resourceList.map(({ uri }) => `  resource   ${uri}`),
    ...promptList.map((prompt) => `  prompt     ${prompt.name}`),
  ];
  world.print(lines.join('\n'));
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0]!.slice(0, 100);
}
