import { createRecall } from '../../recall/recall.ts';
import type { Tx } from '../../store/database.ts';
import { SPACE } from './rules.ts';
import * as procedureRows from './rows/procedures.ts';

/** The room's own part of recall. */
export const memoryRecall = createRecall({ space: SPACE, learns: true });

export type FiledVersion = Readonly<{ id: string; scope: number; name: string; content: string }>;

/**
 * Makes one version of a procedure findable, and takes its earlier ones out of the index: who searches wants to follow what
 * holds now, and older versions are read by name.
 */
export async function fileProcedure(tx: Tx, { id, scope, name, content }: FiledVersion): Promise<void> {
  const learnt: Learnt = [];
  for (const earlier of await procedureRows.filedNumbers(tx, scope, name)) {
    learnt.push(...(await memoryRecall.learntOf(tx, earlier)));
    await memoryRecall.forget(tx, earlier);
  }
  await procedureRows.unfile(tx, scope, name);
  const { number } = await memoryRecall.add(tx, {
    id,
    scope,
    episode: id,
    seat: '',
    title: name,
    content,
    kind: 'procedure',
  });
  await procedureRows.setNumber(tx, id, number);
  await memoryRecall.relearn(tx, number, learnt);
}

type Learnt = Awaited<ReturnType<typeof memoryRecall.learntOf>>[number][];

/** Procedures saved before they could be searched, a page at a time. */
export async function fileOlderProcedures(tx: Tx, most: number): Promise<number> {
  const waiting = await procedureRows.unfiledVersions(tx, most);
  for (const version of waiting) await fileProcedure(tx, version);
  return waiting.length;
}
