// `holdfast export` and `import` of a whole hub: every table in one snapshot, the vault and the policy, in one file
// that is checked to its last line before anything of it is written.
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config } from '../../kernel/config.ts';
import { isPostgresUrl } from '../../kernel/site.ts';
import { runningHub } from '../../kernel/discovery.ts';
import { cannotWrite } from '../../kernel/cannot-write.ts';
import { HubError } from '../../kernel/errors.ts';
import { realFile } from '../../kernel/real-file.ts';
import { replaceFile } from '../../kernel/replace-file.ts';
import { systemActor } from '../../kernel/principal.ts';
import { ensurePrivateFolder } from '../../kernel/home.ts';
import { VERSION } from '../../kernel/version.ts';
import { refillWords } from '../../recall/recall.ts';
import type { Database } from '../../store/database.ts';
import { newerSchema } from '../../store/migrations/refuse.ts';
import { openDatabase } from '../../store/open.ts';
import { dumpAll, type DumpPart } from '../../store/whole/dump.ts';
import { checkHubFile, filesOf, partsOf, type Summary, writeHubFile } from '../../store/whole/file.ts';
import {
  filesBelow,
  type Incoming,
  placeFiles,
  readForTravel,
  refuseForeignFiles,
} from '../../store/whole/folder.ts';
import { isReadIn, loadAll, usedTables } from '../../store/whole/load.ts';
import type { Also } from '../../store/whole/tables.ts';
import { takeOver } from '../../features/sessions/sessions.ts';
import { counted, type Progress } from '../terminal/progress.ts';

const VAULT = 'vault/';
const POLICY = 'policy.yaml';

/** `also`: what its owner wants to have along. */
export type Export = Readonly<{ target: string; onProgress: Progress; also?: Also }>;

export async function exportHub(config: Config, { target, onProgress, also }: Export): Promise<Summary> {
  if (!isPostgresUrl(config.database) && !existsSync(config.database))
    throw new HubError('not_found', `There is no database at ${config.database}.`, {
      hint: 'Check --database and HOLDFAST_HOME.',
    });
  const db = await openDatabase(config.database, { schema: config.databaseSchema });
  const draft = `${target}.partial`;
  try {
    rmSync(draft, { force: true });
    const out = createDraft(draft, db);
    try {
      const tellRow = rowTeller(onProgress, 'rows');
      await db.read((q) =>
        dumpAll(
          q,
          (part) => {
            out.part(part);
            tellRow(part);
          },
          also,
        ),
      );
      const own = counted(ownFiles(config), (files) => onProgress(files, 'files'));
      for (const { path, data } of own) out.file({ file: path, data: data.toString('base64') });
      const summary = out.end();
      publish(draft, target);
      return summary;
    } finally {
      out.close();
    }
  } finally {
    rmSync(draft, { force: true });
    await db.close();
  }
}

function publish(draft: string, target: string): void {
  try {
    renameSync(draft, target);
  } catch (error) {
    throw cannotWrite(target, error);
  }
}

/** The lines that begin a table are no rows. */
function rowTeller(onProgress: Progress, what: string): (part: DumpPart) => void {
  let rows = 0;
  return (part) => {
    if (!('table' in part)) onProgress((rows += 1), what);
  };
}

function createDraft(draft: string, db: Database): ReturnType<typeof writeHubFile> {
  const head = { holdfast: 'hub', version: 1, schema: db.schema, by: VERSION, at: db.now() } as const;
  return writeHubFile(draft, head);
}

function* ownFiles({ vault: named, home }: Config): Generator<Incoming> {
  const vault = realFile(named);
  for (const path of filesBelow(vault)) {
    const data = readForTravel(vault, path);
    if (data) yield { path: `${VAULT}${path}`, data };
  }
  const policy = readForTravel(home, POLICY);
  if (policy) yield { path: POLICY, data: policy };
}

export type HubImport = Readonly<{
  state: 'imported' | 'already there' | 'would import';
  rows: number;
  files: number;
  /** What the file has and this hub keeps its own of. */
  kept: readonly string[];
}>;

/** Into an empty hub, whole or not at all. The same file again changes nothing; a hub that is used is left as it is. */
export async function importHub(
  config: Config,
  file: string,
  { isTrial, onProgress }: Readonly<{ isTrial: boolean; onProgress: Progress }>,
): Promise<HubImport> {
  const summary = checkHubFile(file, (lines) => onProgress(lines, 'lines checked'));
  const { rows, files, digest, head } = summary;
  if (isTrial && !isPostgresUrl(config.database) && !existsSync(config.database))
    return { state: 'would import', rows, files, kept: keptPolicy(config, file) };
  const release = await takeHub(config);
  ensurePrivateFolder(config.home);
  const db = await openDatabase(config.database, { schema: config.databaseSchema });
  try {
    if (await db.read((q) => isReadIn(q, digest))) return { state: 'already there', rows, files, kept: [] };
    if (head.schema > db.schema) throw newerSchema(head.schema, db.schema);
    const used = await db.read(usedTables);
    if (used.length > 0) throw inUse(used);
    refuseForeignFiles(config.vault, () => vaultFiles(file));
    const kept = keptPolicy(config, file);
    if (isTrial) return { state: 'would import', rows, files, kept };
    placeFiles(
      config.vault,
      counted(vaultFiles(file), (done) => onProgress(done, `of ${files} files`)),
    );
    await db.write(systemActor, async (tx) => {
      const tellRow = rowTeller(onProgress, `of ${rows} rows`);
      const parts = counted(partsOf(file), (_count, part) => tellRow(part));
      await loadAll(tx, parts, digest);
      await refillWords(tx);
      await takeOver(tx);
    });
    const policy = policyIn(file);
    if (policy && kept.length === 0) replaceFile(join(config.home, POLICY), policy.toString('utf8'));
    return { state: 'imported', rows, files, kept };
  } finally {
    await db.close();
    release();
  }
}

/** A hub has memory of its own besides the database; what is put under it behind its back it would not see. */
async function takeHub(config: Config): Promise<() => void> {
  const running = await runningHub(config);
  if (running)
    throw new HubError('conflict', `A hub is running on this database: process ${running.pid}.`, {
      hint: 'Run `holdfast stop` first, then import again.',
    });
  if (isPostgresUrl(config.database)) return () => undefined;
  const { inspectFile } = await import('../../store/dialects/sqlite/file.ts');
  inspectFile(config.database);
  const { takeHubLock } = await import('../../store/dialects/sqlite/hub-lock.ts');
  const lock = takeHubLock(config.database);
  return () => lock.release();
}

function* vaultFiles(file: string): Generator<Incoming> {
  for (const { file: path, data } of filesOf(file))
    if (path.startsWith(VAULT)) yield { path: path.slice(VAULT.length), data: Buffer.from(data, 'base64') };
    else if (path !== POLICY)
      throw new HubError(
        'invalid',
        `The file holds ${JSON.stringify(path.slice(0, 100))}, which is no part of a hub.`,
      );
}

function policyIn(file: string): Buffer | undefined {
  for (const { file: path, data } of filesOf(file)) if (path === POLICY) return Buffer.from(data, 'base64');
  return undefined;
}

/** What decides over tools here goes on deciding: a file never loosens it. */
function keptPolicy({ home }: Config, file: string): string[] {
  const theirs = policyIn(file);
  const own = join(home, POLICY);
  return theirs && existsSync(own) && !readFileSync(own).equals(theirs) ? [resolve(own)] : [];
}

function inUse(used: readonly string[]): HubError {
  const shown = used.slice(0, 5).join(', ');
  return new HubError('conflict', `This hub is in use already (${shown}${used.length > 5 ? ', …' : ''}).`, {
    tables: used,
    hint: 'A whole hub goes into an empty one: give another HOLDFAST_HOME or --database. To add to this one, use `holdfast export --board` or `holdfast memory export`.',
  });
}
