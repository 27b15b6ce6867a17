import { HubError } from '../../kernel/errors.ts';
import type { Tx } from '../../store/database.ts';
import { clean, tell } from './parts.ts';
import { deleteRelation, putRelation } from './rows/docs.ts';
import { LIMITS, notFound } from './rules.ts';

export type RelationChange = Readonly<{
  entity_name: string;
  relation_type: string;
  content?: string | undefined;
  action: 'upsert' | 'delete';
}>;

export async function changeRelation(
  tx: Tx,
  being: string,
  change: RelationChange,
): Promise<Record<string, unknown>> {
  const name = clean(change.entity_name, 'entity_name', LIMITS.name);
  const type = clean(change.relation_type, 'relation_type', 100);
  if (change.action === 'delete') {
    if ((await deleteRelation(tx, being, type, name)) === 0) throw notFound(`${type} relation`, name);
  } else {
    if (change.content === undefined) throw new HubError('invalid', 'content is required for upsert');
    await putRelation(tx, being, { type, name, content: clean(change.content, 'content') });
  }
  tell(tx, being, 'relation_changed', { action: change.action });
  const what = change.action === 'delete' ? 'deleted' : 'saved';
  return { success: true, message: `${what} ${name} (${type})`, entity_name: name, relation_type: type };
}
