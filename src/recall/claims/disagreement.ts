/**
 * Whether two claims cannot both hold, as far as words alone tell: they say the same up to one place, and there another
 * value, an opposite, or a denial. Precise rather than complete: a claim that is worded otherwise is not compared.
 */
import type { Claim, ClaimWord } from './claim.ts';
import { isUnit, oppositesIn, type ValueKind } from './values.ts';

export function disagreement(a: Claim, b: Claim): string | undefined {
  if (a.text === b.text || !isOfOneThing(a, b)) return undefined;
  const { mine, theirs, before, after } = apart(a.words, b.words);
  const shared = [...before, ...after];
  if (shared.filter(({ kind }) => kind === 'word' || kind === 'name').length < FEWEST) return undefined;
  if (mine.length === 0 && theirs.length === 0)
    return a.isDenied === b.isDenied ? undefined : 'one denies what the other says';
  if (a.isDenied !== b.isDenied) return deniedOtherwise(mine, theirs);
  if (mine.length === 0 || theirs.length === 0) return undefined;
  return opposite(mine, theirs) ?? otherValue({ mine, theirs, before, after });
}

/** Besides the value, so many words have to be the same: a subject and what is said of it. */
const FEWEST = 2;

/** What they stand under must not be two things: "port" of the gateway and of the database. */
function isOfOneThing(a: Claim, b: Claim): boolean {
  const known = (claim: Claim): Set<string> =>
    new Set([...claim.about, ...claim.words.map(({ key }) => key)]);
  const [mine, theirs] = [known(a), known(b)];
  const foreign = (about: ReadonlySet<string>, other: ReadonlySet<string>): number =>
    [...about].filter((key) => !other.has(key)).length;
  return foreign(a.about, theirs) === 0 || foreign(b.about, mine) === 0;
}

type Apart = Readonly<Record<'mine' | 'theirs' | 'before' | 'after', readonly ClaimWord[]>>;

/** The one place where they differ: what stands before and after it is the same. */
function apart(a: readonly ClaimWord[], b: readonly ClaimWord[]): Apart {
  const least = Math.min(a.length, b.length);
  let start = 0;
  while (start < least && a[start]!.key === b[start]!.key) start += 1;
  let end = 0;
  while (end < least - start && a.at(-1 - end)!.key === b.at(-1 - end)!.key) end += 1;
  return {
    mine: a.slice(start, a.length - end),
    theirs: b.slice(start, b.length - end),
    before: a.slice(0, start),
    after: a.slice(a.length - end),
  };
}

/** "always" and "never": a denial that takes the place of a word. */
function deniedOtherwise(mine: readonly ClaimWord[], theirs: readonly ClaimWord[]): string | undefined {
  const only = mine.length + theirs.length === 1 ? (mine[0] ?? theirs[0])! : undefined;
  return only && /^(?:always|automatically)$/i.test(only.text)
    ? 'one says the opposite: always and never'
    : undefined;
}

function opposite(mine: readonly ClaimWord[], theirs: readonly ClaimWord[]): string | undefined {
  if (mine.length !== 1 || theirs.length !== 1) return undefined;
  const found = oppositesIn(mine[0]!.text, theirs[0]!.text);
  return found && `one says the opposite: ${found[0]} and ${found[1]}`;
}

function otherValue({ mine, theirs, before, after }: Apart): string | undefined {
  const [own, other] = [valueKind(mine), valueKind(theirs)];
  if (own === undefined || own !== other) return undefined;
  if (own === 'number') return isSubjectNumber(before, after) ? undefined : 'they give different numbers';
  if (own === 'name' || own === 'word')
    return isSingleValued({ mine, theirs, before, after }) ? 'they give different values' : undefined;
  return `they give different ${own === 'url' ? 'addresses' : own === 'time' ? 'times' : 'dates'}`;
}

/** "Room 7 …" and "Room 8 …" are two rooms; "version 3 is current" is one version. */
function isSubjectNumber(before: readonly ClaimWord[], after: readonly ClaimWord[]): boolean {
  return before.length === 1 && !/^(?:version|node|release)$/i.test(before[0]!.text) && after.length > 1;
}

const A_DATE: ReadonlySet<ValueKind> = new Set(['date', 'day', 'month', 'number']);

/** Of what kind the whole of it is; undefined for more than a value: a value is no sentence. */
function valueKind(words: readonly ClaimWord[]): ValueKind | undefined {
  if (words.some(({ text }) => FRAME.test(text))) return undefined;
  const kinds = new Set(words.map(({ kind }) => kind));
  if (kinds.size === 1 && words.length <= MOST_WORDS) return words[0]!.kind;
  if ([...kinds].every((kind) => A_DATE.has(kind)) && (kinds.has('month') || kinds.has('day'))) return 'date';
  // A quantity with its unit.
  if (words.length === 2 && words[0]!.kind === 'number' && isUnit(words[1]!.text)) return 'number';
  return undefined;
}

const MOST_WORDS = 3;
/** Words that open a clause of their own. */
const FRAME =
  /^(?:is|are|was|were|has|have|and|or|with|by|for|from|at|on|in|into|of|to|per|as|every|after|before|when|if|because|\p{L}+ed)$/iu;

/** Something has one owner, one place, one colour; it may use, like or need many things. */
function isSingleValued({ mine, theirs, before, after }: Apart): boolean {
  const said = (words: readonly ClaimWord[]): string => words.map(({ text }) => text.toLowerCase()).join(' ');
  const [ahead, behind] = [said(before), said(after)];
  const isName = [mine, theirs].every((words) => words.every(({ kind }) => kind === 'name'));
  // "owned by Ada", "stored in Vault", "built with Nx", "default region is eu-west-1".
  if (behind === '') return SINGLE_AT_END.test(` ${ahead}`) || (isName && PLACED.test(` ${ahead}`));
  // "use pnpm as package manager", "use `make test` to run the tests".
  if (/^as\b/.test(behind) || (/(?:^| )uses?$/.test(ahead) && /^(?:for|run|running)\b/.test(behind)))
    return true;
  // "Ada owns the search service".
  return ahead === '' && isName && /^(?:owns|leads|maintains|heads)\b/.test(behind);
}

const SINGLE_AT_END =
  / (?:(?:is|are|was|were) (?:\p{L}+ed|\p{L}+en|built|kept|sent|done|run|made|held|hosted|backed|paid) (?:in|with|by|through|via|on|at|from|using)|(?:live|lives|resides?) (?:in|on|at)|\p{L}[^.]* (?:is|are))$/u;
const PLACED = / (?:is|are) (?:in|at|on)$/;
