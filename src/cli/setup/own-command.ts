import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Environment } from '../../kernel/config.ts';
import type { World } from '../world.ts';

/**
 * What is written into files of a project calls `holdfast` by its bare name; whoever writes it is told when
 * that finds nothing here.
 */
export function pathNote({ env }: World): string | undefined {
  return commandOnPath(env)
    ? undefined
    : 'It calls `holdfast`, which is not on your path yet: `holdfast setup --path` puts it there.';
}

/** The `holdfast` that a terminal would find. */
export function commandOnPath(env: Environment): string | undefined {
  return (env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, 'holdfast'))
    .find((path) => existsSync(path));
}
