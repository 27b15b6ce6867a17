// `holdfast hooks git`: puts the guard of reservations into the pre-commit hook of a repository, in front of whatever is there.
import { chmodSync, existsSync, lstatSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { holdfastCommand } from '../../features/attach/entry.ts';
import {
  type ClientTarget,
  connectFile,
  isChange,
  type Plan,
  planConnect,
} from '../../features/attach/files/connection.ts';
import type { Config } from '../../kernel/config.ts';
import { HubError } from '../../kernel/errors.ts';
import { hooksFolderOf } from '../../kernel/git/hooks.ts';
import { gitPlaceOf } from '../../kernel/git/place.ts';
import { ensurePrivateFolder } from '../../kernel/home.ts';
import { shellWord } from '../../kernel/shell-word.ts';
import { confirm } from '../terminal/confirm.ts';
import { renderDiff } from '../terminal/diff.ts';
import { REFUSED } from './git-guard.ts';
import { databaseWords } from './command.ts';
import { configFrom, type Options } from '../options.ts';
import { GIT_HOOK, GIT_NEXT, GIT_WRAPPER, targetAt } from '../setup/targets.ts';
import type { World } from '../world.ts';

export async function installGitHook(world: World, options: Options): Promise<void> {
  const config = await configFrom(world, { database: options['database'] });
  const { file, notes } = await hookFileOf(world.cwd);
  const steps = stepsFor(file, config);
  const changes = steps.filter(({ plan }) => isChange(plan));
  const diff = changes
    .map(({ plan }) => renderDiff(plan.file, plan.before ?? '', plan.after ?? ''))
    .join('\n');
  const say = options['json'] ? () => undefined : world.print;
  say(diff === '' ? `${file} guards reservations already.` : diff);
  for (const note of diff === '' ? [] : notes) world.tell(note);
  const isTrial = options['dryRun'] === true;
  const isAsking =
    diff !== '' && !isTrial && options['yes'] !== true && world.columns !== undefined && !options['json'];
  if (isAsking && !(await confirm(world, 'Make this change?'))) return world.tell('Nothing was changed.');
  if (!isTrial && diff !== '') {
    ensurePrivateFolder(config.home);
    for (const { plan, target } of changes) {
      connectFile(plan, target, new Date());
      chmodSync(plan.file, 0o755);
    }
    say('\nWritten. Take it back with: holdfast uninstall');
  }
  if (options['json']) world.print(JSON.stringify({ file, changed: diff !== '' && !isTrial, diff, notes }));
}

type Step = Readonly<{ plan: Plan; target: ClientTarget }>;

/** A shell script takes our lines in; any other program is put under another name, and ours goes before it. */
function stepsFor(file: string, config: Config): Step[] {
  const step = (name: string, at: string, text: string): Step => {
    const target = targetAt(name, at, config.home)!;
    return { plan: planConnect(target, { text }), target };
  };
  const text = textOf(file);
  const next = `${file}.holdfast-next`;
  const isWrapped = existsSync(next) && text?.includes(shellWord(next)) === true;
  if (isWrapped) return [step(GIT_WRAPPER, file, wrapperFor(next, config))];
  if (text === undefined || isShell(text)) return [step(GIT_HOOK, file, linesFor(config))];
  return [step(GIT_NEXT, next, text), step(GIT_WRAPPER, file, wrapperFor(next, config))];
}

/** Undefined: there is no hook yet. */
function textOf(file: string): string | undefined {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (!found) return undefined;
  const real = statSync(file, { throwIfNoEntry: false });
  if (!real?.isFile()) throw refused(file, 'is no file', 'Remove it first.');
  if ((real.mode & 0o100) === 0)
    throw refused(file, 'is not executable, so git does not run it', 'Remove it, or make it executable.');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
  } catch (error) {
    throw refused(file, 'is a program, not a script', 'Call it from a script of that name.').because(error);
  }
}

function refused(file: string, what: string, hint: string): HubError {
  return new HubError('conflict', `${file} ${what}; it was not touched.`, { hint });
}

function isShell(text: string): boolean {
  // Linux reads no more of that line either.
  const first = text.split('\n', 1)[0]!.slice(0, 256);
  return (
    !first.startsWith('#!') || /^#!\s*\S*?(?:\/env\s+(?:-\S+\s+)?)?(?:\S*\/)?(?:ba|da|z|k)?sh\b/.test(first)
  );
}

/** Where the program is gone, or the hub, the commit goes on. */
function linesFor(config: Config): string {
  const words = holdfastCommand();
  const command = [...words, 'hooks', 'guard', ...databaseWords(config)].map(shellWord).join(' ');
  const isThere = words.filter((word) => word.includes('/')).map((word) => `[ -e ${shellWord(word)} ]`);
  return [
    '# Agents do not commit files that another one has reserved. `holdfast uninstall` takes this back.',
    `if ${isThere.join(' && ')}; then`,
    `  ${command} || [ $? -ne ${REFUSED} ] || exit 1`,
    'fi',
    '',
  ].join('\n');
}

function wrapperFor(next: string, config: Config): string {
  return `#!/bin/sh\n${linesFor(config)}exec ${shellWord(next)} "$@"\n`;
}

async function hookFileOf(cwd: string): Promise<Readonly<{ file: string; notes: readonly string[] }>> {
  const place = await gitPlaceOf(cwd);
  if (!place || place.top === undefined)
    throw new HubError('invalid', 'This folder is in no git repository.', { hint: 'Go to one first.' });
  const { folder, isNamed } = await hooksFolderOf(place, place.top);
  const file = join(folder, 'pre-commit');
  const isInside = `${folder}${sep}`.startsWith(`${place.top}${sep}`);
  return {
    file,
    notes: [
      ...(isNamed && isInside && folder !== join(place.common, 'hooks')
        ? [
            `core.hooksPath leads to ${folder}, in this checkout: if git tracks it, others get the change, too. Elsewhere it does nothing.`,
          ]
        : []),
      ...(isNamed && !isInside
        ? [`core.hooksPath leads to ${folder}: it may be used by other repositories, too.`]
        : []),
      ...(lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()
        ? [`${file} leads to ${realpathSync(file)}.`]
        : []),
    ],
  };
}
