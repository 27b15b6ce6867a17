import { HubError } from '../../kernel/errors.ts';
import { clean, tell } from './parts.ts';
import { keepPast } from './past.ts';
import { deleteRelation, putRelation, relationByName } from './rows/docs.ts';
import { deletePast } from './rows/past.ts';
import type { Held } from './rows/whose.ts';
import { LIMITS, notFound } from './rules.ts';
import type { relationShape, Said } from './shapes.ts';

/** Under which name earlier texts of relations are kept. */
const RELATION = 'relation';

export async function changeRelation(
  self: Held,
  change: Said<typeof relationShape>,
): Promise<Record<string, unknown>> {
  const name = clean(change.entity_name, 'entity_name', LIMITS.name);
  const type = clean(change.relation_type, 'relation_type', 100);
  let before: string | undefined;
  if (change.action === 'delete') {
    if ((await deleteRelation(self, { type, name })) === 0) throw notFound(`${type} relation`, name);
    await deletePast(self, { target: RELATION, name: `${type} ${name}` });
  } else {
    if (change.content === undefined) throw new HubError('invalid', 'content is required for upsert');
    before = (await relationByName(self, { type, name }))?.content;
    if (before !== undefined)
      await keepPast(self, { target: RELATION, name: `${type} ${name}`, content: before });
    await putRelation(self, { type, name, content: clean(change.content, 'content') });
  }
  tell(self, 'relation_changed', { action: change.action });
  const what = change.action === 'delete' ? 'deleted' : 'saved';
  return {
    success: true,
    message: `${what} ${name} (${type})`,
    entity_name: name,
    relation_type: type,
    ...(before !== undefined && { before }),
  };
}
