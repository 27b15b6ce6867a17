import type { Migration } from './migration.ts';
import { only } from './spell.ts';

/**
 * PostgreSQL cannot index a text of more than some 2,700 bytes, and paths may be longer: they are told apart
 * by their digest there. SQLite indexes whatever it stores.
 */
export const longKeys: Migration = {
  id: 33,
  name: 'long-keys',
  schema: only(
    'postgres',
    `
drop index peers_identity;
create unique index peers_identity on peers (coalesce(team, ''), backend, md5(path), session_id, tmux_pane)
  where session_id <> '' or tmux_pane <> '';
alter table file_reservations drop constraint file_reservations_task_id_fence_root_pattern_key;
create unique index file_reservations_once on file_reservations (task_id, fence, md5(root), md5(pattern));
drop index file_reservations_by_root;
create index file_reservations_by_root on file_reservations using hash (root);`,
  ),
};
