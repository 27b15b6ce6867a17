import type { Query } from '../../../store/database.ts';
import {
  pageChecks,
  pageComments,
  pageEvidence,
  pageLabels,
  pageLinks,
  pageTasks,
} from '../rows/transfer.ts';
import { type ExportPosition, type TransferLine, positionSchema } from './line.ts';

export const PAGE = 500;

/** Sections in the order in which the lines can be read back: what is referred to comes first. */
const STARTS: readonly ExportPosition[] = [
  { type: 'task', depth: 0, id: '' },
  { type: 'link', taskId: '', dependsOnTaskId: '' },
  { type: 'label', taskId: '', label: '' },
  { type: 'comment', id: '' },
  { type: 'check', id: '' },
  { type: 'evidence', id: '' },
];

type ExportPage = Readonly<{ records: TransferLine[]; next?: ExportPosition }>;

/** One page, a snapshot of its own: an export of a busy board never holds a transaction open. */
export async function exportPage(q: Query, after: ExportPosition = STARTS[0]!): Promise<ExportPage> {
  const records = await readPage(q, after);
  const next =
    records.length === PAGE
      ? positionSchema.parse(records.at(-1))
      : STARTS[STARTS.findIndex(({ type }) => type === after.type) + 1];
  return { records, ...(next && { next }) };
}

async function readPage(q: Query, after: ExportPosition): Promise<TransferLine[]> {
  if (after.type === 'task')
    return (await pageTasks(q, after, PAGE)).map((task) => ({ type: 'task', ...task }));
  if (after.type === 'link')
    return (await pageLinks(q, after, PAGE)).map((link) => ({ type: 'link', ...link }));
  if (after.type === 'label')
    return (await pageLabels(q, after, PAGE)).map((labelled) => ({ type: 'label', ...labelled }));
  if (after.type === 'comment')
    return (await pageComments(q, after.id, PAGE)).map((comment) => ({ type: 'comment', ...comment }));
  if (after.type === 'check')
    return (await pageChecks(q, after.id, PAGE)).map((check) => ({ type: 'check', ...check }));
  return (await pageEvidence(q, after.id, PAGE)).map((given) => ({ type: 'evidence', ...given }));
}

/** The first line: what the others are. */
export function exportHead(at: number): TransferLine {
  return { type: 'archive', version: 1, at };
}
