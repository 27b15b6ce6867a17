// `holdfast land`, `checks`, `evidence`: what agents did is proven and reaches its target.
import { Command } from 'commander';
import type { CheckEvidence, LandingView } from '../features/landing/landing-shapes.ts';
import { exitOf } from '../features/landing/rules.ts';
import { runningHub } from '../kernel/discovery.ts';
import { HubError } from '../kernel/errors.ts';
import { type Client, withClient } from './client.ts';
import { confirm } from './terminal/confirm.ts';
import { QuietExit } from './exit.ts';
import { configFrom, type Options, withDatabase } from './options.ts';
import { idEnding, shortId } from './short-id.ts';
import { listPrinter } from './terminal/list.ts';
import { printable, renderTable, type Column } from './terminal/table.ts';
import { findTask, TASK_HINTS } from './board/task-id.ts';
import type { World } from './world.ts';

const WAIT_S = 600;

export function landCommand(world: World): Command {
  const land = new Command('land').description('land branches of tasks once the checks of their target pass');
  withDatabase(land.command('add', { isDefault: true }))
    .description("ask that tasks' branches land")
    .argument('<task...>', 'their ids, or the ends of them')
    .option('--branch <name>', 'the branch, where the task names none')
    .option('--wait', 'wait for what becomes of them')
    .action((given: readonly string[], options: Options) => add(world, given, options));
  withDatabase(land.command('list'))
    .description('what waits to land and what became of it')
    .option('--open', 'only what is not over')
    .action((options: Options) => list(world, options));
  for (const verb of ['approve', 'withdraw'] as const)
    withDatabase(land.command(verb))
      .description(
        verb === 'approve' ? 'let something land that waits for you' : 'take back the wish to land',
      )
      .argument('<landing>', 'its id, or the end of it')
      .action((given: string, options: Options) => decide(world, { verb, given, options }));
  for (const verb of ['pause', 'resume'] as const)
    withDatabase(land.command(verb))
      .description(verb === 'pause' ? 'let nothing land for now' : 'let things land again')
      .option('--project <project>', 'of one project only')
      .action((options: Options) => pause(world, verb === 'pause', options));
  withDatabase(land.command('confirm'))
    .description('where this checkout is pushed to, and your word that this is right')
    .option('--yes', 'without being asked')
    .action((options: Options) => confirmPush(world, options));
  return land;
}

export function checksCommand(world: World): Command {
  const checks = new Command('checks').description('the checks that have to pass before something lands');
  withDatabase(checks.command('list'))
    .description('what the target branch of this checkout defines')
    .action((options: Options) => listChecks(world, options));
  withDatabase(checks.command('run'))
    .description('run one on a commit; exit code 1 when it fails')
    .argument('<name>')
    .requiredOption('--commit <commit>', 'what is tested')
    .action((name: string, options: Options) => runCheck(world, name, options));
  return checks;
}

export function evidenceCommand(world: World): Command {
  const evidence = new Command('evidence').description('what checks of the hub found');
  withDatabase(evidence.command('verify'))
    .description('compare it with the audit; exit code 4 when something was changed')
    .action((options: Options) => verify(world, options));
  withDatabase(evidence.command('show'))
    .description('what a check found, by the id of the evidence or of a landing')
    .argument('<id>')
    .action((id: string, options: Options) => showEvidence(world, id, options));
  return evidence;
}

async function add(world: World, given: readonly string[], options: Options): Promise<void> {
  const branch = typeof options['branch'] === 'string' ? options['branch'] : undefined;
  if (options['wait'] && !(await runningHub(await configFrom(world, options)))) throw noHub();
  await withClient({ ...world, hints: TASK_HINTS }, options, async (client) => {
    const asked: LandingView[] = [];
    for (const each of given) {
      const taskId = await findTask(client, each);
      asked.push(await client.ask('POST /api/landings', { taskId, branch, folder: world.cwd }));
    }
    const ids = asked.map(({ id }) => id);
    const landings = options['wait'] ? await waitFor(client, ids) : asked;
    printLandings(world, options, { landings });
    const bad = options['wait'] ? landings.find(({ state }) => state !== 'landed') : undefined;
    if (bad) throw new QuietExit(exitOf(bad.state));
  });
}

function noHub(): HubError {
  return new HubError('unavailable', 'Nothing lands while no hub runs.', {
    hint: '`holdfast up` starts it.',
  });
}

async function waitFor(client: Client, ids: string[]): Promise<LandingView[]> {
  const until = performance.now() + WAIT_S * 1_000;
  for (;;) {
    const { landings } = await client.ask('GET /api/landings/wait', { ids, timeout_s: 30 });
    const isOver = landings.every(({ state }) => state !== 'queued' && state !== 'testing');
    if (isOver || performance.now() > until) return landings;
  }
}

const printLandings = listPrinter<LandingView>(
  'Nothing waits to land. `holdfast land <task>` asks for one.',
  [
    { title: 'ID', cell: ({ id }) => shortId(id) },
    { title: 'STATE', cell: ({ state }) => state.replace('_', ' ') },
    { title: 'TASK', cell: ({ title }) => printable(title), flexible: true },
    { title: 'BRANCH', cell: ({ branch, target }) => `${branch} → ${target}` },
    {
      title: 'WHY',
      cell: ({ why, commit, state }) => why ?? (state === 'landed' ? (commit ?? '').slice(0, 12) : ''),
    },
  ],
);

async function list(world: World, options: Options): Promise<void> {
  const isOpen = options['open'] === true;
  const { landings } = await withClient(world, options, (client) =>
    client.ask('GET /api/landings', { ...(isOpen && { open: true }) }),
  );
  printLandings(world, options, { landings });
}

type Deciding = Readonly<{ verb: 'approve' | 'withdraw'; given: string; options: Options }>;

async function decide(world: World, { verb, given, options }: Deciding): Promise<void> {
  const landing = await withClient(world, options, async (client) => {
    const { landings } = await client.ask('GET /api/landings', {});
    const landingId = idEnding(
      landings.map(({ id }) => id),
      given,
      'landings',
    );
    return verb === 'approve'
      ? client.ask('POST /api/landings/:landingId/approve', { landingId })
      : client.ask('POST /api/landings/:landingId/withdraw', { landingId });
  });
  printLandings(world, options, { landings: [landing] });
}

async function pause(world: World, paused: boolean, options: Options): Promise<void> {
  const project = typeof options['project'] === 'string' ? options['project'] : undefined;
  const answer = await withClient(world, options, (client) =>
    client.ask('POST /api/landings/pause', { paused, ...(project !== undefined && { project }) }),
  );
  if (options['json']) return world.print(JSON.stringify(answer));
  world.print(paused ? 'Nothing lands until `holdfast land resume`.' : 'Things land again.');
}

async function confirmPush(world: World, options: Options): Promise<void> {
  await withClient(world, options, async (client) => {
    const seen = await client.ask('GET /api/landings/remote', { folder: world.cwd });
    if (seen.url === null)
      throw new HubError('conflict', `${seen.problem ?? 'There is nothing to push to'}.`, {
        hint: 'Only https and ssh addresses of one remote are pushed to.',
      });
    const { url, remote, confirmed } = seen;
    if (!confirmed && !options['yes'] && options['json'])
      throw new HubError('invalid', 'Say --yes: nobody can be asked.', { url });
    if (!options['json'])
      world.print(`${remote} is ${printable(url)}${confirmed ? ', as you confirmed' : ''}`);
    const isRight =
      confirmed ||
      options['yes'] === true ||
      (await confirm(world, 'Push there with your own credentials?', { isRisky: true }));
    if (!isRight) throw new QuietExit(5);
    const answer = confirmed
      ? seen
      : await client.ask('POST /api/landings/remote', { folder: world.cwd, url });
    if (options['json']) world.print(JSON.stringify(answer));
    else if (!confirmed) world.print('Confirmed. When the address changes you are asked again.');
  });
}

async function listChecks(world: World, options: Options): Promise<void> {
  const answer = await withClient(world, options, (client) =>
    client.ask('GET /api/checks', { folder: world.cwd }),
  );
  if (options['json']) return world.print(JSON.stringify(answer));
  const columns: readonly Column<(typeof answer.checks)[number]>[] = [
    { title: 'CHECK', cell: ({ name }) => name },
    { title: 'REQUIRED', cell: ({ required }) => (required ? 'yes' : 'no') },
    { title: 'NETWORK', cell: ({ network }) => network },
    { title: 'RUNS', cell: ({ run }) => printable(run), flexible: true },
  ];
  world.print(renderTable(columns, answer.checks, world.columns));
}

async function runCheck(world: World, name: string, options: Options): Promise<void> {
  const commit = String(options['commit']);
  const evidence = await withClient(world, options, (client) =>
    client.ask('POST /api/checks/run', { check: name, commit, folder: world.cwd }),
  );
  if (options['json']) world.print(JSON.stringify(evidence));
  else printEvidence(world, evidence);
  if (!evidence.passed) throw new QuietExit(1);
}

function printEvidence(world: World, found: CheckEvidence): void {
  const { check, passed, exit, commit, reused, failing, tail } = found;
  const how = passed ? 'passed' : `failed (exit ${exit})`;
  world.print(`${check} ${how} on ${commit.slice(0, 12)}${reused ? ', as before' : ''}`);
  for (const { name, message } of failing) world.print(`  ${printable(name)}: ${printable(message)}`);
  if (!passed && failing.length === 0) world.tell(tail.split('\n').map(printable).join('\n'));
}

async function showEvidence(world: World, evidenceId: string, options: Options): Promise<void> {
  const answer = await withClient(world, options, (client) =>
    client.ask('GET /api/evidence/:evidenceId', { evidenceId }),
  );
  if (options['json']) return world.print(JSON.stringify(answer));
  for (const each of answer.evidence) printEvidence(world, each);
}

async function verify(world: World, options: Options): Promise<void> {
  const answer = await withClient(world, options, (client) => client.ask('GET /api/evidence/verify', {}));
  if (options['json']) world.print(JSON.stringify(answer));
  else if (answer.ok) world.print(`${answer.checked} pieces of evidence are as they were written.`);
  else if (answer.wrong.length > 0)
    world.tell(`Changed since it was written: ${answer.wrong.map(shortId).join(', ')}`);
  else world.tell('The chain of the audit is broken: `holdfast tools audit --verify` shows where.');
  if (!answer.ok) throw new QuietExit(4);
}
