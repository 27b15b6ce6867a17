// Candidates put on top of each other: each becomes the commit that the target would have after it landed.
import { HubError } from '../../../kernel/errors.ts';
import type { Git, GitAuthor } from '../../../kernel/git/git.ts';
import { isAncestor, mergeTrees, whoOf } from '../../../kernel/git/merge.ts';

type How = 'merge' | 'rebase' | 'squash';

export type LandCandidate = Readonly<{
  id: string;
  branch: string;
  head: string;
  title: string;
  /** `Holdfast-Task: …` and the like. */
  trailers: readonly string[];
}>;

/** `commit` is what lands; `onto` is the one before. Conflicts are with the tip itself, or with who is below it in this stack. */
export type Stacked =
  | Readonly<{ kind: 'stacked'; id: string; commit: string; tree: string }>
  | (MergeConflict & Readonly<{ kind: 'conflict'; id: string; with: 'tip' | 'stack' }>)
  | Readonly<{ kind: 'empty'; id: string }>;

/** `tree` holds the files with both sides marked; where git could not even try, `why` says so. */
export type MergeConflict = Readonly<{ files: readonly string[]; tree?: string; why?: string }>;

type Stacking = Readonly<{ tip: string; target: string; how: How; candidates: readonly LandCandidate[] }>;

/** In order; who conflicts is left out, and the next is put where it would have been. */
export async function stack(git: Git, { tip, target, how, candidates }: Stacking): Promise<Stacked[]> {
  const stacked: Stacked[] = [];
  let onto = tip;
  for (const candidate of candidates) {
    const { id, head } = candidate;
    const [isIn, put] = await Promise.all([
      isAncestor(git, head, tip),
      putOn(git, candidate, { onto, target, how, isFollowing: onto !== tip }),
    ]);
    if (isIn) {
      stacked.push({ kind: 'empty', id });
      continue;
    }
    if ('files' in put) {
      const isTip = onto === tip || put.why !== undefined || (await conflictsWith(git, tip, head));
      stacked.push({ ...put, kind: 'conflict', id, with: isTip ? 'tip' : 'stack' });
      continue;
    }
    if (put.commit === tip) {
      stacked.push({ kind: 'empty', id });
      continue;
    }
    onto = put.commit;
    stacked.push({
      kind: 'stacked',
      id,
      commit: put.commit,
      tree: put.tree ?? (await treeOf(git, put.commit)),
    });
  }
  return stacked;
}

/** One that cannot be merged at all (no history in common, objects that a shallow clone lacks) holds up nobody else. */
async function putOn(
  git: Git,
  candidate: LandCandidate,
  { how, isFollowing, ...place }: StackTop & { how: How; isFollowing: boolean },
): Promise<Put> {
  // It came with another one of this stack: it lands with that one.
  if (isFollowing && (await isAncestor(git, candidate.head, place.onto))) return { commit: place.onto };
  try {
    return await WAYS[how](git, candidate, place);
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    return { files: [], why: error.message };
  }
}

type StackTop = Readonly<{ onto: string; target: string }>;
/** `tree`: of the commit, where it was made just now. */
type Put = Readonly<{ commit: string; tree?: string }> | MergeConflict;
type Way = (git: Git, candidate: LandCandidate, place: StackTop) => Promise<Put>;

const WAYS: Readonly<Record<How, Way>> = {
  async merge(git, { head, branch, trailers }, { onto, target }) {
    const { tree, conflicts } = await mergeTrees(git, { ours: onto, theirs: head });
    if (conflicts.length > 0) return { files: conflicts, tree };
    const about = messageOf(`Merge branch '${branch}' into ${target}`, trailers);
    return { commit: await commitTree(git, { tree, parents: [onto, head], about }), tree };
  },

  async squash(git, { head, title, trailers }, { onto }) {
    const { tree, conflicts } = await mergeTrees(git, { ours: onto, theirs: head });
    if (conflicts.length > 0) return { files: conflicts, tree };
    if (tree === (await treeOf(git, onto))) return { commit: onto };
    const by = await authorOf(git, head);
    return {
      commit: await commitTree(git, { tree, parents: [onto], about: messageOf(title, trailers), by }),
      tree,
    };
  },

  /** One commit after the other; merges among them are left out, as git does. The author of each stays, and its words. */
  async rebase(git, { head, trailers }, { onto }) {
    const range = ['rev-list', '--reverse', '--no-merges', '--topo-order', `${onto}..${head}`];
    const commits = (await git.run(...range)).split('\n').filter(Boolean);
    let at = onto;
    for (const [index, commit] of commits.entries()) {
      const { tree, conflicts } = await pick(git, at, commit);
      if (conflicts.length > 0) return { files: conflicts, tree };
      if (tree === (await treeOf(git, at))) continue;
      const said = (await git.run('log', '-1', '--format=%B', commit)).trimEnd();
      const about = index === commits.length - 1 ? messageOf(said, trailers) : said;
      at = await commitTree(git, { tree, parents: [at], about, by: await authorOf(git, commit) });
    }
    return { commit: at };
  },
};

/** A commit that stands beside the one that is picked, with the files that it is put on, makes its parent the base of the merge. */
async function pick(git: Git, onto: string, commit: string) {
  const [parent] = (await git.run('rev-list', '--parents', '-n', '1', commit)).trim().split(' ').slice(1);
  if (parent === undefined) return mergeTrees(git, { ours: onto, theirs: commit });
  const beside = await commitTree(git, { tree: await treeOf(git, onto), parents: [parent], about: 'beside' });
  return mergeTrees(git, { ours: beside, theirs: commit });
}

async function conflictsWith(git: Git, tip: string, head: string): Promise<boolean> {
  return (await mergeTrees(git, { ours: tip, theirs: head })).conflicts.length > 0;
}

export async function treeOf({ run }: Git, commit: string): Promise<string> {
  return (await run('rev-parse', '--verify', '--end-of-options', `${commit}^{tree}`)).trim();
}

async function authorOf({ run }: Git, commit: string): Promise<GitAuthor> {
  const said = await run('log', '-1', '--format=%an%n%ae%n%ad', '--date=raw', commit);
  const [name = '', email = '', date = ''] = said.split('\n');
  return { name, email, date };
}

type NewCommit = Readonly<{ tree: string; parents: readonly string[]; about: string; by?: GitAuthor }>;

/** Whoever wrote it stays its author; the person whose hub lands it is the committer. */
async function commitTree(git: Git, { tree, parents, about, by }: NewCommit): Promise<string> {
  const from = parents.flatMap((parent) => ['-p', parent]);
  const writing = by ? git.as(by) : git;
  return (await writing.run(...whoOf(git), 'commit-tree', tree, ...from, '-m', about)).trim();
}

function messageOf(text: string, trailers: readonly string[]): string {
  const said = text.trimEnd();
  const hasTrailers = /\n\n(?:[A-Za-z][\w-]*: .*\n?)+$/.test(said);
  return (
    [said, ...(hasTrailers ? [] : [''])].join('\n') + (trailers.length > 0 ? `\n${trailers.join('\n')}` : '')
  );
}
