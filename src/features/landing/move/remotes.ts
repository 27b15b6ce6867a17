// Where a target is pushed: what the repository says, and whether a person confirmed exactly that.
import { HubError } from '../../../kernel/errors.ts';
import { fetchTip, remoteUrlOf, whyUnsafe } from '../../../kernel/git/remote.ts';
import { isAncestor } from '../../../kernel/git/merge.ts';
import type { LandSettings } from '../../../kernel/land-settings.ts';
import type { Database, Tx } from '../../../store/database.ts';
import { inRepository, repositoryAt } from '../repository.ts';
import { confirmedAt, confirmedRemotes, type Queue } from '../rows.ts';

export type RemoteView = Readonly<{
  remote: string;
  url: string | null;
  confirmed: boolean;
  /** Why nothing is pushed there. */
  problem: string | null;
}>;

type Named = Readonly<{ repository: string; remote: string }>;
type Confirming = Named & Readonly<{ url: string }>;

/** What git says comes first: no transaction waits for a program. */
async function readRemote({ repository, remote }: Named): Promise<Pick<RemoteView, 'url' | 'problem'>> {
  const url = (await remoteUrlOf(await repositoryAt(repository), remote)) ?? null;
  if (url === null) return { url, problem: `${repository} has no remote ${remote} with one address` };
  const unsafe = whyUnsafe(url);
  return unsafe === undefined
    ? { url, problem: null }
    : { url: null, problem: `${remote} is not used: ${unsafe}` };
}

export async function lookAtRemote(db: Database, named: Named): Promise<RemoteView> {
  const { repository, remote } = named;
  const { url, problem } = await readRemote(named);
  const known = await db.read((q) => confirmedAt(q, { repository, remote }));
  return { remote, url, problem, confirmed: url !== null && known?.url === url };
}

/** Exactly what a person was shown. */
export async function requireSeen({ url, ...named }: Confirming): Promise<void> {
  const seen = await readRemote(named);
  if (seen.url === url) return;
  const why = seen.problem === null ? '' : `: ${seen.problem}`;
  throw new HubError('conflict', `${named.remote} is not at that address${why}.`, {
    url: seen.url,
    hint: '`holdfast land confirm` shows the address that it has now.',
  });
}

export const confirmRemote = (tx: Tx, { repository, remote, url }: Confirming): Promise<void> =>
  confirmedRemotes.put(tx, { repository, remote, url, confirmedAt: tx.now }, ['repository', 'remote']);

/** The address of a remote that a person confirmed, or why there is none. */
export async function confirmedUrl(
  db: Database,
  named: Named,
): Promise<Readonly<{ url: string }> | Readonly<{ why: string }>> {
  const { url, confirmed, problem } = await lookAtRemote(db, named);
  if (url === null) return { why: `${problem ?? named.remote}.` };
  if (confirmed) return { url };
  return { why: `Nobody has confirmed that this is pushed to ${url}: \`holdfast land confirm\`.` };
}

export type Onto =
  | Readonly<{ kind: 'held'; why: string }>
  | Readonly<{ kind: 'at'; onto: string; push: Readonly<{ url: string; from: string | null }> | undefined }>;

/** What a round stands on: the target as it is here, or further on where it is pushed. */
export async function ontoOf(
  db: Database,
  queue: Queue,
  { tip, settings, signal }: Readonly<{ tip: string; settings: LandSettings; signal: AbortSignal }>,
): Promise<Onto> {
  const { repository, target } = queue;
  const remote = settings.push;
  if (remote === undefined) return { kind: 'at', onto: tip, push: undefined };
  const at = await confirmedUrl(db, { repository, remote });
  if ('why' in at) return { kind: 'held', why: at.why };
  const { url } = at;
  const there = await fetchTip({ place: await repositoryAt(repository), url, branch: target, signal });
  const push = { url, from: there };
  if (there === null) return { kind: 'at', onto: tip, push };
  return inRepository(repository, async (git) => {
    if (await isAncestor(git, there, tip)) return { kind: 'at', onto: tip, push };
    if (await isAncestor(git, tip, there)) return { kind: 'at', onto: there, push };
    return {
      kind: 'held',
      why: `${target} here and at ${remote} have gone apart: bring them together first.`,
    };
  });
}
