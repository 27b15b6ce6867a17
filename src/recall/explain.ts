import type { Findings } from './find.ts';
import type { MatchedTerm } from './matched-terms.ts';
import type { Ranked } from './score/ranked.ts';
import { findWords, PLAIN } from './score/words.ts';

/** Less than this is true of most of what is said. */
const ABOUT_IT = 1.2;

/** Why an item was found, in words an agent can weigh. */
export function explainHit({ matched, learnt }: Findings, { item, parts }: Ranked): string {
  const { places } = findWords(item, matched.terms, PLAIN);
  const here: MatchedTerm[] = [];
  const [exact, inTitle, lacking] = [[] as MatchedTerm[], [] as MatchedTerm[], [] as MatchedTerm[]];
  for (let i = 0; i < places.length; i += 1) {
    const [term, at] = [matched.terms[i]!, places[i]!];
    if (at < 0) continue;
    here.push(term);
    if (!term.isRoot) exact.push(term);
    if (!term.isRoot && at < item.flags.titleLetters) inTitle.push(term);
  }
  for (const term of matched.terms)
    if (!term.isRoot && !here.some(({ group }) => group === term.group)) lacking.push(term);
  const reasons: string[] = [];
  if (exact.length > 0) reasons.push(`has ${quoted(exact)}`);
  if (inTitle.length > 0)
    reasons.push(inTitle.length === exact.length ? 'in the title' : `${quoted(inTitle)} in the title`);
  if (exact.length === 0 && here.length > 0) reasons.push(`has a word like ${quoted(here)}`);
  if ((parts.learnt ?? 0) > 0) reasons.push(usedBy(learnt.get(item.number)?.users ?? 1));
  if ((parts.company ?? 0) > 0) reasons.push('much like the best hits');
  if ((parts.phrase ?? 0) > 0) reasons.push('words stand together as asked');
  if (exact.length === 0 && (parts.window ?? 0) > 0) reasons.push('said next to what was asked about');
  if ((parts.sense ?? 0) > ABOUT_IT) reasons.push('about the same matter');
  if ((parts.answer ?? 0) > 0) reasons.push('follows such a question');
  if ((parts.speaker ?? 0) > 0) reasons.push('said by whom you named');
  if ((parts.date ?? 0) > 0) reasons.push('of that date');
  if ((parts.temporal ?? 0) > 0 || (parts.moment ?? 0) > 0) reasons.push('tells a time');
  if ((parts.number ?? 0) > 0) reasons.push('tells a number');
  if ((parts.vector ?? 0) > 0) reasons.push('similar in meaning');
  if (lacking.length > 0 && exact.length > 0) reasons.push(`lacks ${quoted(lacking)}`);
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
