// `holdfast upgrade`: how this very installation is brought up to date. It says so and changes nothing: what is
// installed on a machine is its owner's business.
import { existsSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { Command } from 'commander';
import { packageRoot } from '../features/attach/attach.ts';
import { isPostgresUrl } from '../kernel/site.ts';
import { runningHub } from '../kernel/discovery.ts';
import { shellWord } from '../kernel/shell-word.ts';
import { VERSION } from '../kernel/version.ts';
import { configFrom, type Options, withDatabase } from './options.ts';
import type { World } from './world.ts';

export function upgradeCommand(world: World): Command {
  return withDatabase(
    new Command('upgrade').description('how to bring this installation up to date; changes nothing'),
  ).action(async (options: Options) => {
    const config = await configFrom(world, options);
    const root = packageRoot();
    const kind = kindOf(root);
    const isRunning = (await runningHub(config)) !== undefined;
    const steps = [
      ...(isPostgresUrl(config.database) ? [] : ['holdfast backup before-upgrade.db']),
      ...(isRunning && kind === 'checkout' ? ['holdfast stop'] : []),
      ...INSTALL[kind](root),
      ...(isRunning && kind !== 'checkout' ? ['holdfast restart'] : []),
      'holdfast doctor --fix',
    ];
    if (options['json']) return world.print(JSON.stringify({ version: VERSION, kind, steps }));
    world.print(`Holdfast ${VERSION}, ${SAID[kind]}. To bring it up to date:\n`);
    world.print(steps.map((step) => `  ${step}`).join('\n'));
    world.tell(
      '\nThe next start brings the database up to date by itself. There is no way down but the backup; ' +
        'what changed is in CHANGELOG.md.',
    );
  });
}

type Kind = 'checkout' | 'global' | 'folder' | 'once';

const SAID: Readonly<Record<Kind, string>> = {
  checkout: 'from a checkout',
  global: 'installed with npm',
  folder: 'installed with npm into one folder',
  once: 'run by npx',
};

const INSTALL: Readonly<Record<Kind, (root: string) => readonly string[]>> = {
  checkout: () => ['git pull', 'npm start'],
  global: () => ['npm install --global holdfast@latest'],
  folder: (root) => [`npm install --prefix ${shellWord(folderAround(root))} holdfast@latest`],
  once: () => ['npx holdfast@latest'],
};

function kindOf(root: string): Kind {
  if (existsSync(join(root, 'src', 'app.ts'))) return 'checkout';
  if (root.includes(`${sep}_npx${sep}`)) return 'once';
  return existsSync(join(folderAround(root), 'package.json')) ? 'folder' : 'global';
}

/** What node_modules stands in: of a global installation that is a folder of npm's, without a package of its own. */
function folderAround(root: string): string {
  return dirname(dirname(root));
}
