import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Surroundings, userHome } from '../../features/attach/files/client-files.ts';

/**
 * The hub as a service of the user: a systemd unit, or an agent of launchd. Text only; `service.ts` switches
 * it on and off.
 */
export const UNIT = 'holdfast.service';
export const LABEL = 'dev.holdfast.hub';

export type Service = Readonly<{ command: readonly string[]; env: Readonly<Record<string, string>> }>;

/** Undefined where we know no way to have a service. */
export function servicePlace({ env, platform }: Surroundings): string | undefined {
  if (platform === 'darwin') return join(userHome(env), 'Library', 'LaunchAgents', `${LABEL}.plist`);
  if (platform !== 'linux') return undefined;
  return join(env['XDG_CONFIG_HOME'] || join(userHome(env), '.config'), 'systemd', 'user', UNIT);
}

export function serviceText(platform: NodeJS.Platform, { command, env }: Service): string {
  return platform === 'darwin' ? plist(command, env) : unit(command, env);
}

/** A unit that runs our hub and is not the one setup writes: somebody made it by hand. */
export function foreignService(around: Surroundings, own: string): string | undefined {
  const { env, platform } = around;
  const folders =
    platform === 'darwin'
      ? [join(userHome(env), 'Library', 'LaunchAgents'), '/Library/LaunchAgents', '/Library/LaunchDaemons']
      : [join(own, '..'), '/etc/systemd/user', '/etc/systemd/system'];
  const files = folders.flatMap((folder) =>
    existsSync(folder)
      ? readdirSync(folder, { withFileTypes: true })
          .filter((entry) => !entry.isDirectory() && /\.(service|plist)$/.test(entry.name))
          .map(({ name }) => join(folder, name))
      : [],
  );
  return files.find((file) => file !== own && runsHub(file));
}

function runsHub(file: string): boolean {
  try {
    return /holdfast(\.js)?["']?(\s+|<\/string>\s*<string>)["']?(up|serve)\b/.test(
      readFileSync(file, 'utf8'),
    );
  } catch {
    return false; // not ours to read, or a link to nowhere
  }
}

/** Stopped by hand it stays stopped; ended by an accident it comes back. */
function unit(command: readonly string[], env: Readonly<Record<string, string>>): string {
  // A line break in a path would begin a directive of its own.
  const quoted = (text: string) =>
    `"${text.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('%', '%%')}"`;
  return [
    '# Written by `holdfast setup`; `holdfast uninstall` takes it away.',
    '[Unit]',
    'Description=Holdfast, the hub of your coding agents',
    '',
    '[Service]',
    `ExecStart=${command.map((word) => quoted(word).replaceAll('$', '$$$$')).join(' ')}`,
    ...Object.entries(env).map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`),
    'Restart=on-failure',
    'RestartSec=2',
    'TimeoutStopSec=60',
    '',
    '[Install]',
    'WantedBy=default.target',
    '',
  ].join('\n');
}

function plist(command: readonly string[], env: Readonly<Record<string, string>>): string {
  const text = (value: string) =>
    `<string>${value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}</string>`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<!-- Written by `holdfast setup`; `holdfast uninstall` takes it away. -->',
    '<plist version="1.0">',
    '<dict>',
    `  <key>Label</key>${text(LABEL)}`,
    '  <key>ProgramArguments</key>',
    '  <array>',
    ...command.map((word) => `    ${text(word)}`),
    '  </array>',
    '  <key>EnvironmentVariables</key>',
    '  <dict>',
    ...Object.entries(env).map(([name, value]) => `    <key>${text(name).slice(8, -9)}</key>${text(value)}`),
    '  </dict>',
    '  <key>RunAtLoad</key><true/>',
    '  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>',
    '</dict>',
    '</plist>',
    '',
  ].join('\n');
}
