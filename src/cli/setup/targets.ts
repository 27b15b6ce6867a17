import { delimiter, join } from 'node:path';
import { SERVER_IDS, isServerKey } from '../../features/attach/attachment.ts';
import {
  clientFile,
  hookFile,
  type Surroundings,
  userHome,
} from '../../features/attach/files/client-files.ts';
import type { ClientTarget } from '../../features/attach/files/connection.ts';
import { hookText } from '../../features/attach/files/hook-text.ts';
import { blockText, topBlockText, wholeText } from '../../features/attach/files/line-texts.ts';
import { isRuntime, type Runtime, RUNTIMES } from '../../features/attach/runtimes.ts';
import { type HookClient, isHookClient } from '../../features/attach/hooks/moments.ts';
import { isOurHook } from '../hooks/packs.ts';
import { servicePlace } from '../up/service-file.ts';

/**
 * Every place outside our own folders that setup may change, known by a name: the same name finds it again
 * when it is looked at by `doctor` and when `uninstall` takes the change back.
 */
export type Premises = Surroundings & Readonly<{ home: string }>;

const SHELL_MARKS = ['# >>> holdfast >>>', '# <<< holdfast <<<'] as const;
/** In a shell script, around another program, and that program under another name. */
export const [GIT_HOOK, GIT_WRAPPER, GIT_NEXT] = ['git-hook', 'git-hook-around', 'git-hook-next'] as const;
const NOTE_MARKS = ['<!-- holdfast:begin -->', '<!-- holdfast:end -->'] as const;

export function clientTarget(client: Runtime, around: Premises): ClientTarget {
  const name = `${client}-hub`;
  return { ...clientFile(client, 'user', around), id: SERVER_IDS.hub, home: around.home, name };
}

export function hookTarget(client: HookClient, around: Premises): ClientTarget {
  return targetAt(`hooks-${client}`, hookFile(client, around), around.home)!;
}

export function serviceTarget(around: Premises): ClientTarget | undefined {
  const file = servicePlace(around);
  return file === undefined ? undefined : targetAt('service', file, around.home);
}

export type Shell = 'bash' | 'zsh' | 'fish';

export function completionTarget(shell: Shell, { env, home }: Premises): ClientTarget {
  const data = env['XDG_DATA_HOME'] || join(userHome(env), '.local', 'share');
  const config = env['XDG_CONFIG_HOME'] || join(userHome(env), '.config');
  const file = {
    bash: join(data, 'bash-completion', 'completions', 'holdfast'),
    fish: join(config, 'fish', 'completions', 'holdfast.fish'),
    zsh: join(env['ZDOTDIR'] || userHome(env), '.zshrc'),
  }[shell];
  return targetAt(`completion-${shell}`, file, home)!;
}

export function sessionsTarget({ home }: Premises): ClientTarget {
  return targetAt('sessions', join(home, 'config.yaml'), home)!;
}

export function notesTarget(file: string, { home }: Premises): ClientTarget {
  return targetAt('notes', file, home)!;
}

export function embeddingTarget({ home }: Premises): ClientTarget {
  return targetAt('embedding', join(home, 'config.yaml'), home)!;
}

/** Where the command of a checkout is put: a folder of the person's own that is on the path, if there is one. */
export function pathTarget({ env, home }: Premises): ClientTarget {
  const own = [join(userHome(env), '.local', 'bin'), join(userHome(env), 'bin')];
  const onPath = (env['PATH'] ?? '').split(delimiter);
  const folder = own.find((each) => onPath.includes(each)) ?? own[0]!;
  return targetAt('path', join(folder, 'holdfast'), home)!;
}

/** The place behind the name on a receipt; undefined for a name of a version to come. */
export function targetAt(name: string, file: string, home: string): ClientTarget | undefined {
  const common = { file, home, name, under: [], id: '' };
  if (name === 'path' || name === 'service' || name === 'completion-bash' || name === 'completion-fish')
    return { ...common, text: wholeText };
  if (name === 'completion-zsh' || name === 'embedding' || name === 'sessions')
    return { ...common, text: blockText(...SHELL_MARKS) };
  if (name === GIT_HOOK) return { ...common, text: topBlockText(...SHELL_MARKS, '#!/bin/sh') };
  if (name === GIT_WRAPPER || name === GIT_NEXT) return { ...common, text: wholeText };
  if (name === 'notes') return { ...common, text: blockText(...NOTE_MARKS) };
  const client = RUNTIMES.find((each) => name.startsWith(`${each}-`));
  const server = client && name.slice(client.length + 1);
  if (client && isRuntime(client) && server !== undefined && isServerKey(server)) {
    const { text, under } = clientFile(client, 'user', { env: {}, cwd: '/', platform: 'linux' });
    return { ...common, text, under, id: SERVER_IDS[server] };
  }
  const hooks = name.replace(/^hooks-/, '');
  if (!isHookClient(hooks)) return undefined;
  return hooks === 'opencode'
    ? { ...common, text: wholeText }
    : { ...common, text: hookText(isOurHook), id: 'hooks' };
}
