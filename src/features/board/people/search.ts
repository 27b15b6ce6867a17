import { z } from 'zod';
import type { Term } from '../../../kernel/query-fields.ts';
import { isEmptyQuery, type Query } from '../../../kernel/query-language.ts';
import { readFreely } from '../../../store/query-terms.ts';
import { findSaid, findTasks, type FoundTask, type Said } from '../rows/search.ts';
import { teamFilter, type TeamWish } from '../rules.ts';
import { instant, status } from '../task.ts';
import type { BoardSight } from '../unit.ts';

/** What people and agents wrote, wherever on the board: in a task, in what was said about it, in what it has to show. */
const hitSchema = z.object({
  kind: z.enum(['task', 'comment', 'check', 'evidence']),
  taskId: z.string(),
  title: z.string(),
  status,
  archived: z.boolean(),
  text: z.string().describe('Where the words stand: the beginning of it, or what is around them.'),
  by: z.string().nullable(),
  at: instant,
});
export type Hit = z.infer<typeof hitSchema>;
export const hitsSchema = z.object({ hits: z.array(hitSchema) });

type SearchRequest = Omit<TeamWish, 'all'> & Readonly<{ q: string; limit?: number | undefined }>;

/** So many tasks are looked at to find the best. */
const LOOKED_AT = 300;
const SHOWN = 20;

/** Tasks whose own words are meant first, then what was said, the newest first. */
export async function searchBoard(
  { q, caller, now }: BoardSight,
  { q: text, limit = SHOWN, teamId, orNone }: SearchRequest,
): Promise<Hit[]> {
  const { query, isWanted } = withoutKind(readFreely(text));
  if (isEmptyQuery(query) && query.terms.length === 0 && !isWanted.isNamed) return [];
  const wish = { ...teamFilter(caller, { teamId, orNone, all: true }), query, now };
  const found = await findTasks(q, wish, LOOKED_AT);
  const words = [...query.words, ...query.phrases].map((each) => each.toLowerCase());
  const said = await findSaid(
    q,
    found.map(({ id }) => id),
    words,
  );
  const saidOf = Map.groupBy(said, ({ taskId }) => taskId);
  return found
    .flatMap((task) => hitsOf(task, saidOf.get(task.id) ?? [], words))
    .filter(({ hit }) => isWanted.of(hit.kind))
    .sort((a, b) => a.rank - b.rank || b.hit.at - a.hit.at)
    .slice(0, limit)
    .map(({ hit }) => hit);
}

/** Which kinds are wanted is decided of what was found, not of the tasks it was found in. */
function withoutKind(query: Query) {
  const kinds = query.terms.filter(({ field }) => field === 'kind');
  const isOf = ({ value, not }: Term, kind: string) => value.split(',').includes(kind) !== not;
  return {
    query: { ...query, terms: query.terms.filter(({ field }) => field !== 'kind') },
    isWanted: { isNamed: kinds.length > 0, of: (kind: string) => kinds.every((term) => isOf(term, kind)) },
  };
}

type Ranked = Readonly<{ rank: number; hit: Hit }>;

function hitsOf(task: FoundTask, said: readonly Said[], words: readonly string[]): Ranked[] {
  const { id: taskId, title, status: stands, archived, description, updatedAt } = task;
  const of = { taskId, title, status: stands, archived };
  const whole = said.filter(({ text }) => hasAll(text, words));
  // One of each kind is enough to find the task by; the newest.
  const kinds = [...Map.groupBy(whole, ({ kind }) => kind).values()].map(([newest]) => newest!);
  const hits = kinds.map(({ kind, text, by, at }) => ({
    rank: 2,
    hit: { ...of, kind, text: around(text, words), by, at },
  }));
  const isInTitle = hasAll(title, words);
  if (hits.length > 0 && !isInTitle && !hasAll(`${title} ${description ?? ''}`, words)) return hits;
  const text = isInTitle || description === null ? title : around(description, words);
  return [{ rank: isInTitle ? 0 : 1, hit: { ...of, kind: 'task', text, by: null, at: updatedAt } }, ...hits];
}

function hasAll(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return words.every((word) => lower.includes(word));
}

const AROUND = 160;

/** The words with some of what stands before and after them. */
function around(text: string, words: readonly string[]): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= AROUND) return line;
  const lower = line.toLowerCase();
  const first = words.map((word) => lower.indexOf(word)).filter((at) => at >= 0);
  const begin = Math.max(0, Math.min(...first, line.length) - 40);
  const from = first.length === 0 || begin === 0 ? 0 : line.indexOf(' ', begin) + 1;
  const cut = line.slice(from, from + AROUND);
  return `${from > 0 ? '…' : ''}${cut}${from + AROUND < line.length ? '…' : ''}`;
}
