import { z } from 'zod';
import { HubError } from '../../../kernel/errors.ts';
import { hasNoSecret } from '../../../kernel/words.ts';
import { countViews, deleteView, listViews, putView } from '../rows/saved-views.ts';
import type { BoardSight, Unit } from '../unit.ts';

/** A way of looking at the board that somebody gave a name: what stands in the address of the page behind its question mark. */
export const savedViewSchema = z.object({ name: z.string(), search: z.string(), savedAt: z.int() });
export type SavedView = z.infer<typeof savedViewSchema>;

const MOST = 100;

export const viewName = z
  .string()
  .min(1)
  .max(60)
  .refine((text) => text.trim() === text && !/\p{Cc}/u.test(text), 'must be a line without spaces around it')
  .refine(hasNoSecret, 'must not hold a secret');
export const viewSearch = z
  .string()
  .max(1_000)
  .regex(/^[\w.~:=&%+*,-]*$/, 'must be a query of an address')
  .refine((text) => [...new URLSearchParams(text).values()].every(hasNoSecret), 'must not hold a secret');

/** What a person looks at may name projects that an agent has no business with. */
function refuseAgents({ caller }: Pick<BoardSight, 'caller'>): void {
  if (!caller.isPerson) throw new HubError('forbidden', 'Views of the board are for persons.');
}

export async function readViews(sight: BoardSight): Promise<SavedView[]> {
  refuseAgents(sight);
  return listViews(sight.q);
}

export async function saveView(unit: Unit, view: Pick<SavedView, 'name' | 'search'>): Promise<SavedView> {
  refuseAgents(unit);
  const { tx } = unit;
  if ((await countViews(tx)) >= MOST)
    throw new HubError('limited', `At most ${MOST} views are kept.`, { hint: 'Delete some first.' });
  const saved = { ...view, savedAt: tx.now };
  await putView(tx, saved);
  tx.emit({ kind: 'view.saved', subject: view.name, realm: 'hub' });
  return saved;
}

export async function forgetView(unit: Unit, name: string): Promise<{ name: string }> {
  refuseAgents(unit);
  const { tx } = unit;
  if (!(await deleteView(tx, name))) throw new HubError('not_found', `There is no view ${name}.`);
  tx.emit({ kind: 'view.deleted', subject: name, realm: 'hub' });
  return { name };
}
