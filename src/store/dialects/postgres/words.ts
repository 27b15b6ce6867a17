// Words in the rows of the items, as a `tsvector` with an index.
import type { Query, Tx, WantedWord, WordIndex } from '../../database.ts';
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
    const ofRoots = new Map<string, number[]>();
    const isKnown = ({ word, isPrefix }: WantedWord): boolean => isPrefix && ofRoots.has(word);
    return async (wanted) => {
      const missing = wanted.filter((one) => !isKnown(one));
      const found = missing.length === 0 ? [] : await list(q, missing, rare);
      for (const [i, { ofRoot }] of found.entries()) if (ofRoot) ofRoots.set(missing[i]!.root!, ofRoot);
      let next = 0;
      return wanted.map((one) => (isKnown(one) ? ofRoots.get(one.word)! : found[next++]!.numbers));
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
type LexemeList = Readonly<{ numbers: number[]; ofRoot: number[] | undefined }>;

/**
 * In one statement, because what counts is the way to the server and back. The words are looked up one by one inside it:
 * as a join, or with bounds on the number, the planner would rather read every item than use the index of words.
 */
async function list(q: Query, words: readonly WantedWord[], rare: number): Promise<LexemeList[]> {
  const wanted = words.map(({ word, isPrefix, root }) => [
    `${quoteLexeme(word)}${isPrefix ? ':*' : ''}`,
    root === undefined ? null : `${quoteLexeme(root)}:*`,
  ]);
  const rows = await q.all<{ numbers: string | null; kin: string | null }>(sql`
    select
      found.numbers,
      case when found.count <= ${rare} then (
        select string_agg(cast(no as text), ',')
        from recall_items
        where words @@ cast(wanted.pair ->> 1 as tsquery)
      ) end as kin
    from json_array_elements(cast(${JSON.stringify(wanted)} as json)) with ordinality as wanted (pair, place)
    cross join lateral (
      select string_agg(cast(no as text), ',') as numbers, count(*) as count
      from recall_items
      where words @@ cast(wanted.pair ->> 0 as tsquery)
    ) found
    order by wanted.place`);
  return rows.map(({ numbers, kin }, i) => {
    const found = readNumbers(numbers).sort(ascending);
    const hasRoot = words[i]!.root !== undefined && found.length <= rare;
    return { numbers: found, ofRoot: hasRoot ? readNumbers(kin).sort(ascending) : undefined };
  });
}

function quoteLexeme(word: string): string {
  return `'${word.replace(/\\/g, '\\\\').replace(/'/g, "''")}'`;
}
