import type { Findings } from './find.ts';
import type { Ranked } from './score/ranked.ts';
import { findWords, PLAIN } from './score/words.ts';

/** Less than this is true of most of what is said. */
const ABOUT_IT = 1.2;

/** Why an item was found, in words an agent can weigh. */
export function explainHit({ matched, learnt }: Findings, { item, parts }: Ranked): string {
  const { places } = findWords(item, matched.terms, PLAIN);
  const here = matched.terms.flatMap((term, i) => (places[i]! < 0 ? [] : [{ ...term, at: places[i]! }]));
  const exact = here.filter(({ isRoot }) => !isRoot);
  const inTitle = exact.filter(({ at }) => at < item.flags.titleLetters);
  const groups = new Set(here.map(({ group }) => group));
  const lacking = matched.terms.filter(({ group, isRoot }) => !isRoot && !groups.has(group));
  const reasons = [
    exact.length > 0 && `has ${quoted(exact)}`,
    inTitle.length > 0 &&
      (inTitle.length === exact.length ? 'in the title' : `${quoted(inTitle)} in the title`),
    exact.length === 0 && here.length > 0 && `has a word like ${quoted(here)}`,
    (parts.learnt ?? 0) > 0 && usedBy(learnt.get(item.number)?.users ?? 1),
    (parts.company ?? 0) > 0 && 'much like the best hits',
    (parts.phrase ?? 0) > 0 && 'words stand together as asked',
    exact.length === 0 && (parts.window ?? 0) > 0 && 'said next to what was asked about',
    (parts.sense ?? 0) > ABOUT_IT && 'about the same matter',
    (parts.answer ?? 0) > 0 && 'follows such a question',
    (parts.speaker ?? 0) > 0 && 'said by whom you named',
    (parts.date ?? 0) > 0 && 'of that date',
    ((parts.temporal ?? 0) > 0 || (parts.moment ?? 0) > 0) && 'tells a time',
    (parts.number ?? 0) > 0 && 'tells a number',
    (parts.vector ?? 0) > 0 && 'similar in meaning',
    lacking.length > 0 && exact.length > 0 && `lacks ${quoted(lacking)}`,
  ].filter((reason) => reason !== false);
  return reasons.length === 0 ? 'stands near what was asked about' : reasons.join('; ');
}

function usedBy(users: number): string {
  return `opened by ${users === 1 ? 'one agent' : `${users} agents`} after a similar question`;
}

/** A pasted log has many words; the first few tell. */
const MOST = 6;

function quoted(terms: readonly Readonly<{ written: string }>[]): string {
  const words = [...new Set(terms.map(({ written }) => written))];
  const shown = words.slice(0, MOST).join(', ');
  return words.length > MOST ? `${shown} and ${words.length - MOST} more` : shown;
}
