// What git tells of the change that is reviewed: committed or not, on a branch or in the worktree of a run.
import { existsSync } from 'node:fs';
import { HubError } from '../../kernel/errors.ts';
import { type Git, PLAIN_DIFF, withGit } from '../../kernel/git/git.ts';
import { commitAt, findCommit, mergeTrees } from '../../kernel/git/merge.ts';
import { gitPlaceOf } from '../../kernel/git/place.ts';
import { inTurn } from '../../kernel/git/repository.ts';
import type { DispatchRoom, Worktree } from '../dispatch/dispatch.ts';
import { filesOf } from './patch.ts';
import type { ConflictSides, ReviewCommit, ReviewFile } from './shapes.ts';

/** Where the change lies, and what it is to go onto. */
export type ChangePlace = Readonly<{
  repository: string;
  branch: string;
  worktree: Worktree | null;
  /** The branch that it is compared with. */
  target: string | undefined;
  /** Where it began, for one that its target has already. */
  began: string | undefined;
}>;

/** The two sides as git knows them while it is asked. */
type Sides = Readonly<{ base: string; head: string; commit: string; isDirty: boolean }>;

export type ReviewedChange = Readonly<{
  base: string;
  head: string;
  /** The commit that it is, but for what is not committed. */
  commit: string;
  isDirty: boolean;
  commits: readonly ReviewCommit[];
  files: readonly ReviewFile[];
  conflicts: readonly string[];
}>;

const MOST_COMMITS = 100;
const MOST_CONFLICTS = 20;
const LONGEST_TEXT = 1024 * 1024;

export type ChangeReader = ReturnType<typeof createChanges>;

export function createChanges(treeOf: DispatchRoom['treeOf']) {
  /** In turn: half of a worktree that is being taken away would look like a change. Nothing of it stays in the repository. */
  function inChange<T>(place: ChangePlace, work: (git: Git, sides: Sides) => Promise<T>): Promise<T> {
    const { repository, worktree } = place;
    return inTurn(repository, async () => {
      const own = worktree && existsSync(worktree.path) ? await treeOf(worktree) : undefined;
      if (own)
        return withGit({ place: own, files: own.top, index: 'copy', objects: 'aside' }, async (git) => {
          const commit = await commitAt(git, 'HEAD');
          await git.run('add', '-A');
          const head = (await git.run('write-tree')).trim();
          const isDirty = head !== (await treeAt(git, commit));
          return work(git, { base: await baseOf(git, place, commit), head, commit, isDirty });
        });
      const found = await gitPlaceOf(repository);
      if (!found)
        throw new HubError('unavailable', `${repository} is no git repository.`, { retryable: false });
      return withGit({ place: found, objects: 'aside' }, async (git) => {
        const commit = await findCommit(git, `refs/heads/${place.branch}`);
        if (commit === undefined)
          throw new HubError('not_found', `The branch ${place.branch} is not there any more.`, {
            branch: place.branch,
          });
        const head = await treeAt(git, commit);
        return work(git, { base: await baseOf(git, place, commit), head, commit, isDirty: false });
      });
    });
  }

  return {
    read: (place: ChangePlace, isSpaceIgnored: boolean): Promise<ReviewedChange> =>
      inChange(place, async (git, { base, head, commit, isDirty }) => {
        const format = '--format=%H%x1f%an%x1f%at%x1f%s';
        const log = await git.run('log', format, '-n', String(MOST_COMMITS), `${base}..${commit}`, '--');
        const text = await git.run(...DIFF, ...(isSpaceIgnored ? ['-w'] : []), base, head, '--');
        return {
          base,
          head,
          commit,
          isDirty,
          commits: log.split('\n').filter(Boolean).map(commitOf),
          files: filesOf(text),
          conflicts: (await conflictsWith(git, place, commit)).conflicts,
        };
      }),

    /** One file as it is now, and all of its difference. */
    file: (place: ChangePlace, path: string): Promise<Readonly<{ text: string | null; patch: string }>> =>
      inChange(place, async (git, { base, head }) => ({
        text: await textAt(git, head, path),
        // Literally: a name may hold signs that patterns have.
        patch: (await git.run(...DIFF, base, head, '--', `:(literal)${path}`)).slice(0, 4 * LONGEST_TEXT),
      })),

    conflicts: (place: ChangePlace): Promise<ConflictSides[]> =>
      inChange(place, async (git, { commit }) => {
        const { ours, conflicts } = await conflictsWith(git, place, commit);
        if (ours === undefined) return [];
        const base = (await git.ask('merge-base', ours, commit)).stdout.trim();
        const at = (of: string, path: string) => (of === '' ? null : textAt(git, of, path));
        return Promise.all(
          conflicts.slice(0, MOST_CONFLICTS).map(async (path) => ({
            path,
            base: await at(base, path),
            ours: await at(ours, path),
            theirs: await at(commit, path),
          })),
        );
      }),
  };
}

const PLAIN = ['-c', 'core.quotepath=off', 'diff', ...PLAIN_DIFF] as const;
const DIFF = [...PLAIN, '--full-index', '--find-renames'] as const;

async function treeAt({ run }: Git, commit: string): Promise<string> {
  return (await run('rev-parse', '--verify', `${commit}^{tree}`)).trim();
}

/** Where the change parted from its target; what is in there already is compared with where it began. */
async function baseOf(git: Git, { target, began, worktree }: ChangePlace, commit: string): Promise<string> {
  const onto = target === undefined ? undefined : await findCommit(git, `refs/heads/${target}`);
  const parted = onto === undefined ? '' : (await git.ask('merge-base', onto, commit)).stdout.trim();
  if (parted !== '' && parted !== commit) return parted;
  const known = began === undefined ? undefined : await findCommit(git, began);
  if (known !== undefined) return (await git.ask('merge-base', known, commit)).stdout.trim() || known;
  return worktree?.base ?? (parted === '' ? ((await findCommit(git, `${commit}^`)) ?? commit) : parted);
}

async function conflictsWith(
  git: Git,
  { target }: ChangePlace,
  commit: string,
): Promise<Readonly<{ ours: string | undefined; conflicts: readonly string[] }>> {
  const ours = target === undefined ? undefined : await findCommit(git, `refs/heads/${target}`);
  if (ours === undefined) return { ours, conflicts: [] };
  return { ours, conflicts: (await mergeTrees(git, { ours, theirs: commit })).conflicts };
}

/** Null for what is not there, is no text, or is too long to be looked at. */
async function textAt({ ask }: Git, of: string, path: string): Promise<string | null> {
  const { code, stdout } = await ask('cat-file', 'blob', `${of}:${path}`);
  return code !== 0 || stdout.includes('\0') || stdout.length > LONGEST_TEXT ? null : stdout;
}

function commitOf(line: string): ReviewCommit {
  const [id = '', author = '', at = '0', ...subject] = line.split('\x1f');
  return { id, author, at: Number(at) * 1_000, subject: subject.join(' ') };
}
