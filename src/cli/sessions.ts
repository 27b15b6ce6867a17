// `holdfast sessions`: what was said, tried and decided with every client, for the person whose sessions they are.
import { spawn } from 'node:child_process';
import { Command } from 'commander';
import type { ClientSession, SessionTurn } from '../features/sessions/session.ts';
import { resumeOf } from '../features/sessions/resume.ts';
import { HubError } from '../kernel/errors.ts';
import { spanMeant } from '../kernel/query-fields.ts';
import { type Client, type HubCommand, withClient } from './client.ts';
import { confirm } from './terminal/confirm.ts';
import { QuietExit } from './exit.ts';
import { type Options, textOf, withDatabase } from './options.ts';
import { queryOf, takingQuery } from './query-words.ts';
import { momentLines, sessionTable, stateTable, turnLines } from './sessions-view.ts';
import { wholeNumber } from './whole-number.ts';
import type { World } from './world.ts';

export function sessionsCommand(world: World): Command {
  const sessions = new Command('sessions').description(
    'find again what was said, tried and decided with any client',
  );
  const add = (name: string, description: string): Command =>
    withDatabase(sessions.command(name).description(description));
  const run = (options: Options, command: (asked: HubCommand) => Promise<void>): Promise<void> => {
    const hints = { not_found: '`holdfast sessions list --all` shows the ids.' };
    return withClient({ ...world, hints }, { database: options['database'] }, (client) =>
      command({ world, client, options }),
    );
  };

  add('sync', 'read to the end what clients have written, and tell what is kept').action((options: Options) =>
    run(options, sync),
  );
  add('list', 'sessions of this repository, those that ended last first')
    .option('--client <name>', 'only of this client: claude-code, codex, gemini, opencode')
    .option('--since <when>', 'only those that went on after that: 3d, 2026-11-01')
    .option('--all', 'of every folder')
    .option('--limit <n>', 'at most so many, 1 to 200', '50')
    .option('--cursor <cursor>', 'nextCursor of the page before')
    .action((options: Options) => run(options, list));
  takingQuery(
    add(
      'search <query...>',
      'find moments: words, "a phrase", -word, /a pattern/, file: tool: error: agent: project: since:',
    ),
  )
    .option('--all', 'of every folder')
    .option('--limit <n>', 'at most so many, 1 to 100', '10')
    .action((words: string[], options: Options) => run(options, (asked) => search(asked, queryOf(words))));
  add('show <id>', 'a session, turn by turn').action((id: string, options: Options) =>
    run(options, (asked) => show(asked, id)),
  );
  add('resume <id>', 'go on with a session in its own client')
    .option('--print', 'print the line instead')
    .action((id: string, options: Options) => run(options, (asked) => resume(asked, id)));
  add('export <id>', 'a session as lines of JSON, masked as it is kept').action(
    (id: string, options: Options) => run(options, (asked) => exportSession(asked, id)),
  );
  add('forget <id...>', 'forget sessions for good: they are not read again')
    .option('--yes', 'ask nothing')
    .action((ids: string[], options: Options) => run(options, (asked) => forget(asked, ids)));
  return sessions;
}

async function sync({ world, client, options }: HubCommand): Promise<void> {
  const answer = await client.ask('POST /api/sessions/sync', {});
  if (options['json']) return world.print(JSON.stringify(answer));
  world.print(stateTable(answer.clients, world.columns));
}

async function list({ world, client, options }: HubCommand): Promise<void> {
  const since = textOf(options, 'since');
  const answer = await client.ask('GET /api/sessions', {
    client: textOf(options, 'client'),
    since: since === undefined ? undefined : sinceOf(since),
    folder: options['all'] === true ? undefined : world.cwd,
    limit: wholeNumber('--limit', options['limit']),
    cursor: textOf(options, 'cursor'),
  });
  if (options['json']) return world.print(JSON.stringify(answer));
  if (answer.sessions.length === 0)
    return world.tell(
      options['all'] === true
        ? 'No session is known. `holdfast sessions sync` reads.'
        : 'No session of this folder is known. `holdfast sessions sync` reads; `--all` shows those of every folder.',
    );
  world.print(sessionTable(answer.sessions, world.columns));
  if (answer.nextCursor !== null) world.tell(`More: --cursor ${answer.nextCursor}`);
}

function sinceOf(text: string): number {
  const { from } = spanMeant({ op: /^\d{4}-/.test(text) ? '>=' : '=', value: text }, Date.now());
  if (from === undefined || !Number.isFinite(from))
    throw new HubError('invalid', `--since must be a day or a time such as 3d; got ${JSON.stringify(text)}.`);
  return Math.floor(from);
}

async function search({ world, client, options }: HubCommand, query: string): Promise<void> {
  const answer = await client.ask('POST /api/sessions/search', {
    query,
    folder: options['all'] === true ? undefined : world.cwd,
    limit: wholeNumber('--limit', options['limit']),
  });
  if (options['json']) return world.print(JSON.stringify(answer));
  for (const note of answer.notes) world.tell(note);
  if (answer.moments.length === 0) return world.tell('Nothing was found.');
  world.print(answer.moments.map(momentLines).join('\n\n'));
}

const PAGE = 201;

async function* turnsOf(client: Client, sessionId: string): AsyncGenerator<SessionTurn, void> {
  for (let turn: number | null = 1; turn !== null;) {
    // Around the middle of the page, so that it begins where the last one ended.
    const middle: number = turn + (PAGE - 1) / 2;
    const page = await client.ask('GET /api/sessions/:sessionId', {
      sessionId,
      turn: middle,
      around: (PAGE - 1) / 2,
    });
    yield* page.turns;
    turn = page.nextTurn;
  }
}

async function show({ world, client, options }: HubCommand, id: string): Promise<void> {
  const session = await wholeSession(client, id);
  if (!options['json']) world.print(sessionTable([session], world.columns));
  for await (const turn of turnsOf(client, session.id))
    world.print(options['json'] ? JSON.stringify(turn) : turnLines(turn));
}

async function wholeSession(client: Client, id: string): Promise<ClientSession> {
  return (await client.ask('GET /api/sessions/:sessionId', { sessionId: id, around: 0 })).session;
}

async function exportSession({ world, client }: HubCommand, id: string): Promise<void> {
  const session = await wholeSession(client, id);
  world.print(JSON.stringify({ session }));
  for await (const turn of turnsOf(client, session.id)) world.print(JSON.stringify(turn));
}

async function resume({ world, client, options }: HubCommand, id: string): Promise<void> {
  const { session, resume: line } = await client.ask('GET /api/sessions/:sessionId', {
    sessionId: id,
    around: 0,
  });
  const command = resumeOf(session);
  if (!command || line === null)
    throw new HubError(
      'conflict',
      `A session of ${session.client} with this id or folder cannot be gone on with from here.`,
      {
        hint: '`holdfast sessions show` has what was said.',
      },
    );
  if (options['json'])
    return world.print(JSON.stringify({ sessionId: session.id, folder: command.folder, resume: line }));
  if (options['print'] === true) return world.print(line);
  const child = spawn(command.program, [...command.args], { cwd: command.folder, stdio: 'inherit' });
  const code = await new Promise<number>((resolve, reject) => {
    child.once('exit', (ended) => resolve(ended ?? 1));
    child.once('error', (error) => {
      const what = `${command.program} cannot be started in ${command.folder}.`;
      reject(new HubError('unavailable', what, { hint: `Run it yourself: ${line}` }).because(error));
    });
  });
  if (code !== 0) throw new QuietExit(code);
}

async function forget({ world, client, options }: HubCommand, ids: readonly string[]): Promise<void> {
  const sessions = await Promise.all(ids.map((id) => wholeSession(client, id)));
  const isAsking = options['yes'] !== true;
  if (isAsking && (options['json'] || world.columns === undefined))
    throw new HubError('invalid', 'Forgetting is for good and cannot be taken back.', {
      hint: 'Say so: --yes',
    });
  if (isAsking) {
    world.print(sessionTable(sessions, world.columns));
    if (!(await confirm(world, 'Forget these for good?'))) return world.tell('Nothing was forgotten.');
  }
  const answer = await client.ask('POST /api/sessions/forget', { ids: sessions.map(({ id }) => id) });
  if (options['json']) return world.print(JSON.stringify(answer));
  world.print(
    `Forgotten: ${answer.forgotten.length}. What their clients keep of them is not touched, and not read again.`,
  );
}
