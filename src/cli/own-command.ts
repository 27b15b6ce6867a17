import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { World } from './world.ts';

/**
 * What is written into files of a project calls `holdfast` by its bare name; whoever writes it is told when
 * that finds nothing here.
 */
export function pathNote({ env }: World): string | undefined {
  const isThere = (env['PATH'] ?? '')
    .split(delimiter)
    .some((folder) => folder !== '' && existsSync(join(folder, 'holdfast')));
  return isThere
    ? undefined
    : 'It calls `holdfast`, which is not on your path yet: run `npm link` in the checkout.';
}
