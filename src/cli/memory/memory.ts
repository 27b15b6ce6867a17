// `holdfast memory`: what agents remember, for the person who owns it.
import { Command } from 'commander';
import type { Api } from '../../features/api.ts';
import type { MemoryHit, Saved } from '../../features/memory/fact.ts';
import { HubError } from '../../kernel/errors.ts';
import { calledByPerson } from '../../kernel/person-name.ts';
import { isWhen, spanMeant } from '../../kernel/query-fields.ts';
import { type HubCommand, withClient } from '../client.ts';
import { contentFrom } from '../terminal/content.ts';
import { addChanges } from './changes.ts';
import { showEmbedding } from './embed.ts';
import { scopeOf } from './scope.ts';
import { listMemory } from './list.ts';
import { addProposals } from './proposals.ts';
import { addVerdicts, citedIn, describeCite, tellRefuted } from './verdicts.ts';
import { type Options, textOf, textsOf, withDatabase } from '../options.ts';
import { projectOf, readProjectOf, teamToRead, withNew, withTeam } from '../project-of.ts';
import { type AskedWords, questionOf, takingQuery } from '../query-words.ts';
import { wholeFactId } from './id.ts';
import { shortId } from '../short-id.ts';
import { printable, renderTable } from '../terminal/table.ts';
import { localTime } from '../terminal/when.ts';
import { wholeNumber } from '../whole-number.ts';
import type { World } from '../world.ts';

/** Loaded by whoever reads or writes a file: a search is asked more often. */
const files = () => import('./files.ts');

/** `holdfast memory …`: what agents remember, for the person who owns it. */
export function memoryCommand(world: World): Command {
  const memory = new Command('memory').description('search, save and tidy what agents remember');
  const add = (name: string, description: string): Command =>
    withDatabase(memory.command(name).description(description));
  const scoped = (command: Command): Command =>
    command
      .option('--project, --team <id>', 'only this project and what is global')
      .option('--agent <id>', 'only this agent and what is global');
  const placed = (command: Command): Command =>
    withTeam(command).option('--agent <id>', 'only this agent and what is global');

  placed(add('list', 'the facts saved last, newest first'))
    .option('--limit <n>', 'at most so many, 1 to 200', '20')
    .option('--before <id>', 'only what was saved before this fact: the last one of the page before')
    .option('--procedures', 'the newest version of each procedure instead, by name')
    .option('--after <name>', 'only procedures with a name after this one')
    .action((options: Options) => look(world, options, listMemory));
  takingQuery(placed(add('search <question...>', 'find facts and procedures, best first')))
    .option('--limit <n>', 'at most so many, 1 to 100', '10')
    .option('--mode <mode>', 'fts, vector or hybrid', 'fts')
    .option('--kind <kind>', 'only fact, or only procedure')
    .option('--brief', 'only a short passage of each')
    .option('--as-of <when>', 'what held then: 2026-11-03, yesterday, 3d')
    .option('--explain', 'show why each was found, and what each signal added to the score')
    .action((words: string[], options: Options) =>
      run(world, options, (asked) => search(asked, questionOf(words))),
    );
  withNew(
    placed(
      add(
        'save <title> [content...]',
        'save a fact; content is read from standard input when it is not given',
      ),
    ),
  )
    .option('--tag <tag...>', 'tags')
    .option('--cite <place...>', 'code it is about: src/app.ts:40-52')
    .option('--procedure', 'save a new version of the procedure with this name instead')
    .action((title: string, words: string[], options: Options) =>
      run(world, options, (asked) => save(asked, { title, words })),
    );
  add('show <id>', 'one fact with its provenance and its earlier versions').action(
    (id: string, options: Options) => look(world, options, (asked) => show(asked, id)),
  );
  addChanges(add, (options, command) => run(world, options, command));
  addVerdicts(add, (options, command) => run(world, options, command));
  addProposals(add, (options, command) =>
    withClient({ ...world, hints: { not_found: PROPOSED } }, { database: options['database'] }, (client) =>
      command({ world, client, options }),
    ),
  );
  add('import <file...>', 'JSONL (ours or of the official memory server) or Markdown notes').action(
    (names: string[], options: Options) =>
      run(world, options, async (asked) => (await files()).importMemory(asked, names)),
  );
  scoped(
    add(
      'export [file]',
      'everything as JSONL, or as Markdown when the file ends in .md; to the terminal without a file',
    ),
  )
    .option('--format <format>', 'jsonl or md')
    .option('--force', 'replace an older file of that name')
    .action((file: string | undefined, options: Options) =>
      look(world, options, async (asked) => (await files()).exportMemory(asked, file)),
    );
  add('embed', 'whether memories are found by meaning too: the model, what is done, what is left')
    .option('--wait', 'show the progress until all of it is done')
    .action((options: Options) => look(world, options, showEmbedding));
  scoped(add('stats', 'how much is remembered')).action((options: Options) => look(world, options, stats));
  return memory;
}

const FOUND = '`holdfast memory search` finds the ids.';
const PROPOSED = '`holdfast memory proposals` shows those that are open.';

async function run(
  world: World,
  options: Options,
  command: (asked: HubCommand) => Promise<void>,
): Promise<void> {
  const { database } = options;
  await withClient({ ...world, hints: { not_found: FOUND } }, { database }, (client) =>
    command({ world, client, options }),
  );
}

/** Of a team that has to be there. */
function look(world: World, options: Options, command: (asked: HubCommand) => Promise<void>): Promise<void> {
  return run(world, options, async (asked) => {
    if (typeof options['team'] === 'string') await teamToRead(asked.client, options['team']);
    await command(asked);
    await tellRefuted(asked);
  });
}

type Asked = Api['POST /api/memory/search']['given'];

async function search({ world, client, options }: HubCommand, question: AskedWords): Promise<void> {
  const isExplained = options['explain'] === true;
  const team = await readProjectOf(client, options, world);
  const limit = wholeNumber('--limit', options['limit']);
  const found = await client.ask('POST /api/memory/search', {
    query: question.text,
    limit: question.atMost(limit),
    // Which modes and kinds there are is for the hub to say.
    mode: textOf(options, 'mode') as Asked['mode'],
    kind: textOf(options, 'kind') as Asked['kind'],
    explain: isExplained || undefined,
    brief: options['brief'] === true || undefined,
    asOf: asOfMeant(textOf(options, 'asOf')),
    ...citedIn(world),
    ...scopeOf({ ...options, team }),
  });
  const free = found.results.filter(({ title, content }) => question.isFree(`${title} ${content}`));
  const answer = { ...found, results: free.slice(0, limit) };
  if (options['json']) return world.print(JSON.stringify(answer));
  for (const { text } of answer.refuted ?? []) world.tell(printable(text));
  if (answer.degraded !== undefined) world.tell(`Searched by words only: ${answer.degraded}`);
  if (answer.results.length === 0) return world.tell(answer.note ?? 'Nothing was found.');
  if (answer.note !== undefined) world.tell(answer.note);
  const columns = [
    { title: 'SCORE', cell: (hit: MemoryHit) => hit.score.toFixed(3) },
    { title: 'ID', cell: (hit: MemoryHit) => shortId(hit.id) },
    { title: 'TITLE', cell: (hit: MemoryHit) => hit.title, flexible: true },
    { title: 'CONTENT', cell: (hit: MemoryHit) => hit.content.replace(/\s+/g, ' '), flexible: true },
    { title: 'STANDS', cell: describeStanding, flexible: true, rare: true },
    ...(isExplained
      ? [
          {
            title: 'WHY',
            cell: (hit: MemoryHit) => {
              const signals = typeof hit.why === 'string' ? [] : Object.entries(hit.why);
              return `${hit.reason ?? ''} (${signals.map(([name, points]) => `${name} ${points.toFixed(3)}`).join(', ')})`;
            },
          },
        ]
      : []),
  ];
  world.print(renderTable(columns, answer.results, world.columns));
}

/** At the end of a day, so far back from now, or now. */
function asOfMeant(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const now = Date.now();
  if (!isWhen(given))
    throw new HubError(
      'invalid',
      `--as-of must be a day or a time such as 3d; got ${JSON.stringify(given)}.`,
    );
  const { from = now, until = from } = spanMeant({ op: '<=', value: given }, now);
  return Math.min(now, until);
}

/** How far to trust it: the code it cites, or who said since it was saved that it holds; and since or until what it does. */
function describeStanding({ cites = [], confirmed, holds, validTo, createdAt }: MemoryHit): string {
  return [
    ...(typeof validTo === 'number' ? [`until ${localTime(validTo).slice(0, 10)}`] : []),
    ...cites.map(describeCite),
    ...(confirmed && confirmed.at !== createdAt
      ? [`says ${printable(calledByPerson(confirmed.by))}, ${localTime(confirmed.at).slice(0, 10)}`]
      : []),
    ...(holds === undefined ? [] : [printable(holds)]),
  ].join('; ');
}

type SaveRequest = Readonly<{ title: string; words: readonly string[] }>;

async function save({ world, client, options }: HubCommand, { title, words }: SaveRequest): Promise<void> {
  const content = await contentFrom(world, words);
  const team = await projectOf(client, options, world.cwd);
  const named =
    options['procedure'] === true ? { procedureName: title } : { title, tags: textsOf(options, 'tag') ?? [] };
  const saved = await client.ask('POST /api/memory', {
    content,
    ...named,
    ...scopeOf({ ...options, team }),
    cites: textsOf(options, 'cite'),
    ...citedIn(world),
    source: 'cli',
  });
  if (options['json']) return world.print(JSON.stringify(saved));
  for (const near of saved.nearDuplicates ?? [])
    world.tell(`Nearly the same is known already: ${describeNear(near)}`);
  for (const { id, title: other, why } of saved.contradictions ?? [])
    world.tell(
      printable(
        `It contradicts ${shortId(id)} ${other}: ${why}. Replace that one with \`holdfast memory supersede ${shortId(id)} --by ${shortId(saved.fact!.id)}\`, keep both, or \`holdfast memory forget ${shortId(saved.fact!.id)}\`.`,
      ),
    );
  if (saved.procedure)
    world.print(`saved ${shortId(saved.procedure.id)} (version ${saved.procedure.version})`);
  else world.print(`${saved.duplicate === true ? 'known already:' : 'saved'} ${shortId(saved.fact!.id)}`);
}

type NearDuplicate = NonNullable<Saved['nearDuplicates']>[number];

function describeNear({ id, title, onlyHere, onlyThere }: NearDuplicate): string {
  const only = (where: string, words: readonly string[]): string =>
    words.length === 0 ? '' : `; only ${where}: ${words.join(' ')}`;
  return printable(`${shortId(id)} ${title}${only('there', onlyThere)}${only('here', onlyHere)}`);
}

async function show({ world, client, options }: HubCommand, id: string): Promise<void> {
  const { versions } = await client.ask('GET /api/memory/facts/:id/history', {
    id: await wholeFactId(client, id),
    ...citedIn(world),
  });
  if (options['json']) return world.print(JSON.stringify({ versions }));
  for (const fact of versions) {
    const until = fact.validTo === null ? 'now' : localTime(fact.validTo);
    world.print(
      [
        printable(fact.title),
        ...fact.content.split('\n').map((line) => `  ${printable(line)}`),
        `  id      ${fact.id}`,
        `  held    ${localTime(fact.validFrom)} to ${until}`,
        `  saved   ${localTime(fact.createdAt)} by ${printable(calledByPerson(fact.author))}, from ${printable(fact.source)}`,
        `  scope   ${printable([fact.scopeTeamId, fact.scopeAgentId].filter((part) => part !== null).join(', ')) || 'global'}`,
        ...(fact.confirmed
          ? [
              `  holds   says ${printable(calledByPerson(fact.confirmed.by))}, ${localTime(fact.confirmed.at)}`,
            ]
          : []),
        ...(fact.holds === undefined ? [] : [`  only    ${printable(fact.holds)}`]),
        ...(fact.cites ?? []).map((cite) => `  cites   ${describeCite(cite)}`),
        ...(fact.refuted
          ? [
              `  refuted ${localTime(fact.refuted.at)} by ${printable(calledByPerson(fact.refuted.by))}: ${printable(fact.refuted.reason)}`,
            ]
          : []),
        ...(fact.tags.length > 0 ? [`  tags    ${printable(fact.tags.join(', '))}`] : []),
      ].join('\n'),
    );
  }
}

async function stats({ world, client, options }: HubCommand): Promise<void> {
  const answer = await client.ask('GET /api/memory/stats', scopeOf(options));
  if (options['json']) return world.print(JSON.stringify(answer));
  const { facts, procedures, vectors, provider, toReadAgain } = answer;
  const models = Object.entries(vectors?.models ?? {}).map(([model, count]) => `${count} ${model}`);
  world.print(
    [
      `facts       ${facts.current} (${facts.past} superseded)`,
      `procedures  ${procedures}`,
      `vectors     ${models.join(', ') || 'none'}${vectors && vectors.pending > 0 ? `, ${vectors.pending} waiting` : ''}`,
      `provider    ${provider.id ?? 'none'}${provider.id !== null && !provider.available ? ' (not answering)' : ''}`,
      ...(toReadAgain === undefined ? [] : [`index       ${toReadAgain} left to be read again`]),
    ].join('\n'),
  );
}
