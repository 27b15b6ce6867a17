// One compaction, alone on the vault: planned whole, done step by step, each step journaled and undoable.
import { sha256 } from '../../../kernel/digest.ts';
import { HubError } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import { systemActor } from '../../../kernel/principal.ts';
import type { Compacted } from '../memory.ts';
import type { BrainParts } from '../parts.ts';
import * as runs from '../rows/runs.ts';
import { markCompacted, nextVersion } from '../rows/vaults.ts';
import { readDocument } from '../vault/document.ts';
import { type JournalEntry, reverseEntry } from '../vault/journal.ts';
import type { Hold } from '../vault/lease.ts';
import type { Strategy } from '../strategy.ts';
import { createModel, type Item, type Model, type Planned } from './model.ts';
import { planCompaction } from './plan.ts';
import { type Summarise, withSummaries } from './summaries.ts';

export type CompactOptions = Readonly<{
  isDryRun?: boolean;
  onProgress?(done: number, total: number, what: string): void;
  summarise?: Summarise | undefined;
  signal?: AbortSignal;
}>;

/**
 * One compaction, alone on the vault. It is planned whole, then done step by step; each step is one entry of the
 * journal. A crash between two steps leaves the rest to the next compaction, which plans from what it finds and goes on
 * with the same run, so that both halves are taken back together.
 */
export async function compact(parts: BrainParts, options: CompactOptions): Promise<Compacted> {
  const {
    isDryRun = false,
    onProgress = () => undefined,
    signal = new AbortController().signal,
    summarise,
  } = options;
  const { vault, db } = parts;
  return vault.alone(async (hold) => {
    const strategy = await vault.strategy();
    await vault.catchUp(hold);
    const model = await loadModel(parts, onProgress);
    const planned = planCompaction(model);
    if (isDryRun) return { ...tally(planned), dry_run: true };
    const plan = await withSummaries(planned, { summarise, signal, log: parts.log });
    const { run, steps } = await openRun(parts, hold, strategy);
    const done: Planned[] = [];
    for (const [i, planned] of plan.entries()) {
      if (signal.aborted || vault.closing.aborted) break;
      done.push(await take(parts, hold, { run, seq: steps + i, total: steps + plan.length, planned }));
      onProgress(i + 1, plan.length, planned.details);
    }
    const answer = tally(done);
    const { consolidated, promoted, pruned } = answer;
    const counts = { consolidated, promoted, pruned };
    await db.write(systemActor, async (tx) => {
      await hold.prove(tx);
      await runs.finishRun(tx, run, { state: 'done', ...counts });
      if (done.length > 0) await runs.forgetStepsBefore(tx, vault.id, run);
      await markCompacted(tx, vault.id);
      await nextVersion(tx, vault.id);
      tx.emit({ kind: 'brain.compacted', subject: run, realm: 'hub', data: counts });
    });
    return answer;
  });
}

async function openRun(
  { vault, db }: BrainParts,
  hold: Hold,
  strategy: Strategy,
): Promise<Readonly<{ run: string; steps: number }>> {
  const policy = sha256(JSON.stringify(strategy));
  return db.write(systemActor, async (tx) => {
    await hold.prove(tx);
    const unfinished = await runs.unfinishedRun(tx, vault.id);
    if (unfinished) return { run: unfinished.id, steps: unfinished.steps };
    const run = newId();
    await runs.insertRun(tx, { id: run, vault: vault.id, policy });
    return { run, steps: 0 };
  });
}

type Taken = Readonly<{ run: string; seq: number; total: number; planned: Planned }>;

/** A file that somebody edits while we work is theirs: its step is left out and said so. */
async function take(
  { vault }: BrainParts,
  hold: Hold,
  { run, seq, total, planned }: Taken,
): Promise<Planned> {
  const { action, targets, details, changes, credits } = planned;
  try {
    await vault.journal.perform(hold, {
      changes,
      credits,
      step: { run, seq, total },
      log: { run, action, targets, details },
    });
    return planned;
  } catch (error) {
    if (!(error instanceof HubError) || error.code !== 'conflict') throw error;
    return { ...planned, count: 0, details: `Left out: ${details} (${error.message})` };
  }
}

/** Takes back the last compaction that changed something, last step first. What was edited since stays as it is. */
export async function undo({
  vault,
  db,
}: BrainParts): Promise<Readonly<{ undone: number; details: readonly string[] }>> {
  return vault.alone(async (hold) => {
    const run = await db.read((q) => runs.lastRun(q, vault.id));
    if (!run)
      throw new HubError('not_found', 'There is no compaction to take back.', {
        hint: 'Only the last one can be taken back, once.',
      });
    const details: string[] = [];
    let undone = 0;
    for (const { seq, entry: text } of await db.read((q) => runs.stepsOf(q, run.id))) {
      const entry = JSON.parse(text) as JournalEntry;
      const what = entry.log!.details;
      try {
        const log = { run: run.id, action: 'undo', targets: entry.log!.targets, details: what };
        await vault.journal.perform(hold, { ...reverseEntry(entry), undoes: { run: run.id, seq }, log });
        details.push(`Taken back: ${what}`);
        undone += 1;
      } catch (error) {
        if (!(error instanceof HubError) || error.code !== 'conflict') throw error;
        details.push(`Left as it is: ${what} (${error.message})`);
      }
    }
    await db.write(systemActor, async (tx) => {
      await runs.finishRun(tx, run.id, { state: 'undone' });
      tx.emit({ kind: 'brain.undone', subject: run.id, realm: 'hub', data: { steps: undone } });
    });
    return { undone, details };
  });
}

function tally(plan: readonly Planned[]): Compacted {
  const sum = (action: Planned['action']) =>
    plan.filter((step) => step.action === action).reduce((total, { count }) => total + count, 0);
  return {
    consolidated: sum('consolidate'),
    promoted: sum('promote'),
    pruned: sum('prune'),
    details: plan.map(({ details }) => details),
  };
}

/** The files themselves, because each step states the text it replaces. */
async function loadModel(
  { vault, catalogue, db }: BrainParts,
  onProgress: NonNullable<CompactOptions['onProgress']>,
): Promise<Model> {
  const { items: indexed, credits } = await catalogue.fresh();
  const items: Item[] = [];
  let looked = 0;
  for (const [id, { memory: known }] of indexed) {
    if (++looked % 500 === 0) onProgress(looked, indexed.size, 'reading');
    const document = await readDocument(vault.files, { path: known.path }, db.now());
    const credit = credits.get(id);
    if (document.kind !== 'memory' || document.memory.id !== id || !credit) continue;
    const { memory, text, sources } = document;
    items.push({ memory, text, sources, credit });
  }
  const archived = new Set<string>();
  for (const folder of new Set(
    items
      .map(({ memory }) => `archive/${memory.path.slice(0, memory.path.lastIndexOf('/'))}`)
      .concat('archive/entities/projects'),
  )) {
    for (const name of await vault.files.list(folder)) archived.add(`${folder}/${name}`);
  }
  return createModel({ items, archived, now: db.now(), strategy: await vault.strategy() });
}
