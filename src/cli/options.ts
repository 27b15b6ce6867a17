import type { Command } from 'commander';
import { type Config, type Flags, resolveConfig } from '../kernel/config.ts';
import type { World } from './world.ts';

export type Options = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

export const DATABASE =
  'a SQLite file or a postgres:// URL (else CLAWBOO_DB_PATH, HOLDFAST_DATABASE_URL, or the file in HOLDFAST_HOME)';

/** Every command that looks at a database takes these. */
export function withDatabase(command: Command): Command {
  return command.option('--database <location>', DATABASE).option('--json', 'answer as JSON');
}

/** The named options as they were given, for a bin that reads them itself. */
export function argumentsOf(options: Options, names: readonly string[]): string[] {
  return names.flatMap((name) => (typeof options[name] === 'string' ? [`--${name}`, options[name]] : []));
}

/** The settings that were given as flags; everything else is left to the environment and config.yaml. */
export function configFrom(world: World, options: Options): Promise<Config> {
  const flags: Record<string, string> = {};
  for (const [name, value] of Object.entries(options)) {
    if (typeof value === 'string') flags[flagOf(name)] = value;
    else if (value === false) flags[flagOf(`no-${name}`)] = 'true';
    else if (Array.isArray(value)) flags[flagOf(name)] = value.join(',');
  }
  return resolveConfig({ flags: flags satisfies Flags, env: world.env });
}

function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** The text of an option that takes one. */
export function textOf(options: Options, name: string): string | undefined {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
}

/** The texts of an option that takes several. */
export function textsOf(options: Options, name: string): string[] | undefined {
  const value = options[name];
  return Array.isArray(value) ? [...(value as readonly string[])] : undefined;
}
