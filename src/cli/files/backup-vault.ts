// The vault beside a backup: its files in one checked file of the same name, with `.vault` behind it.
import { existsSync, renameSync, rmSync } from 'node:fs';
import { cannotWrite } from '../../kernel/cannot-write.ts';
import { HubError } from '../../kernel/errors.ts';
import { reasonOf } from '../../kernel/file-faults.ts';
import { makeFolders } from '../../kernel/folders.ts';
import { realFile } from '../../kernel/real-file.ts';
import { VERSION } from '../../kernel/version.ts';
import { checkHubFile, filesOf, writeHubFile } from '../../store/whole/file.ts';
import { counted, type Progress } from '../terminal/progress.ts';
import {
  filesBelow,
  type Incoming,
  placeFiles,
  readForTravel,
  requirePlaces,
} from '../../store/whole/folder.ts';

/** Looked for before the database is copied, so that a backup is both or nothing. */
export const vaultFileOf = (backup: string): string => `${backup}.vault`;

/** How many files there are in it; without any, no file is made, and an older one goes. */
export function backupVault(named: string, backup: string, onProgress: Progress): number {
  const vault = realFile(named);
  const target = vaultFileOf(backup);
  const draft = `${target}.partial`;
  rmSync(draft, { force: true });
  const out = writeHubFile(draft, { holdfast: 'hub', version: 1, schema: 0, by: VERSION, at: Date.now() });
  try {
    for (const path of counted(filesBelow(vault), (done) => onProgress(done, 'files of the vault'))) {
      const data = readForTravel(vault, path);
      if (data) out.file({ file: path, data: data.toString('base64') });
    }
    const { files } = out.end();
    if (files > 0) renameSync(draft, target);
    else rmSync(target, { force: true });
    return files;
  } catch (error) {
    throw cannotWrite(target, error);
  } finally {
    out.close();
    rmSync(draft, { force: true });
  }
}

type RestoredVault = Readonly<{ files: number; replaced: string | undefined }>;

/** A vault that is whole and on disk beside the one it will replace. */
export interface WaitingVault {
  takePlace(): RestoredVault;
  discard(): void;
}

/**
 * Checks the vault of a backup and lays it out beside the present one, so that whatever is wrong with it, or with the
 * disk, is found before anything is replaced. Undefined when the backup has no vault.
 */
export function prepareVault(backup: string, named: string, onProgress: Progress): WaitingVault | undefined {
  const source = vaultFileOf(backup);
  if (!existsSync(source)) return undefined;
  checkHubFile(source);
  requirePlaces(pathsIn(source));
  const vault = realFile(named);
  const waiting = `${vault}.restoring-${process.pid}`;
  const discard = () => rmSync(waiting, { recursive: true, force: true });
  let files = 0;
  function* incoming(): Generator<Incoming> {
    for (const { file, data } of filesOf(source)) {
      onProgress((files += 1), 'files of the vault');
      yield { path: file, data: Buffer.from(data, 'base64') };
    }
  }
  try {
    makeFolders(waiting);
    placeFiles(waiting, incoming());
  } catch (error) {
    discard();
    throw cannotWrite(waiting, error);
  }
  return { discard, takePlace: () => ({ files, replaced: exchange(waiting, vault) }) };
}

/** What was in the vault before is kept beside it. */
function exchange(waiting: string, vault: string): string | undefined {
  const hasFiles = filesBelow(vault).next().done !== true;
  const aside = `${vault}.replaced-${new Date().toISOString().replace(/[:.]/g, '-')}`;
  try {
    if (existsSync(vault)) renameSync(vault, aside);
    renameSync(waiting, vault);
  } catch (error) {
    throw new HubError(
      'unavailable',
      `The database was restored; the vault waits in ${waiting} (${reasonOf(error)}).`,
      { hint: `Move it to ${vault} yourself.` },
    ).because(error);
  }
  if (hasFiles) return aside;
  rmSync(aside, { recursive: true, force: true });
  return undefined;
}

function* pathsIn(source: string): Generator<string> {
  for (const { file } of filesOf(source)) yield file;
}
