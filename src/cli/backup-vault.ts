// The vault beside a backup: its files in one checked file of the same name, with `.vault` behind it.
import { existsSync, renameSync, rmSync } from 'node:fs';
import { HubError } from '../kernel/errors.ts';
import { VERSION } from '../kernel/version.ts';
import { checkHubFile, filesOf, writeHubFile } from '../store/whole/file.ts';
import { counted, type Progress } from './progress.ts';
import { filesBelow, type Incoming, placeFiles, readForTravel } from '../store/whole/folder.ts';

const vaultFileOf = (backup: string): string => `${backup}.vault`;

/** Refused before the database is copied, so that a backup is both or nothing. */
export function refuseOldVaultFile(backup: string, overwrite: boolean): void {
  if (overwrite || !existsSync(vaultFileOf(backup))) return;
  throw new HubError('conflict', `${vaultFileOf(backup)} already exists.`, {
    hint: 'Give another name, or --force to replace it.',
  });
}

/** How many files there are in it; without any, no file is made, and an older one goes. */
export function backupVault(vault: string, backup: string, onProgress: Progress): number {
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
  } finally {
    out.close();
    rmSync(draft, { force: true });
  }
}

export type RestoredVault = Readonly<{ files: number; replaced: string | undefined }>;

/** Checked before anything moves. Undefined when the backup has no vault. */
export function checkVaultOf(backup: string): number | undefined {
  return existsSync(vaultFileOf(backup)) ? checkHubFile(vaultFileOf(backup)).files : undefined;
}

/** What was in the vault before is kept beside it. */
export function restoreVault(backup: string, vault: string, onProgress: Progress): RestoredVault {
  const hasFiles = filesBelow(vault).next().done !== true;
  const replaced = hasFiles
    ? `${vault}.replaced-${new Date().toISOString().replace(/[:.]/g, '-')}`
    : undefined;
  if (replaced !== undefined) renameSync(vault, replaced);
  let files = 0;
  function* incoming(): Generator<Incoming> {
    for (const { file, data } of filesOf(vaultFileOf(backup))) {
      onProgress((files += 1), 'files of the vault');
      yield { path: file, data: Buffer.from(data, 'base64') };
    }
  }
  placeFiles(vault, incoming());
  return { files, replaced };
}
