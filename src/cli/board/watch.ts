import type { Command } from 'commander';
import type { Event } from '../../kernel/event.ts';
import { calledByPerson } from '../../kernel/person-name.ts';
import { type Client, withClient } from '../client.ts';
import { type Options, withDatabase } from '../options.ts';
import { readProjectOf, withTeam } from '../project-of.ts';
import { shortId } from '../short-id.ts';
import { printable } from '../terminal/table.ts';
import { clockTime } from '../terminal/when.ts';
import type { World } from '../world.ts';

export function addBoardWatch(board: Command, world: World): void {
  withTeam(withDatabase(board.command('watch')))
    .description('tell what happens on the board until Ctrl-C')
    .option('--since <number>', 'begin with the events after this one')
    .action((options: Options) =>
      withClient(world, options, async (client) =>
        followBoard(world, client, { project: await readProjectOf(client, options, world), options }),
      ),
    );
}

type Watching = Readonly<{ project: string | undefined; options: Options }>;

export async function followBoard(
  world: World,
  client: Client,
  { project, options }: Watching,
): Promise<void> {
  const since = typeof options['since'] === 'string' ? `&since=${encodeURIComponent(options['since'])}` : '';
  const titleOf = createTitles(client);
  for await (const { event, data } of client.follow(`/api/events?kinds=task.*${since}`, world.interrupted)) {
    if (event === 'message' && !isOf(project, data)) continue;
    if (options['json']) world.print(JSON.stringify(event === 'message' ? data : { [event]: data }));
    else if (event === 'message') world.print(describe(data, await titleOf(data)));
    else world.tell(`(${event}) ${JSON.stringify(data)}`);
  }
}

/** What belongs to no team is everybody's. */
function isOf(project: string | undefined, { team }: Event): boolean {
  return project === undefined || team === undefined || team === project;
}

/** Events are thin: a title is asked for once, and again after the task was changed. */
function createTitles(client: Client): (event: Event) => Promise<string> {
  const known = new Map<string, string>();
  return async ({ kind, subject }) => {
    if (kind === 'task.updated' || kind === 'task.undone') known.delete(subject);
    const title = known.get(subject) ?? (await titleNow(client, subject));
    if (known.size > 1_000) known.clear();
    known.set(subject, title);
    return title;
  };
}

/** A task that was dropped meanwhile has none. */
async function titleNow(client: Client, taskId: string): Promise<string> {
  try {
    return (await client.ask('GET /api/board/tasks/:taskId', { taskId, commentLimit: 1 })).task.title;
  } catch {
    return '';
  }
}

function describe({ at, kind, subject, actor, team, data = {} }: Event, title: string): string {
  const known = Object.entries(data).filter(([, value]) => value !== null);
  const facts = known.map(([name, value]) => `${name}=${String(value)}`);
  const named = title === '' ? [] : [JSON.stringify(title)];
  const words = [
    clockTime(at),
    kind,
    shortId(subject),
    ...named,
    `by ${calledByPerson(actor.id)}`,
    ...(team ? [`project=${team}`] : []),
    ...facts,
  ];
  return printable(words.join(' '));
}
