// `holdfast uninstall`: takes back, the last first, everything that setup, connect and doctor put anywhere,
// and says what it leaves.
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { Command } from 'commander';
import { packageRoot } from '../../features/attach/attach.ts';
import { userHome } from '../../features/attach/files/client-files.ts';
import {
  type ClientTarget,
  disconnectFile,
  isChange,
  type Plan,
  planDisconnect,
} from '../../features/attach/files/connection.ts';
import {
  allReceipts,
  dropReceipt,
  type Receipt,
  removeFolders,
} from '../../features/attach/files/receipts.ts';
import type { Config } from '../../kernel/config.ts';
import { runningHub } from '../../kernel/discovery.ts';
import { HubError, toHubError } from '../../kernel/errors.ts';
import { confirm } from '../terminal/confirm.ts';
import { renderDiff } from '../terminal/diff.ts';
import { QuietExit } from '../exit.ts';
import { configFrom, type Options, withDatabase } from '../options.ts';
import { endHub } from '../up/hub-process.ts';
import { forget, switchOff } from '../up/service.ts';
import { targetAt } from './targets.ts';
import { nameOf } from '../up/up.ts';
import type { World } from '../world.ts';

export function uninstallCommand(world: World): Command {
  return withDatabase(
    new Command('uninstall').description('take back everything that setup and connect did; shows it first'),
  )
    .option('--data', 'and remove the home with everything in it: tasks, memory, keys, copies')
    .option('--yes', 'ask nothing and do it')
    .option('--dry-run', 'show the changes and make none')
    .action((options: Options) => uninstall(world, options));
}

type Undoing = Readonly<{ name: string; target: ClientTarget; plan?: Plan; diff: string; why?: string }>;

async function uninstall(world: World, options: Options): Promise<void> {
  const config = await configFrom(world, { database: options['database'] });
  const say = options['json'] ? () => undefined : world.print;
  const receipts = allReceipts(config.home);
  // A second change of the same file is worked out when the first is undone; what is shown now is each by
  // itself.
  const undoings = receipts.flatMap((receipt) => undoingOf(receipt, config));
  for (const { diff, why, target } of undoings)
    say(
      why === undefined ? diff || `${target.file} has nothing of ours any more.` : `${target.file}: ${why}`,
    );
  const isData = options['data'] === true && existsSync(config.home);
  if (isData) refuseForeignHome(world, config);
  if (isData) say(`${config.home} is removed with everything in it.`);
  if (undoings.length === 0 && !isData) say('Nothing of ours is installed.');

  const isWatched = world.columns !== undefined && !options['json'];
  const isNothing = undoings.length === 0 && !isData;
  const isDoing =
    !isNothing &&
    options['dryRun'] !== true &&
    (options['yes'] === true ||
      (isWatched && (await confirm(world, 'Take all this back?', { isRisky: true }))));
  if (!isNothing && !isDoing) say(`\nNothing was changed.${isWatched ? '' : ' Do it with: --yes'}`);
  const problems = isDoing ? await undoAll(world, receipts, config) : [];
  if (isDoing && isData) await removeHome(config);
  const left = leavings(world, config);
  if (options['json'])
    world.print(
      JSON.stringify({ undone: isDoing, files: undoings.map(({ target }) => target.file), problems, left }),
    );
  else {
    for (const problem of problems) world.tell(problem);
    say(['', 'Left here:', ...left.map((each) => `  ${each}`)].join('\n'));
  }
  if (problems.length > 0) throw new QuietExit(1);
}

function undoingOf({ name, file }: Receipt, { home }: Config): Undoing[] {
  const target = targetAt(name!, file, home);
  if (!target) return [];
  try {
    const plan = planDisconnect(target);
    const diff = isChange(plan) ? renderDiff(file, plan.before ?? '', plan.after ?? '') : '';
    return [{ name: name!, target, plan, diff }];
  } catch (thrown) {
    return [{ name: name!, target, diff: '', why: toHubError(thrown).message }];
  }
}

/** Answers what could not be undone; everything else is. */
async function undoAll(world: World, receipts: readonly Receipt[], config: Config): Promise<string[]> {
  const problems: string[] = [];
  const place = { platform: process.platform, env: world.env };
  let moment = Date.now();
  for (const receipt of receipts) {
    const [undoing] = undoingOf(receipt, config);
    if (!undoing?.plan) {
      problems.push(
        undoing?.why ?? `${receipt.file}: ${receipt.name} is of a version that is not known here.`,
      );
      continue;
    }
    const { target, plan } = undoing;
    const isService = receipt.name === 'service';
    const problem = isService ? switchOff(place) : undefined;
    if (isChange(plan)) disconnectFile(plan, target, new Date((moment += 1)));
    else dropReceipt(target);
    if (isService) forget(place);
    if (problem !== undefined) problems.push(`The service is taken away, but ${problem}.`);
  }
  // A folder that came with one file may have been in use by another when that file went.
  for (const { file, createdFolder } of receipts) removeFolders(file, createdFolder);
  return problems;
}

/** A home that holds more than ours, or a whole user, is not ours to remove. */
function refuseForeignHome(world: World, { home }: Config): void {
  const user = userHome(world.env);
  const isAbove = home === user || user.startsWith(`${home}${sep}`) || home === dirname(home);
  const isOurs = ['holdfast.db', 'token', 'connections', 'backups', 'run'].some((name) =>
    existsSync(join(home, name)),
  );
  if (!isAbove && (isOurs || readdirSync(home).length === 0)) return;
  throw new HubError('forbidden', `${home} does not look like a home of Holdfast alone; it is not removed.`, {
    hint: 'Remove what you want to be gone by hand.',
  });
}

async function removeHome(config: Config): Promise<void> {
  const hub = await runningHub(config);
  if (hub) await endHub(hub);
  rmSync(config.home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

function leavings(world: World, config: Config): string[] {
  const { home } = config;
  const database = nameOf(config);
  const isApart = !database.startsWith(`${home}${sep}`);
  return [
    ...(existsSync(home) ? [`${home}: your data, keys and copies (gone with --data)`] : []),
    ...(isApart && (database.includes('://') || statSync(database, { throwIfNoEntry: false }))
      ? [`${database}: the database`]
      : []),
    `${packageRoot()}: the program (npm uninstall -g holdfast, or remove the checkout)`,
  ];
}
