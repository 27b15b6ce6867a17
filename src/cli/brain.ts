// `holdfast brain`: the markdown memory, for the person who owns it.
import { Command } from 'commander';
import type { Compacted, Feedback, Found, Report, Retrieved } from '../features/brain/memory.ts';
import { importVault } from './brain-import.ts';
import { renderReport } from './brain-report.ts';
import { type Client, withClient } from './client.ts';
import { contentFrom } from './content.ts';
import type { Hints } from './hints.ts';
import { type Options, withDatabase } from './options.ts';
import { type Progress, progressOf } from './progress.ts';
import { printable, renderTable } from './table.ts';
import { localTime } from './when.ts';
import type { World } from './world.ts';

type Run = (client: Client) => Promise<void>;

/** `holdfast brain …`: the markdown memory, for the person who owns it. */
export function brainCommand(world: World): Command {
  const brain = new Command('brain').description('the markdown memory: search it, judge it, keep it small');
  const add = (name: string, description: string): Command =>
    withDatabase(brain.command(name).description(description));

  add('search <question...>', 'find memories, best first')
    .option('--type <type>', 'entity or episode')
    .option('--limit <n>', 'at most so many, 1 to 100', '10')
    .action((words: string[], options: Options) =>
      run(world, options, (client) => search(world, client, words.join(' '), options)),
    );
  add('show <id>', 'one memory, and what moved its score').action((id: string, options: Options) =>
    run(world, options, (client) => show(world, client, id, options)),
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
      run(world, options, async (client) =>
        store(world, client, { name, content: await contentFrom(world, words) }, options),
      ),
    );
  for (const [verdict, what] of [
    ['good', 'praise'],
    ['bad', 'blame'],
  ] as const) {
    add(`${verdict} [id...]`, `${what} these memories, or what was remembered last`)
      .option('--session <id>', 'what this session remembered last')
      .action((ids: string[], options: Options) =>
        run(world, options, (client) => judge(world, client, { verdict, ids }, options)),
      );
  }
  add('report', 'how the memories stand')
    .option('--top <n>', 'how many at either end, 1 to 100', '10')
    .action((options: Options) => run(world, options, (client) => report(world, client, options)));
  add('compact', 'merge, promote and prune as STRATEGY.md says')
    .option('--dry-run', 'only say what would be done')
    .action((options: Options) => run(world, options, (client) => compact(world, client, options)));
  add('undo', 'take back the last compaction').action((options: Options) =>
    run(world, options, (client) => undo(world, client, options), {}),
  );
  add('import <folder>', 'take over markdown files: a ClawBrain folder, or loose notes with --as')
    .option('--as <category>', 'store loose notes as entities of this category')
    .action((folder: string, options: Options) =>
      run(world, options, (client) => importVault(world, client, folder, options)),
    );
  return brain;
}

/** Only the database is a setting; the other options belong to the command. */
async function run(world: World, { database }: Options, command: Run, hints: Hints = HINTS): Promise<void> {
  await withClient({ ...world, hints }, { database }, command);
}

const HINTS = {
  not_found: '`holdfast brain search` finds the ids; a whole id looks like entity-projects-kelp.',
  conflict: 'Edit the file, or choose another name.',
};

async function search(world: World, client: Client, query: string, options: Options): Promise<void> {
  const parameters = new URLSearchParams({ query, limit: String(options['limit']) });
  if (typeof options['type'] === 'string') parameters.set('type', options['type']);
  const found = await client.call<Found>('GET', `/api/brain/memories?${parameters.toString()}`);
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

type Past = Readonly<{ event_type: string; old_score: number | null; new_score: number | null; at: string }>;

async function show(world: World, client: Client, id: string, options: Options): Promise<void> {
  const path = `/api/brain/memories/${encodeURIComponent(id)}`;
  const memory = await client.call<Retrieved>('GET', path);
  const { events } = await client.call<{ events: Past[] }>('GET', `${path}/credit`);
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
  world: World,
  client: Client,
  memory: Readonly<{ name: string; content: string }>,
  options: Options,
): Promise<void> {
  const body = {
    ...memory,
    type: options['episode'] === true ? 'episode' : 'entity',
    category: options['category'],
    tags: options['tag'] ?? [],
    pinned: options['pinned'] === true,
  };
  const stored = await client.call<{ id: string; path: string }>('POST', '/api/brain/memories', body);
  world.print(options['json'] ? JSON.stringify(stored) : `stored ${stored.id} in ${stored.path}`);
}

async function judge(
  world: World,
  client: Client,
  { verdict, ids }: Readonly<{ verdict: string; ids: readonly string[] }>,
  options: Options,
): Promise<void> {
  const { session } = options;
  const answer = await client.call<Feedback>('POST', '/api/brain/feedback', {
    outcome: verdict,
    ...(ids.length > 0 && { ids }),
    ...(typeof session === 'string' && { session }),
  });
  if (options['json']) return world.print(JSON.stringify(answer));
  if (!answer.applied)
    return world.tell('Nothing moved: nothing was remembered lately, or it was judged so already.');
  for (const { id, before, after } of answer.moved)
    world.print(`${id}  ${before.toFixed(4)} → ${after.toFixed(4)}`);
}

async function report(world: World, client: Client, options: Options): Promise<void> {
  const answer = await client.call<Report>(
    'GET',
    `/api/brain/report?top_n=${encodeURIComponent(String(options['top']))}`,
  );
  world.print(options['json'] ? JSON.stringify(answer) : renderReport(answer, world.columns));
}

async function compact(world: World, client: Client, options: Options): Promise<void> {
  const isDryRun = options['dryRun'] === true;
  const done = new AbortController();
  const telling = isDryRun ? Promise.resolve() : tellSteps(client, progressOf(world, options), done.signal);
  try {
    const answer = await client.call<Compacted>('POST', '/api/brain/compact', { dry_run: isDryRun });
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
    for await (const { data } of client.follow('/api/events?kinds=brain.step', signal)) {
      const step = (data as { data?: { done: number; total: number } }).data;
      if (step) progress(step.done, `of ${step.total} steps`);
    }
  } catch {
    // Steps are told for company; what went wrong is for the call itself to say.
  }
}

async function undo(world: World, client: Client, options: Options): Promise<void> {
  const answer = await client.call<{ undone: number; details: string[] }>('POST', '/api/brain/undo', {});
  if (options['json']) return world.print(JSON.stringify(answer));
  for (const line of answer.details) world.print(printable(line));
}
