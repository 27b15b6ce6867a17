import { tokenise } from '../tokens.ts';
import { KINDS } from './kinds.ts';
import { NEIGHBOURS } from './neighbours.ts';

/**
 * The terms that stand in for one of a question. What is of its kind comes first (who asks for instruments wants to
 * find the violin, and not the other way round), then its neighbours.
 */
export function kinOf(term: string): readonly string[] {
  table ??= buildTable();
  return [...(table.get(term) ?? [])];
}

/** Made at the first question: most processes never ask one. */
let table: ReadonlyMap<string, ReadonlySet<string>> | undefined;

function buildTable(): ReadonlyMap<string, ReadonlySet<string>> {
  const made = new Map<string, Set<string>>();
  const add = (term: string, others: readonly string[]): void => {
    const known = made.get(term) ?? new Set();
    for (const other of others) if (other !== term) known.add(other);
    made.set(term, known);
  };
  for (const line of KINDS.replace(/\n {4,}/g, ' ').split('\n')) {
    const [kinds = '', members = ''] = line.split(':');
    for (const kind of termsIn(kinds)) add(kind, termsIn(members));
  }
  for (const group of NEIGHBOURS.split(';')) {
    const terms = termsIn(group);
    for (const term of terms) add(term, terms);
  }
  return made;
}

const termsIn = (text: string): string[] => tokenise(text).flatMap((token) => token.terms);
