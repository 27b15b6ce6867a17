import { HubError } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import type { Log } from '../../../kernel/log.ts';
import { type Actor, systemActor } from '../../../kernel/principal.ts';
import type { Database, Tx } from '../../../store/database.ts';
import type { Contradiction, Credit } from '../memory.ts';
import * as credits from '../rows/credits.ts';
import * as runs from '../rows/runs.ts';
import * as vaults from '../rows/vaults.ts';
import type { Strategy } from '../strategy.ts';
import { type Document, readDocument } from './document.ts';
import type { VaultFiles } from './files.ts';
import { indexDocuments, type VaultIdentity } from './index-documents.ts';
import type { Hold } from './lease.ts';

/**
 * Files and database cannot commit together, so every change is written down first, as the text of each file before
 * and after. Then the files change, then one transaction moves index and ledger and strikes the intent out. Whoever
 * takes the vault next finishes what a crash left: nothing is lost, nothing is done twice, at whatever point it came.
 * Test: test/torture/brain-crash.test.ts kills a process at every checkpoint.
 */
export type FileChange = Readonly<{ path: string; before: string | null; after: string | null }>;
export type CreditChange = Readonly<{ id: string; before: Credit | null; after: Credit | null }>;

export type JournalEntry = Readonly<{
  changes: readonly FileChange[];
  /** Set after indexing; an `after` of null is left to the index, which drops what has no file. */
  credits?: readonly CreditChange[];
  log?: runs.LogEntry;
  /** Kept so that it can be taken back. */
  step?: Readonly<{ run: string; seq: number; total: number }>;
  /** Takes this step back; the other side of `step`. */
  undoes?: Readonly<{ run: string; seq: number }>;
  /** What the new text of a memory says against others. */
  contradictions?: Readonly<{ id: string; found: readonly Contradiction[] }>;
  isNew?: boolean;
}>;

export interface Journal {
  /** Does all of it or none. */
  perform(hold: Hold, entry: JournalEntry, actor?: Actor): Promise<void>;
  /** Finishes what a crash left. */
  recover(hold: Hold): Promise<void>;
}

export type JournalParts = Readonly<{
  db: Database;
  files: VaultFiles;
  vault: VaultIdentity;
  strategy(): Promise<Strategy>;
  log: Log;
  /** Called between any two effects, for tests that end the process there. */
  checkpoint?(name: string): void;
}>;

export function createJournal({
  db,
  files,
  vault,
  strategy,
  log,
  checkpoint = () => undefined,
}: JournalParts): Journal {
  async function commit(
    hold: Hold,
    { id, entry, actor }: Readonly<{ id: string; entry: JournalEntry; actor: Actor }>,
  ): Promise<void> {
    const documents: Document[] = [];
    for (const { path } of entry.changes)
      if (!path.startsWith('archive/')) documents.push(await readDocument(files, { path }, db.now()));
    const policy = await strategy();
    await db.write(actor, async (tx) => {
      await hold.prove(tx);
      await indexDocuments(tx, { vault, documents, strategy: policy, isNew: entry.isNew ?? false });
      const version = await vaults.nextVersion(tx, vault.id);
      for (const { id: memory, after } of entry.credits ?? []) {
        if (after !== null) await credits.setCredit(tx, { ...after, vault: vault.id, id: memory, version });
      }
      if (entry.log) await runs.insertLog(tx, vault.id, entry.log);
      if (entry.step) await keepStep(tx, entry, entry.step);
      if (entry.undoes) await runs.deleteStep(tx, entry.undoes.run, entry.undoes.seq);
      if (entry.contradictions) await runs.replaceContradictions(tx, vault.id, entry.contradictions);
      await vaults.deleteIntent(tx, id);
    });
  }

  async function finish(hold: Hold, id: string, entry: JournalEntry): Promise<void> {
    for (const change of inOrder(entry.changes)) {
      hold.assertLive();
      await files.dropDrafts(change.path);
      const current = await currentText(files, change.path);
      if (current === change.before && current !== change.after) await put(files, change);
      // Somebody else has been there since: what a person wrote last is what counts.
      else if (current !== change.after)
        log.warn('A change of the vault was overtaken by an edit.', { path: change.path });
    }
    await commit(hold, { id, entry, actor: systemActor });
    log.info('A change of the vault that was cut short is finished.', { files: entry.changes.length });
  }

  return {
    async perform(hold, entry, actor = systemActor) {
      for (const change of entry.changes) await expect(files, change);
      const id = newId();
      await db.write(systemActor, async (tx) => {
        await hold.prove(tx);
        await vaults.insertIntent(tx, { id, vault: vault.id, entry: JSON.stringify(entry) });
      });
      checkpoint('intent');
      const done: FileChange[] = [];
      try {
        for (const change of inOrder(entry.changes)) {
          hold.assertLive();
          await put(files, change);
          done.push(change);
          checkpoint(`file ${change.path}`);
        }
      } catch (error) {
        // Whoever has the vault by now finishes this entry; taking it back here would undo their work.
        hold.assertLive();
        await takeBack(files, done);
        await db.write(systemActor, (tx) => vaults.deleteIntent(tx, id));
        throw error;
      }
      await commit(hold, { id, entry, actor });
      checkpoint('commit');
    },
    async recover(hold) {
      for (const { id, entry } of await db.read((q) => vaults.listIntents(q, vault.id))) {
        try {
          await finish(hold, id, JSON.parse(entry) as JournalEntry);
        } catch (error) {
          // A vault that cannot be written can still be read; the entry waits.
          if (!(error instanceof HubError) || error.code !== 'forbidden') throw error;
          log.warn('A change of the vault that was cut short cannot be finished.', { reason: error.message });
        }
      }
    },
  };
}

async function keepStep(
  tx: Tx,
  entry: JournalEntry,
  { run, seq, total }: NonNullable<JournalEntry['step']>,
): Promise<void> {
  await runs.insertStep(tx, { run, seq, entry: JSON.stringify(entry) });
  tx.emit({ kind: 'brain.step', subject: run, realm: 'hub', data: { done: seq + 1, total } });
}

/** The same steps the other way round. */
export function reverseEntry(entry: JournalEntry): Pick<JournalEntry, 'changes' | 'credits'> {
  return {
    changes: entry.changes.map(({ path, before, after }) => ({ path, before: after, after: before })),
    credits: (entry.credits ?? []).map(({ id, before, after }) => ({ id, before: after, after: before })),
  };
}

/** New text first, removals last: at no moment is a text nowhere. */
function inOrder(changes: readonly FileChange[]): FileChange[] {
  return [...changes.filter(({ after }) => after !== null), ...changes.filter(({ after }) => after === null)];
}

async function put(files: VaultFiles, { path, before, after }: FileChange): Promise<void> {
  if (after === null) return files.remove(path);
  return before === null ? files.create(path, after) : files.replace(path, after);
}

async function takeBack(files: VaultFiles, done: readonly FileChange[]): Promise<void> {
  for (const { path, before, after } of done.toReversed())
    await put(files, { path, before: after, after: before });
}

/** Undefined when something lies there that is no text of ours, such as a link. */
async function currentText(files: VaultFiles, path: string): Promise<string | null | undefined> {
  try {
    return (await files.read(path))?.text ?? null;
  } catch (error) {
    if (!(error instanceof HubError) || error.code === 'unavailable') throw error;
    return undefined;
  }
}

async function expect(files: VaultFiles, { path, before }: FileChange): Promise<void> {
  const current = (await files.read(path))?.text ?? null;
  if (current === before) return;
  const what =
    before === null
      ? `There is a file at ${path} already.`
      : `${path} was changed by somebody else meanwhile.`;
  throw new HubError('conflict', what, {
    path,
    hint: 'Read it again and repeat the change if it still makes sense.',
  });
}
