import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { tortureCitations } from '../citations/long.ts';
import { startPostgres } from '../fixtures/postgres-server.ts';
import { chaos, describeChaos } from '../chaos/chaos.ts';
import { describeLinear, linearOnFile, linearOnServer } from '../linear/linear.ts';
import { describeCheckpoints, tortureCheckpoints, tortureFullDisk } from './checkpoints.ts';
import { describeDispatch, tortureDispatch } from './dispatch.ts';
import { startTorturedHub } from './dispatch-hub.ts';
import { describeLanding, tortureLanding } from './landing.ts';
import { describeMany, landAmongMany } from './many-files.ts';
import { describeFrozen, tortureFrozen } from './freeze.ts';
import { describePool, torturePool } from './pool.ts';
import { describeSync, tortureSync } from './sync.ts';
import { describeReport, torture, type TortureReport } from './torture.ts';

/**
 * `npm run torture [-- tasks [--runs | --freeze]]`: the long form of what `npm test` does briefly, on both
 * engines. `--runs`: agents alone; `--freeze`: several hubs on one PostgreSQL, frozen and killed.
 * `npm run torture -- --citations [edits] [seed] [folder]`: edits, moves, renames and rebases of cited code.
 * `npm run torture -- --landing [landings] [engine]`: branches that land while hubs are killed and targets move; then three among 50,000 files.
 * `npm run torture -- --checkpoints [rounds]`: hubs killed inside checkpoints, half of them on a disk that fills up.
 * `npm run torture -- --chaos [seconds]`: everything at once, half of the time on each engine.
 * `npm run torture -- --linear [calls]`: histories of claims, held against one task with one hand on it.
 * `npm run torture -- --pool [runs] [kills]`: three hubs and six runners on one PostgreSQL, killed and cut off.
 * `npm run torture -- --sync [rounds] [seed]`: two clones of one repository, edited on both sides and merged by git.
 */
const dist = fileURLToPath(new URL('../../dist/bin/', import.meta.url));
const ROUNDS = 200;
const SYNC_ROUNDS = 500;
const MANY_FILES = 50_000;
const LINEAR_CALLS = 20_000;
const CHAOS_SECONDS = 3_600;
if (process.argv[2] === '--pool') process.exit(await pools(process.argv.slice(3).map(Number)));
if (process.argv[2] === '--sync') process.exit(await syncs(Number(process.argv[3] ?? SYNC_ROUNDS)));
if (process.argv[2] === '--chaos') process.exit(await chaotic(Number(process.argv[3] ?? CHAOS_SECONDS)));
if (process.argv[2] === '--linear') process.exit(await linear(Number(process.argv[3] ?? LINEAR_CALLS)));
if (process.argv[2] === '--checkpoints') process.exit(await checkpoints(Number(process.argv[3] ?? ROUNDS)));
if (process.argv[2] === '--citations') process.exit(await citations(process.argv.slice(3)));
if (process.argv[2] === '--landing')
  process.exit(await landing(Number(process.argv[3] ?? 300), process.argv[4] ?? ''));
const given = Number(process.argv[2]);
const tasks = Number.isInteger(given) ? given : 2_000;
const plan = {
  tasks,
  workers: 8,
  killEveryMs: 350,
  maxMs: 60_000 + tasks * 120,
  bins: { holdfast: `${dist}holdfast.js`, tasks: `${dist}clawboo-mcp-tasks.js` },
};

const [isRunsAlone, isFreezing] = ['--runs', '--freeze'].map((flag) => process.argv.includes(flag));
if (isFreezing) {
  const server = await startPostgres();
  const outcome = await tortureFrozen({
    database: { url: server.url, schema: 'torture_freeze' },
    tasks,
    freezes: Math.max(2, Math.round(tasks / 33)),
    maxMs: 600_000 + tasks * 120,
    holdfast: plan.bins.holdfast,
  });
  process.stdout.write(describeFrozen(outcome));
  for (const violation of outcome.violations.slice(0, 20)) process.stdout.write(`  ${violation}\n`);
  await server.stop();
  process.exit(outcome.violations.length === 0 ? 0 : 1);
}

const passes = isRunsAlone ? [] : [false, true];
let violations = 0;
for (const areNameless of passes) {
  violations += report(
    `SQLite${areNameless ? ', nameless' : ''}`,
    await torture({ ...plan, areNameless, database: 'sqlite' }),
  );
}
const server = await startPostgres();
for (const areNameless of passes) {
  const database = { url: server.url, schema: areNameless ? 'torture_nameless' : 'torture' };
  violations += report(
    `PostgreSQL${areNameless ? ', nameless' : ''}`,
    await torture({ ...plan, areNameless, database }),
  );
}
for (const database of ['SQLite', 'PostgreSQL'] as const) violations += await runs(database);
await server.stop();
process.exit(violations === 0 ? 0 : 1);

/** Answers the exit code: a disk that cannot be mounted is told, and is no success. */
async function checkpoints(rounds: number): Promise<number> {
  const asked = { rounds: Math.ceil(rounds / 2), holdfast: `${dist}holdfast.js` };
  const plain = await tortureCheckpoints({ ...asked, isFilling: false });
  process.stdout.write(describeCheckpoints(plain));
  const full = await tortureFullDisk(asked);
  process.stdout.write(full ? describeCheckpoints(full) : 'No disk can be mounted here: none was filled.\n');
  const violations = [...plain.violations, ...(full?.violations ?? [])];
  for (const violation of violations.slice(0, 20)) process.stdout.write(`  ${violation}\n`);
  return full && violations.length === 0 ? 0 : 1;
}

/** On both engines, unless one is named; a tenth as many kills as landings, and a fifteenth as many moves by hand. */
async function landing(landings: number, wanted: string): Promise<number> {
  const engines = (['SQLite', 'PostgreSQL'] as const).filter((engine) =>
    engine.toLowerCase().startsWith(wanted.toLowerCase()),
  );
  if (engines.length === 0) {
    process.stderr.write(`There is no engine ${wanted}. Known: sqlite, postgresql.\n`);
    return 2;
  }
  const postgres = await startPostgres();
  let found = 0;
  for (const engine of engines) {
    const home = mkdtempSync(join(tmpdir(), 'holdfast-torture-'));
    const settings = { land: { '*': { unconfined: true } }, 'database-schema': 'torture_landing' };
    writeFileSync(join(home, 'config.yaml'), stringify(settings));
    const { PATH, HOME } = process.env;
    const database = engine === 'SQLite' ? {} : { HOLDFAST_DATABASE_URL: postgres.url };
    const token = 't'.repeat(40);
    const env = {
      PATH,
      HOME,
      HOLDFAST_HOME: home,
      HOLDFAST_TOKEN: token,
      HOLDFAST_LOG: 'silent',
      ...database,
    };
    const outcome = await tortureLanding({
      landings,
      agents: 8,
      hubKills: Math.round(landings / 10),
      handMoves: Math.round(landings / 15),
      maxMs: 120_000 + landings * 10_000,
      token,
      startHub: () => startTorturedHub(env),
    });
    if (engine === 'SQLite') {
      const many = await landAmongMany({
        files: MANY_FILES,
        landings: 3,
        token,
        startHub: () => startTorturedHub(env),
      });
      process.stdout.write(describeMany(MANY_FILES, many));
      for (const violation of many.violations) process.stdout.write(`  ${violation}\n`);
      found += many.violations.length;
    }
    rmSync(home, { recursive: true, force: true });
    process.stdout.write(describeLanding(`${engine}, ${landings} landings`, outcome));
    for (const violation of outcome.violations.slice(0, 20)) process.stdout.write(`  ${violation}\n`);
    found += outcome.violations.length;
  }
  await postgres.stop();
  return found === 0 ? 0 : 1;
}

/** Agents that do tasks, killed with their hubs. */
async function runs(engine: 'SQLite' | 'PostgreSQL'): Promise<number> {
  const home = mkdtempSync(join(tmpdir(), 'holdfast-torture-'));
  const repository = join(home, 'repository');
  execFileSync('git', ['init', '-q', repository]);
  const who = ['-c', 'user.name=torture', '-c', 'user.email=torture@example.invalid'];
  execFileSync('git', ['-C', repository, ...who, 'commit', '-q', '--allow-empty', '-m', 'begin']);
  const worker = fileURLToPath(new URL('../fixtures/dispatch/worker.mjs', import.meta.url));
  const agent = (...manner: string[]) => ({
    family: 'command',
    command: [process.execPath, worker, ...manner],
  });
  const agents = {
    one: agent('good', '0', '1500'),
    two: agent('untidy', '0', '1500'),
    three: agent('dying', '0.3', '1500'),
  };
  writeFileSync(join(home, 'config.yaml'), stringify({ agents, 'database-schema': 'torture_runs' }));
  const { PATH, HOME } = process.env;
  const database = engine === 'SQLite' ? {} : { HOLDFAST_DATABASE_URL: server.url };
  const env = {
    PATH,
    HOME,
    HOLDFAST_HOME: home,
    HOLDFAST_TOKEN: 't'.repeat(40),
    HOLDFAST_LOG: 'silent',
    ...database,
  };
  const count = Math.max(30, Math.round(tasks / 20));
  const outcome = await tortureDispatch({
    tasks: count,
    atOnce: 4,
    killEveryMs: 900,
    maxMs: 120_000 + count * 3_000,
    instances: Object.keys(agents),
    project: repository,
    token: env.HOLDFAST_TOKEN,
    startHub: () => startTorturedHub(env),
  });
  rmSync(home, { recursive: true, force: true });
  process.stdout.write(describeDispatch(`${engine}, ${count} tasks by agents`, outcome));
  for (const violation of outcome.violations.slice(0, 20)) process.stdout.write(`  ${violation}\n`);
  return outcome.violations.length;
}

function report(engine: string, outcome: TortureReport): number {
  process.stdout.write(describeReport(`${engine}, ${tasks} tasks`, outcome));
  for (const violation of outcome.violations.slice(0, 20)) process.stdout.write(`  ${violation}\n`);
  return outcome.violations.length;
}

async function chaotic(seconds: number): Promise<number> {
  const plan = { ms: seconds * 500, everyMs: 1_500, workers: 8 };
  const file = await chaos(plan);
  process.stdout.write(describeChaos('SQLite', file));
  const postgres = await startPostgres({ isSynced: true });
  const served = await chaos({ ...plan, server: postgres });
  process.stdout.write(describeChaos('PostgreSQL, two hubs', served));
  await postgres.stop();
  return file.violations.length + served.violations.length === 0 ? 0 : 1;
}

async function linear(calls: number): Promise<number> {
  const file = await linearOnFile({ calls, everyMs: 4_000 });
  process.stdout.write(describeLinear('SQLite', file));
  const postgres = await startPostgres();
  const served = await linearOnServer({ server: postgres, schema: 'linear' }, { calls, everyMs: 3_000 });
  process.stdout.write(describeLinear('PostgreSQL, three hubs', served));
  await postgres.stop();
  return [file, served].every(({ verdict }) => verdict.is === 'linearizable') ? 0 : 1;
}

async function citations([edits, seed, folder]: readonly string[]): Promise<number> {
  const outcome = await tortureCitations({ edits: Number(edits ?? 500), seed: Number(seed ?? 1), folder });
  process.stdout.write(outcome.text);
  return outcome.share >= 0.98 ? 0 : 1;
}

async function syncs(rounds: number): Promise<number> {
  const seed = Number(process.argv[4] ?? Date.now() % 100_000);
  const outcome = await tortureSync({ rounds, seed });
  process.stdout.write(`seed ${seed}, ${rounds} rounds: ${describeSync(outcome)}`);
  for (const violation of outcome.violations.slice(0, 20)) process.stdout.write(`  ${violation}\n`);
  return outcome.violations.length === 0 ? 0 : 1;
}

async function pools([runs = 500, kills = 100]: readonly number[]): Promise<number> {
  const server = await startPostgres();
  try {
    const report = await torturePool({
      database: { url: server.url, schema: 'torture_pool' },
      hubs: 3,
      runners: 6,
      runs,
      kills,
      maxMs: 3_600_000,
      holdfast: join(dist, 'holdfast.js'),
    });
    process.stdout.write(describePool(report));
    for (const line of [...report.violations, ...report.notDone].slice(0, 50))
      process.stdout.write(`  ${line}\n`);
    return report.violations.length === 0 && report.done === report.runs ? 0 : 1;
  } finally {
    await server.stop();
  }
}
