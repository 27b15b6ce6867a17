// The target of a queue in the person's repository: what it is at, whether it may move now, and moving it.
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HubError } from '../../kernel/errors.ts';
import { headOf, withGit } from '../../kernel/git/git.ts';
import { findCommit, isDirty, isUnderWay, moveWithFiles, type RefMove } from '../../kernel/git/merge.ts';
import { readSmall } from '../../kernel/git/place.ts';
import { type Checkout, checkoutOf, inTurn } from '../../kernel/git/repository.ts';

export type Target = Readonly<{ repository: string; target: string }>;

const refOf = (target: string): string => `refs/heads/${target}`;

/** Undefined where the branch is not there, or has no commit yet. */
export async function tipOf({ repository, target }: Target): Promise<string | undefined> {
  const place = await checkoutOf(repository);
  return withGit({ place }, (git) => findCommit(git, refOf(target)));
}

/** Every checkout that has this branch: the main one, or linked worktrees. */
async function checkoutsOf(place: Checkout, ref: string): Promise<Checkout[]> {
  const linked = join(place.common, 'worktrees');
  const names = await readdir(linked).catch(() => []);
  const main = existsSync(join(dirname(place.common), '.git'))
    ? [{ own: place.common, top: dirname(place.common) }]
    : [];
  const others = await Promise.all(
    names.map(async (name) => {
      const own = join(linked, name);
      const back = (await readSmall(join(own, 'gitdir'))).trim();
      return { own, top: dirname(back) };
    }),
  );
  const found: Checkout[] = [];
  for (const { own, top } of [...main, ...others])
    if ((await headOf(own).catch(() => '')) === ref && existsSync(top))
      found.push({ own, top, common: place.common, isOwn: true });
  return found;
}

/** Why the target cannot move now; undefined when it can. */
export async function holdsBack({ repository, target }: Target): Promise<string | undefined> {
  for (const checkout of await checkoutsOf(await checkoutOf(repository), refOf(target))) {
    if (isUnderWay(checkout)) return `${checkout.top} is in the middle of a merge or a rebase.`;
    const use = { place: checkout, files: checkout.top, index: 'own', lineEnds: 'person' } as const;
    const dirty = await withGit(use, async (git) => {
      await git.ask('update-index', '-q', '--ignore-submodules', '--refresh');
      return isDirty(git, 'no');
    });
    if (dirty) return `${checkout.top} has ${target} checked out with changes that are not committed.`;
  }
  return undefined;
}

/**
 * By compare-and-swap, with every clean checkout of it; where files are in the way nothing moves. False when somebody
 * else moved it first.
 */
export function moveTarget(at: Target, move: Omit<RefMove, 'ref'>): Promise<boolean> {
  return inTurn(at.repository, async () => {
    const place = await checkoutOf(at.repository);
    const ref = refOf(at.target);
    if ((await tipOf(at)) !== move.from) return false;
    const [checkout, ...more] = await checkoutsOf(place, ref);
    if (more.length > 0) throw inTheWay(`${at.target} is checked out in several folders.`);
    if (!checkout) {
      const moved = await withGit({ place }, (git) =>
        git.ask('update-ref', '-m', move.about, ref, move.to, move.from),
      );
      return moved.code === 0;
    }
    const use = { place: checkout, files: checkout.top, index: 'own', lineEnds: 'person' } as const;
    try {
      await withGit(use, (git) => moveWithFiles(git, { ...move, ref }));
      return true;
    } catch (error) {
      if ((await tipOf(at)) !== move.from) return false;
      throw inTheWay(
        `${checkout.top}: ${error instanceof HubError ? error.message : 'its files could not follow.'}`,
      );
    }
  });
}

function inTheWay(why: string): HubError {
  return new HubError('conflict', why, { isHeld: true });
}
