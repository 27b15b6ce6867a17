// Words in the rows of the items, as a `tsvector` with an index.
import type { FoundWord, Query, Tx, WantedWord, WordIndex } from '../../database.ts';
import { sql, type Sql } from '../../sql.ts';
import { ascending, readNumbers } from '../numbers.ts';

export const postgresWords: WordIndex = {
  column: (words) => ({ name: sql`, words`, value: sql`, ${lexemes(words)}` }),
  add: async () => undefined,
  replace: (tx, number, { after }) => set(tx, number, after),
  remove: async () => undefined,
  empty: async () => undefined,
  refill: set,
  /** The beginning of a rare word is what is asked for next, so it comes along. */
  reader(q, { rare }) {
    const ofRoots = new Map<string, FoundWord>();
    const isKnown = ({ word, isPrefix }: WantedWord): boolean => isPrefix && ofRoots.has(word);
    return async (wanted, among) => {
      if (among) return listAmong(q, wanted, among);
      const missing = wanted.filter((one) => !isKnown(one));
      const found = missing.length === 0 ? [] : await list(q, missing, rare);
      for (const [i, { ofRoot }] of found.entries()) if (ofRoot) ofRoots.set(missing[i]!.root!, ofRoot);
      let next = 0;
      return wanted.map((one) => (isKnown(one) ? ofRoots.get(one.word)! : found[next++]!));
    };
  },
};

async function set(tx: Tx, number: number, words: readonly string[]): Promise<void> {
  await tx.run(sql`
    update recall_items
    set words = ${lexemes(words)}
    where no = ${number}`);
}

function lexemes(words: readonly string[]): Sql {
  return sql`array_to_tsvector(array(select json_array_elements_text(cast(${JSON.stringify(words)} as json))))`;
}

/** `ofRoot` is the list of the word's beginning, where one was named and at most `rare` items have the word. */
type LexemeList = FoundWord & Readonly<{ ofRoot: FoundWord | undefined }>;

/**
 * In one statement, because what counts is the way to the server and back. The words are looked up one by one inside it:
 * as a join, or with bounds on the number, the planner would rather read every item than use the index of words. That index
 * knows rows and not numbers, so every item of a list is read: of a common word's only the first, in the order of the table,
 * and how far one came in it tells how many more there are.
 */
async function list(q: Query, words: readonly WantedWord[], rare: number): Promise<LexemeList[]> {
  const wanted = words.map(({ root, most, ...one }) => [
    toTsquery(one),
    root === undefined ? null : `${quoteLexeme(root)}:*`,
    most ?? null,
  ]);
  const rows = await q.all<FoundRow>(sql`
    select
      found.numbers,
      found.last,
      pg_relation_size('recall_items') / cast(current_setting('block_size') as bigint) as pages,
      case when found.count <= ${rare} then (
        select string_agg(cast(no as text), ',')
        from recall_items
        where words @@ cast(wanted.asked ->> 1 as tsquery)
      ) end as kin
    from json_array_elements(cast(${JSON.stringify(wanted)} as json)) with ordinality as wanted (asked, place)
    cross join lateral (
      select string_agg(cast(no as text), ',') as numbers, count(*) as count, max(page) as last
      from (
        select no, (cast(cast(ctid as text) as point))[0] as page
        from recall_items
        where words @@ cast(wanted.asked ->> 0 as tsquery)
        limit cast(wanted.asked ->> 2 as bigint)
      ) first
    ) found
    order by wanted.place`);
  return rows.map(({ numbers, kin, last, pages }, i) => {
    const found = readNumbers(numbers).sort(ascending);
    const { root, most = Infinity } = words[i]!;
    const isCut = found.length >= most;
    const ofRoot = readNumbers(kin).sort(ascending);
    return {
      numbers: found,
      having: isCut
        ? Math.max(found.length + 1, Math.round((found.length * pages) / (Number(last) + 1)))
        : found.length,
      ofRoot:
        root !== undefined && found.length <= rare ? { numbers: ofRoot, having: ofRoot.length } : undefined,
    };
  });
}

/** Which of the items have which of the words: each is found by its number and read once. */
async function listAmong(
  q: Query,
  words: readonly WantedWord[],
  among: readonly number[],
): Promise<FoundWord[]> {
  const wanted = words.map(toTsquery);
  const rows = await q.all<{ numbers: string | null }>(sql`
    select string_agg(cast(item.no as text), ',') filter (where item.words @@ cast(wanted.word as tsquery)) as numbers
    from json_array_elements_text(cast(${JSON.stringify(wanted)} as json)) with ordinality as wanted (word, place)
    cross join (
      select no, words
      from recall_items
      where no ${q.dialect.isOneOf(among)}
    ) item
    group by wanted.place
    order by wanted.place`);
  return rows.map((row) => {
    const numbers = readNumbers(row.numbers).sort(ascending);
    return { numbers, having: numbers.length };
  });
}

type FoundRow = Readonly<{ numbers: string | null; kin: string | null; last: number | null; pages: number }>;

function toTsquery({ word, isPrefix, beside = [] }: WantedWord): string {
  return [`${quoteLexeme(word)}${isPrefix ? ':*' : ''}`, ...beside.map(quoteLexeme)].join(' & ');
}

function quoteLexeme(word: string): string {
  return `'${word.replace(/\\/g, '\\\\').replace(/'/g, "''")}'`;
}
