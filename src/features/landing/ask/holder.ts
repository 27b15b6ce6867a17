import { HubError } from '../../../kernel/errors.ts';
import type { BoardDesk } from '../../board/board.ts';

type About = Readonly<{ id: string; title: string }>;

const STRANGERS: ReadonlySet<string> = new Set(['not_holder', 'claim_required', 'conflict']);

/** Only who holds a task has a say in what lands of it; a person is not asked here. */
export async function requireHolder(desk: BoardDesk, { id, title }: About, what: string): Promise<void> {
  try {
    await desk.keepAlive(id);
  } catch (error) {
    if (!(error instanceof HubError) || !STRANGERS.has(error.code)) throw error;
    throw new HubError('not_holder', `${what} is for who holds ${title}, and for a person.`, {
      taskId: id,
      hint: 'Claim the task first, or have its holder or a person ask: `holdfast land <task>`.',
    }).because(error);
  }
}
