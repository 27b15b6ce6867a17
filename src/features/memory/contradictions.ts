// What a fact that was just saved stands against. It is shown; nothing is ended or merged by itself.
import { type Clash, findContradictions, findRivals } from '../../recall/recall.ts';
import type { Query } from '../../store/database.ts';
import type { Saved } from './fact.ts';
import { tagsOf } from './lifecycle.ts';
import * as rows from './rows/facts.ts';
import type { StoredFact } from './rows/facts.ts';
import { SPACE } from './rules.ts';

export type Against = Readonly<{ other: StoredFact; found: Clash }>;

/** Facts of the same scope that hold now and may disagree with it. */
export async function factsNear(q: Query, fact: StoredFact): Promise<StoredFact[]> {
  const sight = { space: SPACE, ...tagsOf(fact) };
  const { scope, number, title, content: text } = fact;
  const numbers = await findRivals(q, { space: SPACE, scope, but: number }, { title, text });
  if (numbers.length === 0) return [];
  return (await rows.factsByNumbers(q, sight, numbers)).filter(
    (other) => other.scope === fact.scope && other.validTo === null,
  );
}

/** Those of them that say something else. Long texts take their time, so no snapshot waits for this. */
export async function contradictionsOf(fact: StoredFact, near: readonly StoredFact[]): Promise<Against[]> {
  if (near.length === 0) return [];
  const found = await findContradictions(
    { title: fact.title, text: fact.content },
    near.map(({ id, title, content }) => ({ id, title, text: content })),
  );
  return found.flatMap((each) =>
    near.filter(({ id }) => id === each.with).map((other) => ({ other, found: each })),
  );
}

/** The part of the answer to a save that says so, with the three ways on. */
export function toContradictions(
  { id, title, tags }: StoredFact,
  against: readonly Against[],
): Pick<Saved, 'contradicts' | 'contradictions' | 'choices'> {
  const first = against[0]?.other.id;
  if (first === undefined) return {};
  return {
    contradicts: [...new Set(against.map(({ other }) => other.id))],
    contradictions: against.map(({ other, found: { mine, theirs, why } }) => ({
      id: other.id,
      title: other.title,
      mine,
      theirs,
      why,
    })),
    choices: {
      // With its title and tags it is the fact just saved that takes the place, and not a third one.
      supersede: `memory_supersede ${JSON.stringify({ id: first, title, ...(tags.length > 0 && { tags }) })} with the content just saved: the new one takes its place.`,
      keepBoth: 'Nothing: both hold until somebody says otherwise.',
      discard: `memory_forget ${JSON.stringify({ id })}: the new one was wrong.`,
    },
  };
}
