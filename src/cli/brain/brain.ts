// `holdfast brain`: the markdown memory, for the person who owns it.
import { Command } from 'commander';
import type { Found } from '../../features/brain/memory.ts';
import { importVault } from './import.ts';
import { renderReport } from './report.ts';
import { type HubCommand, type Client, withClient } from '../client.ts';
import { contentFrom } from '../terminal/content.ts';
import { type Options, withDatabase } from '../options.ts';
import { type AskedWords, questionOf, takingQuery } from '../query-words.ts';
import { type Progress, progressOf } from '../terminal/progress.ts';
import { printable, renderTable } from '../terminal/table.ts';
import { localTime } from '../terminal/when.ts';
import { wholeNumber } from '../whole-number.ts';
import type { World } from '../world.ts';

/** `holdfast brain …`: the markdown memory, for the person who owns it. */
export function brainCommand(world: World): Command {
  const brain = new Command('brain').description('the markdown memory: search it, judge it, keep it small');
  const add = (name: string, description: string): Command =>
    withDatabase(brain.command(name).description(description));

  takingQuery(add('search <question...>', 'find memories, best first'))
    .option('--type <type>', 'entity or episode')
    .option('--limit <n>', 'at most so many, 1 to 100', '10')
    .action((words: string[], options: Options) =>
      run(world, options, (asked) => search(asked, questionOf(words))),
    );
  add('show <id>', 'one memory, and what moved its score').action((id: string, options: Options) =>
    run(world, options, (asked) => show(asked, id)),
  );
  add(
    'store <name> [content...]',
    'store a memory; content is read from standard input when none is given, and stands after -- when it begins with a hyphen',
  )
    .option('--category <name>', 'people, projects or preferences', 'projects')
    .option('--episode', 'an episode instead of an entity')
    .option('--tag <tag...>', 'tags')
    .option('--pinned', 'never prune it')
    .action((name: string, words: string[], options: Options) =>
      run(world, options, async (asked) => store(asked, { name, content: await contentFrom(world, words) })),
    );
  for (const [verdict, what] of [
    ['good', 'praise'],
    ['bad', 'blame'],
  ] as const) {
    add(`${verdict} [id...]`, `${what} these memories, or what was remembered last`)
      .option('--session <id>', 'what this session remembered last')
      .action((ids: string[], options: Options) =>
        run(world, options, (asked) => judge(asked, verdict, ids)),
      );
  }
  add('report', 'how the memories stand')
    .option('--top <n>', 'how many at either end, 1 to 100', '10')
    .action((options: Options) => run(world, options, report));
  add('compact', 'merge, promote and prune as STRATEGY.md says')
    .option('--dry-run', 'only say what would be done')
    .action((options: Options) => run(world, options, compact));
  add('undo', 'take back the last compaction').action((options: Options) => run(world, options, undo));
  add('import <folder>', 'take over markdown files: a ClawBrain folder, or loose notes with --as')
    .option('--as <category>', 'store loose notes as entities of this category')
    .action((folder: string, options: Options) => run(world, options, (asked) => importVault(asked, folder)));
  return brain;
}

/** Only the database is a setting; the other options belong to the command. */
async function run(
  world: World,
  options: Options,
  command: (asked: HubCommand) => Promise<void>,
): Promise<void> {
  const { database } = options;
  // There is nothing to look up for who takes back a compaction.
  const hints = command === undo ? {} : HINTS;
  await withClient({ ...world, hints }, { database }, (client) => command({ world, client, options }));
}

const HINTS = {
  not_found: '`holdfast brain search` finds the ids; a whole id looks like entity-projects-kelp.',
  conflict: 'Edit the file, or choose another name.',
};

async function search({ world, client, options }: HubCommand, question: AskedWords): Promise<void> {
  const limit = wholeNumber('--limit', options['limit']);
  const { type } = options as { type?: 'entity' };
  const asked = { query: question.text, limit: question.atMost(limit), type };
  const answer = await client.ask('GET /api/brain/memories', asked);
  const free = answer.results.filter(({ id, snippet }) => question.isFree(`${id} ${snippet}`));
  const total_matches = answer.total_matches - (answer.results.length - free.length);
  const found = { ...answer, total_matches, results: free.slice(0, limit) };
  if (options['json']) return world.print(JSON.stringify(found));
  if (found.results.length === 0) return world.tell('Nothing was found.');
  type Hit = Found['results'][number];
  const columns = [
    { title: 'SCORE', cell: (hit: Hit) => hit.combined_score.toFixed(3) },
    { title: 'CREDIT', cell: (hit: Hit) => hit.credit_score.toFixed(2) },
    { title: 'ID', cell: (hit: Hit) => hit.id },
    { title: 'SAYS', cell: (hit: Hit) => hit.snippet, flexible: true },
  ];
  world.print(renderTable(columns, found.results, world.columns));
  if (found.total_matches > found.results.length)
    world.tell(`${found.results.length} of ${found.total_matches}`);
}

async function show({ world, client, options }: HubCommand, id: string): Promise<void> {
  const memory = await client.ask('GET /api/brain/memories/:id', { id });
  const { events } = await client.ask('GET /api/brain/memories/:id/credit', { id });
  if (options['json']) return world.print(JSON.stringify({ ...memory, events }));
  const score = (value: number | null) => (value === null ? '·' : value.toFixed(4));
  world.print(
    [
      `${memory.id}${memory.pinned ? ' (pinned)' : ''}`,
      `  file    ${memory.path}`,
      `  credit  ${memory.credit_score}, used ${memory.access_count} times, last ${localTime(Date.parse(memory.last_accessed))}`,
      ...(memory.tags.length > 0 ? [`  tags    ${memory.tags.join(', ')}`] : []),
      '',
      ...memory.content.split('\n').map((line) => `  ${printable(line)}`),
      '',
      ...events
        .slice(0, 10)
        .map(
          (event) =>
            `  ${localTime(Date.parse(event.at))}  ${event.event_type.padEnd(18)} ${score(event.old_score)} → ${score(event.new_score)}`,
        ),
    ].join('\n'),
  );
}

async function store(
  { world, client, options }: HubCommand,
  memory: Readonly<{ name: string; content: string }>,
): Promise<void> {
  const { category, tag: tags = [] } = options as { category?: string; tag?: string[] };
  const stored = await client.ask('POST /api/brain/memories', {
    ...memory,
    type: options['episode'] === true ? 'episode' : 'entity',
    category,
    tags,
    pinned: options['pinned'] === true,
  });
  world.print(options['json'] ? JSON.stringify(stored) : `stored ${stored.id} in ${stored.path}`);
}

async function judge(
  { world, client, options }: HubCommand,
  outcome: 'good' | 'bad',
  ids: readonly string[],
): Promise<void> {
  const { session } = options;
  const answer = await client.ask('POST /api/brain/feedback', {
    outcome,
    ids: ids.length > 0 ? [...ids] : undefined,
    session: typeof session === 'string' ? session : undefined,
  });
  if (options['json']) return world.print(JSON.stringify(answer));
  if (!answer.applied)
    return world.tell('Nothing moved: nothing was remembered lately, or it was judged so already.');
  for (const { id, before, after } of answer.moved)
    world.print(`${id}  ${before.toFixed(4)} → ${after.toFixed(4)}`);
}

async function report({ world, client, options }: HubCommand): Promise<void> {
  const top_n = wholeNumber('--top', options['top']);
  const answer = await client.ask('GET /api/brain/report', { top_n });
  world.print(options['json'] ? JSON.stringify(answer) : renderReport(answer, world.columns));
}

async function compact({ world, client, options }: HubCommand): Promise<void> {
  const isDryRun = options['dryRun'] === true;
  const done = new AbortController();
  const telling = isDryRun ? Promise.resolve() : tellSteps(client, progressOf(world, options), done.signal);
  try {
    const answer = await client.ask('POST /api/brain/compact', { dry_run: isDryRun });
    if (options['json']) return world.print(JSON.stringify(answer));
    for (const line of answer.details) world.print(printable(line));
    const { consolidated, promoted, pruned } = answer;
    world.print(
      `${isDryRun ? 'would be: ' : ''}${consolidated} merged, ${promoted} promoted, ${pruned} archived`,
    );
  } finally {
    done.abort();
    await telling;
  }
}

async function tellSteps(client: Client, progress: Progress, signal: AbortSignal): Promise<void> {
  try {
    for await (const { event, data } of client.follow('/api/events?kinds=brain.step', signal)) {
      if (event === 'message' && data.data)
        progress(Number(data.data['done']), `of ${data.data['total']} steps`);
    }
  } catch {
    // Steps are told for company; what went wrong is for the call itself to say.
  }
}

async function undo({ world, client, options }: HubCommand): Promise<void> {
  const answer = await client.ask('POST /api/brain/undo');
  if (options['json']) return world.print(JSON.stringify(answer));
  for (const line of answer.details) world.print(printable(line));
}
