import { spawnSync } from 'node:child_process';
import type { Environment } from '../../kernel/config.ts';
import { shellWord } from '../../kernel/shell-word.ts';
import { LABEL, UNIT } from './service-file.ts';

/** Switches the service on and off through the system's own command. Answers what went wrong, or nothing. */
type Switch = Readonly<{ platform: NodeJS.Platform; env: Environment; file: string }>;

/** With a hub already running the service waits for the next login: two would not share the database. */
export function switchOn({ platform, env, file }: Switch, isHubRunning: boolean): string | undefined {
  if (platform === 'darwin')
    return isHubRunning ? undefined : run(env, ['launchctl', 'bootstrap', domain(), file]);
  const now = isHubRunning ? [] : ['--now'];
  return (
    run(env, ['systemctl', '--user', 'daemon-reload']) ??
    run(env, ['systemctl', '--user', 'enable', ...now, UNIT])
  );
}

/** What to do when it could not be switched on: a session without a service manager, as over ssh, is no defect. */
export function switchOnLater({ platform, file }: Omit<Switch, 'env'>): string {
  const command =
    platform === 'darwin'
      ? `launchctl bootstrap ${domain()} ${shellWord(file)}`
      : `systemctl --user enable --now ${UNIT}`;
  return `Where you are logged in for good: ${command}. Until then: holdfast up --detach`;
}

/** Before its file goes away. */
export function switchOff({ platform, env }: Omit<Switch, 'file'>): string | undefined {
  if (platform === 'darwin') return run(env, ['launchctl', 'bootout', `${domain()}/${LABEL}`]);
  return run(env, ['systemctl', '--user', 'disable', '--now', UNIT]);
}

/** After its file is gone. */
export function forget({ platform, env }: Omit<Switch, 'file'>): string | undefined {
  return platform === 'darwin' ? undefined : run(env, ['systemctl', '--user', 'daemon-reload']);
}

/** Whether systemd runs this very process as our service: only then is a restart its business. */
export function isService(env: Environment, pid: number): boolean {
  const args = ['--user', 'show', '--property', 'MainPID', '--value', UNIT];
  const { stdout } = spawnSync('systemctl', args, { env, encoding: 'utf8', timeout: 5_000 });
  return Number(stdout?.trim()) === pid;
}

/** Answers what went wrong, or nothing. */
export function restartService(env: Environment): string | undefined {
  return run(env, ['systemctl', '--user', 'restart', UNIT]);
}

function domain(): string {
  return `gui/${process.getuid?.() ?? 0}`;
}

function run(env: Environment, [command, ...args]: readonly string[]): string | undefined {
  const { status, stderr, error } = spawnSync(command!, args, { env, encoding: 'utf8', timeout: 30_000 });
  if (status === 0) return undefined;
  const why = error ? (error as NodeJS.ErrnoException).code : stderr.trim().split('\n')[0];
  return `\`${[command, ...args].join(' ')}\` did not work (${why})`;
}
