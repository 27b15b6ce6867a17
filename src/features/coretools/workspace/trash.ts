import { constants } from 'node:fs';
import { access, lstat, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { HubError } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import type { Actor } from '../../../kernel/principal.ts';
import type { Database } from '../../../store/database.ts';
import { type Reach, requireReach } from './below.ts';
import { insertTrash, markRestored, trashById, type Trashed } from './trash-rows.ts';
import { explain, type Located, TRASH, type Workspace } from './workspace.ts';

/** `judged`: where the path led when the call was judged. */
export type ToDelete = Readonly<{ path: string; judged?: string | undefined; reach: Reach }>;

/** The place of what is to be deleted, if all of it may be moved. */
export async function requireDeletable(
  workspace: Workspace,
  { path, judged, reach }: ToDelete,
): Promise<Located> {
  const place = await workspace.locateEntry(path, judged);
  if (place.path === workspace.root) throw new HubError('invalid', 'The workspace itself cannot be deleted.');
  workspace.requireMovable(place);
  const found = await lstat(place.path).catch((error: unknown) => {
    throw explain(error, place.name);
  });
  if (found.isDirectory()) await requireReach(place, reach);
  await requireMove(workspace.root, { place, device: found.dev });
  return place;
}

/** What moving would fail at is said before a person is asked for it. */
async function requireMove(
  root: string,
  { place, device }: Readonly<{ place: Located; device: number }>,
): Promise<void> {
  const [home, trash] = await Promise.all([lstat(root), lstat(join(root, TRASH)).catch(() => undefined)]);
  if (device !== home.dev)
    throw new HubError('conflict', `${place.name} lies on another disk than the workspace.`, {
      hint: 'It cannot be moved into the trash in one step; ask a person to delete it.',
    });
  if (trash && !trash.isDirectory())
    throw new HubError('conflict', `${TRASH} is in the way: it is no folder.`, {
      hint: 'Nothing can be deleted here until a person has moved it away.',
    });
  await access(dirname(place.path), constants.W_OK).catch((error: unknown) => {
    throw explain(error, place.name);
  });
}

/**
 * Deleting is moving into a folder of the same workspace, written down first, so that it can always be
 * undone.
 */
export async function moveToTrash(
  db: Database,
  workspace: Workspace,
  { actor, ...wanted }: ToDelete & Readonly<{ actor: Actor }>,
): Promise<Trashed> {
  const place = await requireDeletable(workspace, wanted);
  const name = basename(place.path);
  const id = newId();
  const trashed: Trashed = {
    id,
    workspace: workspace.root,
    originalPath: place.name,
    trashPath: `${TRASH}/${id}/${name}`,
    deletedAt: db.now(),
    deletedBy: actor.id,
    restoredAt: null,
  };
  await db.write(actor, async (tx) => {
    await insertTrash(tx, trashed);
    tx.emit({ kind: 'path.trashed', subject: id, realm: 'hub' });
  });
  await workspace.inFolder(dirname(place.path), (from) =>
    workspace.inTrash(id, (to) =>
      rename(join(from, name), join(to, name)).catch((error: unknown) => {
        throw explain(error, place.name);
      }),
    ),
  );
  return trashed;
}

export type Landing = Readonly<{ trashed: Trashed; target: Located }>;

/**
 * Where what was deleted would come back: the very place it was taken from. A folder on the way that has become a link
 * leads elsewhere, where nobody allowed anything.
 */
export async function findLanding(db: Database, workspace: Workspace, id: string): Promise<Landing> {
  const trashed = await db.read((q) => trashById(q, id));
  if (!trashed || trashed.workspace !== workspace.root)
    throw new HubError('not_found', `Nothing was deleted under the id ${id}.`);
  if (trashed.restoredAt !== null)
    throw new HubError('conflict', `${trashed.originalPath} was restored already.`);
  return { trashed, target: await workspace.locateEntry(trashed.originalPath, trashed.originalPath) };
}

export async function restoreFromTrash(
  db: Database,
  workspace: Workspace,
  { id, reach, actor }: Readonly<{ id: string; reach: Reach; actor: Actor }>,
): Promise<Trashed> {
  const { trashed, target } = await findLanding(db, workspace, id);
  const isThere = await lstat(target.path).then(
    () => true,
    () => false,
  );
  if (isThere)
    throw new HubError('conflict', `There is something at ${target.name} again.`, {
      hint: 'Move it away first.',
    });
  const name = basename(trashed.trashPath);
  await workspace.inTrash(id, async (source) => {
    await requireReach({ path: join(source, name), name: target.name }, reach);
    await workspace.makeFolder(dirname(target.path));
    await workspace.inFolder(dirname(target.path), (base) =>
      rename(join(source, name), join(base, basename(target.path))).catch((error: unknown) => {
        throw explain(error, trashed.trashPath);
      }),
    );
  });
  await db.write(actor, async (tx) => {
    await markRestored(tx, id);
    tx.emit({ kind: 'path.restored', subject: id, realm: 'hub' });
  });
  return trashed;
}
