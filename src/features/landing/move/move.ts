// The target moves, and the books with it. What is written down before is enough to go on after a crash.
import { HubError } from '../../../kernel/errors.ts';
import { findCommit, isAncestor } from '../../../kernel/git/merge.ts';
import { pushBranch } from '../../../kernel/git/remote.ts';
import type { Books } from '../queue/books.ts';
import { inRepository, repositoryAt } from '../repository.ts';
import type { Intent, Queue } from '../rows.ts';
import { moveTarget, takeFilesAlong, tipOf } from './target.ts';

export async function goOn(
  { books }: Readonly<{ books: Books }>,
  queue: Queue,
  intent: Intent,
): Promise<void> {
  const { from, to, push } = intent;
  const tip = await tipOf(queue);
  if (tip !== undefined && tip !== from && (await isIn(queue, to, tip))) {
    await takeFilesAlong(queue, intent);
    return books.landed(queue, intent);
  }
  if (tip !== from) return books.giveUp(queue, intent, MOVED);
  try {
    const refused = push && (await pushTo(queue, push, to));
    if (refused !== undefined) return await books.giveUp(queue, intent, `the push was refused: ${refused}`);
    const isMoved = await moveTarget(queue, {
      from,
      to,
      about: `landing: ${intent.landings.length} by Holdfast`,
    });
    return await (isMoved || push ? books.landed(queue, intent) : books.giveUp(queue, intent, MOVED));
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    return books.giveUp(queue, intent, error.message, 'held');
  }
}

const MOVED = 'the target was moved by somebody else';

/** There first: what is refused there is not in the target here. Again after a crash it is there already. */
async function pushTo(
  { repository, target }: Queue,
  { url, from }: NonNullable<Intent['push']>,
  commit: string,
): Promise<string | undefined> {
  return pushBranch({ place: await repositoryAt(repository), url, branch: target, commit, from });
}

function isIn({ repository }: Queue, commit: string, tip: string): Promise<boolean> {
  return inRepository(
    repository,
    async (git) => (await findCommit(git, commit)) !== undefined && isAncestor(git, commit, tip),
  );
}
