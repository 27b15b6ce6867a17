// The target of a queue in the person's repository: what it is at, whether it may move now, and moving it.
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { HubError } from '../../../kernel/errors.ts';
import { type Git, headOf, withGit } from '../../../kernel/git/git.ts';
import { finishFiles, isDirty, isUnderWay, moveWithFiles, type RefMove } from '../../../kernel/git/merge.ts';
import { type GitPlace, readSmall } from '../../../kernel/git/place.ts';
import { type Checkout, inTurn } from '../../../kernel/git/repository.ts';
import { branchAt, inRepository, repositoryAt } from '../repository.ts';

export type LandTarget = Readonly<{ repository: string; target: string }>;
type Move = Omit<RefMove, 'ref'>;

const refOf = (target: string): string => `refs/heads/${target}`;

/** Undefined where the branch is not there, or has no commit yet. */
export function tipOf({ repository, target }: LandTarget): Promise<string | undefined> {
  return repositoryAt(repository).then((place) => branchAt(place, target));
}

/** Every checkout that has this branch: the main one, or linked worktrees. */
async function checkoutsOf({ common }: GitPlace, ref: string): Promise<Checkout[]> {
  const linked = join(common, 'worktrees');
  const names = await readdir(linked).catch(() => []);
  const others = await Promise.all(
    names.map(async (name) => {
      const own = join(linked, name);
      const back = (await readSmall(join(own, 'gitdir'))).trim();
      return { own, top: dirname(back) };
    }),
  );
  const found: Checkout[] = [];
  for (const { own, top } of [...mainOf(common), ...others])
    if ((await headOf(own).catch(() => '')) === ref && existsSync(top))
      found.push({ own, top, common, isOwn: true });
  return found;
}

/** A bare repository has none; of one whose files lie elsewhere, as a submodule's do, only the index tells. */
function mainOf(common: string): { own: string; top: string }[] {
  if (basename(common) === '.git') return [{ own: common, top: dirname(common) }];
  return existsSync(join(common, 'index')) ? [{ own: common, top: common }] : [];
}

const inFiles = <T>(checkout: Checkout, work: (git: Git) => Promise<T>): Promise<T> =>
  withGit({ place: checkout, files: checkout.top, index: 'own', lineEnds: 'person' }, work);

/** Why the target cannot move now; undefined when it can. */
export async function holdsBack({ repository, target }: LandTarget): Promise<string | undefined> {
  for (const checkout of await checkoutsOf(await repositoryAt(repository), refOf(target))) {
    const busy = whyBusy(checkout, target);
    if (busy !== undefined) return busy;
    const dirty = await inFiles(checkout, (git) => isDirty(git, 'no'));
    if (dirty) return `${checkout.top} has ${target} checked out with changes that are not committed.`;
  }
  return undefined;
}

function whyBusy(checkout: Checkout, target: string): string | undefined {
  const { top, common } = checkout;
  if (top === common) return `${common} has ${target} checked out in a folder that it does not name.`;
  return isUnderWay(checkout) ? `${top} is in the middle of a merge or a rebase.` : undefined;
}

/**
 * By compare-and-swap, with a clean checkout of it; where files are in the way nothing moves. False when somebody
 * else moved it first.
 */
export function moveTarget(at: LandTarget, move: Move): Promise<boolean> {
  return inTurn(at.repository, async () => {
    const ref = refOf(at.target);
    if ((await tipOf(at)) !== move.from) return false;
    const [checkout, ...more] = await checkoutsOf(await repositoryAt(at.repository), ref);
    if (more.length > 0) throw inTheWay(`${at.target} is checked out in several folders.`);
    const busy = checkout && whyBusy(checkout, at.target);
    if (busy !== undefined) throw inTheWay(busy);
    if (!checkout) {
      const swap = ['update-ref', '-m', move.about, ref, move.to, move.from];
      return inRepository(at.repository, async ({ ask }) => (await ask(...swap)).code === 0);
    }
    try {
      await inFiles(checkout, (git) => moveWithFiles(git, { ...move, ref }));
      return true;
    } catch (error) {
      if ((await tipOf(at)) !== move.from) return false;
      throw inTheWay(
        `${checkout.top}: ${error instanceof HubError ? error.message : 'its files could not follow.'}`,
      );
    }
  });
}

const TRIES = 10;
const BETWEEN_MS = 300;

/**
 * A hub that died after the ref moved may have left the files of its checkout where they were: an index that is still exactly
 * what was before is taken along with its files. Whatever a person did there since is theirs.
 */
export function takeFilesAlong(at: LandTarget, { from, to }: Pick<Move, 'from' | 'to'>): Promise<void> {
  return inTurn(at.repository, async () => {
    if ((await tipOf(at)) !== to) return;
    for (const checkout of await checkoutsOf(await repositoryAt(at.repository), refOf(at.target)))
      for (let tried = 0; tried < TRIES && !(await follows(checkout, { from, to })); tried += 1)
        await sleep(BETWEEN_MS);
  });
}

/** False while another git has the index. */
async function follows(checkout: Checkout, move: Pick<Move, 'from' | 'to'>): Promise<boolean> {
  try {
    await inFiles(checkout, (git) => finishFiles(git, move));
    return true;
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    return false;
  }
}

function inTheWay(why: string): HubError {
  return new HubError('conflict', why, { isHeld: true });
}
