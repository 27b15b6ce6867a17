import { escapeGlob } from './names.ts';
import type { SearchGround } from './query.ts';
import { NULS, runRipgrep } from './ripgrep.ts';

export type Listing = Readonly<{
  respectIgnore: boolean;
  includeHidden: boolean;
  signal: AbortSignal;
  glob?: string;
}>;

/**
 * What every run is told: nothing of this machine's settings, and ignore files count also where git is not
 * used.
 */
export const PLAIN = ['--no-config', '--no-messages', '--no-require-git', '--no-ignore-global'] as const;

/**
 * The files under a folder, as paths of the workspace. Links are not followed, `.git` is never entered. A
 * glob that fits a file lets it in although git ignores it; whoever minds compares with a listing without
 * one.
 */
export async function* listFiles(ground: SearchGround, listing: Listing): AsyncGenerator<string> {
  const { respectIgnore, includeHidden, signal, glob } = listing;
  const args = ['--files', '--null', ...PLAIN];
  if (!respectIgnore) args.push('--no-ignore');
  if (includeHidden) args.push('--hidden');
  if (glob !== undefined) args.push('-g', glob);
  args.push('-g', '!.git', ...closedGlobs(ground), '--', pathOf(ground));
  for await (const name of runRipgrep({ cwd: ground.root, args, separator: NULS, signal })) {
    yield plainPath(name.toString('utf8'));
  }
}

export function closedGlobs({ closed }: SearchGround): string[] {
  return [...closed].flatMap((path) => ['-g', `!/${escapeGlob(path)}`]);
}

export function pathOf({ folder }: SearchGround): string {
  return folder === '' ? '.' : `./${folder}`;
}

export function plainPath(path: string): string {
  return path.replace(/^\.\//, '');
}
