import { lstat, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { HubError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { Actor } from '../../kernel/principal.ts';
import type { Database } from '../../store/database.ts';
import { insertTrash, markRestored, trashById, type Trashed } from './rows.ts';
import { explain, type Workspace } from './workspace.ts';

const FOLDER = '.holdfast-trash';

/** `judged`: where the path led when the call was judged. */
export type ToDelete = Readonly<{ path: string; judged?: string | undefined }>;

/**
 * Deleting is moving into a folder of the same workspace, written down first, so that it can always be
 * undone.
 */
export async function moveToTrash(
  db: Database,
  workspace: Workspace,
  { path, judged }: ToDelete,
  actor: Actor,
): Promise<Trashed> {
  const place = await workspace.locateEntry(path, judged);
  const name = basename(place.path);
  if (place.path === workspace.root) throw new HubError('invalid', 'The workspace itself cannot be deleted.');
  if (place.name === FOLDER || place.name.startsWith(`${FOLDER}/`))
    throw new HubError('invalid', 'What is in the trash is deleted already.');
  workspace.requireMovable(place);
  await lstat(place.path).catch((error: unknown) => {
    throw explain(error, place.name);
  });
  const id = newId();
  const folder = join(workspace.root, FOLDER, id);
  await workspace.makeFolder(folder);
  const trashed: Trashed = {
    id,
    workspace: workspace.root,
    originalPath: place.name,
    trashPath: `${FOLDER}/${id}/${name}`,
    deletedAt: db.now(),
    deletedBy: actor.id,
    restoredAt: null,
  };
  await db.write(actor, async (tx) => {
    await insertTrash(tx, trashed);
    tx.emit({ kind: 'path.trashed', subject: id, realm: 'hub' });
  });
  await workspace.inFolder(dirname(place.path), (from) =>
    workspace.inFolder(folder, (to) =>
      rename(join(from, name), join(to, name)).catch((error: unknown) => {
        throw explain(error, place.name);
      }),
    ),
  );
  return trashed;
}

export async function restoreFromTrash(
  db: Database,
  workspace: Workspace,
  id: string,
  actor: Actor,
): Promise<Trashed> {
  const trashed = await db.read((q) => trashById(q, id));
  if (!trashed || trashed.workspace !== workspace.root)
    throw new HubError('not_found', `Nothing was deleted under the id ${id}.`);
  if (trashed.restoredAt !== null)
    throw new HubError('conflict', `${trashed.originalPath} was restored already.`);
  const from = join(workspace.root, trashed.trashPath);
  const target = await workspace.locate(trashed.originalPath);
  if (
    await lstat(target.path).then(
      () => true,
      () => false,
    )
  ) {
    throw new HubError('conflict', `There is something at ${target.name} again.`, {
      hint: 'Move it away first.',
    });
  }
  await workspace.makeFolder(dirname(target.path));
  await workspace.inFolder(dirname(from), (source) =>
    workspace.inFolder(dirname(target.path), (base) =>
      rename(join(source, basename(from)), join(base, basename(target.path))).catch((error: unknown) => {
        throw explain(error, trashed.trashPath);
      }),
    ),
  );
  await db.write(actor, async (tx) => {
    await markRestored(tx, id);
    tx.emit({ kind: 'path.restored', subject: id, realm: 'hub' });
  });
  return trashed;
}
