// The one language in which people say what they look for: `holdfast search`, `--where`, the page's line and `q=` of the
// REST routes read it here. Pure: the page carries it. Free text is always a query; nothing here throws.
//
//   keel                       a word that has to be there
//   "dry dock"                 words in this order
//   -word  -"two words"        what must not be there
//   field:value  field=value   as is; `a,b` is either, `cod*` a beginning, `none` nothing at all
//   field>=3  due<7d           compared; a time is counted from now: ahead for `due`, back for what has happened
//   field:"two words"  field!=value  -field:value
//
// What only looks like a term is text: no value (`foo: bar`), an address (`https://…`), a path or a place in one
// (`a.ts:12`), `std::x`, `--flag`, `12:30`. A field that nobody knows is text, too, and told in `problems`: with the one that
// was meant where one is near, and then it is better to ask than to look for it.
import { nearestName } from './nearest-name.ts';
import { FIELDS, fieldNamed, type Op, problemOfValue, type Term } from './query-fields.ts';

type Problem = Readonly<{
  /** As it was typed. */
  term: string;
  says: string;
  /** What was probably meant: the whole term. */
  meant?: string;
  /** It was read as a word: free text may well have it. */
  isText: boolean;
}>;

export type PeopleQuery = Readonly<{
  words: readonly string[];
  phrases: readonly string[];
  without: readonly string[];
  terms: readonly Term[];
  problems: readonly Problem[];
}>;

export type Reading = Readonly<{
  /** Bare words that stand for `is:word`, where a list is narrowed; words are looked for elsewhere. */
  flags?: readonly string[];
  /** What can be asked about by name; that of the board and the search unless said. */
  fields?: typeof FIELDS;
}>;

type Part = Readonly<{ text: string; not: boolean; isQuoted: boolean }>;

export function parseQuery(text: string, { flags = [], fields = FIELDS }: Reading = {}): PeopleQuery {
  const words: string[] = [];
  const phrases: string[] = [];
  const without: string[] = [];
  const terms: Term[] = [];
  const problems: Problem[] = [];
  for (const part of partsOf(text)) {
    const term = part.isQuoted ? undefined : termOf(part, { flags, fields });
    if (term !== undefined && 'field' in term) {
      const problem = problemOf(part, term, fields);
      if (problem) problems.push(problem);
      // `search:keel` of earlier versions is the word.
      if (term.field === 'search') (term.not ? without : words).push(term.value);
      else terms.push(term);
      continue;
    }
    if (term !== undefined) problems.push(term);
    if (part.not) without.push(part.text);
    else if (part.isQuoted && /\s/.test(part.text)) phrases.push(part.text);
    else words.push(part.text);
  }
  return { words, phrases, without, terms, problems };
}

/** It says itself whether open work is meant. */
export function namesState({ terms }: PeopleQuery): boolean {
  const states = new Set(['open', 'closed', 'done', 'any', 'archived']);
  return terms.some(
    ({ field, value }) =>
      field === 'status' ||
      field === 'finished' ||
      (field === 'is' && value.split(',').some((each) => states.has(each))),
  );
}

/** Nothing is asked for. */
export function isEmptyQuery({ words, phrases, without, terms }: PeopleQuery): boolean {
  return words.length + phrases.length + without.length + terms.length === 0;
}

/** `-`, a field with its sign before a quoted value, a quoted text, or all up to the next blank. A quote that is not closed ends with the text. */
const PART = /(-?)(?:([\p{L}_-]+(?::[<>]=?|[<>!]=|[:=<>]))?"((?:[^"\\]|\\.)*)(?:"|$)|(\S+))/gsu;

function* partsOf(text: string): Generator<Part> {
  for (const [whole, minus, head, inside, plain] of text.matchAll(PART)) {
    if (plain !== undefined) {
      // `--flag`, `->` and `-` alone are text.
      const isText = minus === '' || !/^[\p{L}\p{N}_#]/u.test(plain);
      yield { text: isText ? whole : plain, not: !isText, isQuoted: false };
      continue;
    }
    const value = inside!.replace(/\\(.)/gs, '$1');
    if (value.trim() === '') continue;
    yield { text: (head ?? '') + value, not: minus === '-', isQuoted: head === undefined };
  }
}

/** A name, its sign, a value. Values that make an address, a path or a scope of it are none. */
const TERM = /^([\p{L}_][\p{L}_-]+)(:[<>]=?|!=|[<>]=|[:=<>])(.+)$/su;

function termOf({ text, not }: Part, { flags, fields }: Required<Reading>): Term | Problem | undefined {
  if (flags.includes(text.toLowerCase())) return { field: 'is', op: '=', value: text.toLowerCase(), not };
  const [, name, sign, value] = TERM.exec(text) ?? [];
  if (name === undefined || sign === undefined || value === undefined) return undefined;
  if (/^(\/\/|[:=>])/.test(value)) return undefined;
  const field = fieldNamed(name, fields);
  if (field !== undefined) {
    const op = sign === ':' || sign === '=' || sign === '!=' ? '=' : (sign.replace(':', '') as Op);
    return { ...field, op: field.op ?? op, value, not: not !== (sign === '!=') };
  }
  const meant = nearestName(name, Object.keys(fields));
  const says = `There is no field ${JSON.stringify(name)}`;
  if (meant === undefined) return { term: text, says: `${says}.`, isText: true };
  return { term: text, says: `${says}.`, meant: `${meant}${sign}${value}`, isText: true };
}

function problemOf({ text }: Part, term: Term, fields: typeof FIELDS): Problem | undefined {
  const found = problemOfValue(term, fields);
  if (!found) return undefined;
  const { says, meant } = found;
  const whole = meant === undefined ? undefined : `${term.field}:${meant}`;
  return { term: text, says, isText: false, ...(whole !== undefined && { meant: whole }) };
}
