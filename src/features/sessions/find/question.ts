// What is asked for, in the one language of the house, and two things that only sessions have: `/pattern/` and a bare `error:`.
import { parseQuery } from '../../../kernel/query-language.ts';
import { identifierParts } from '../../../recall/recall.ts';
import type { WantedTurns } from '../../../store/database.ts';
import { isLike, SESSION_FIELDS, spanMeant, type Term } from '../../../kernel/query-fields.ts';

export type TurnQuestion = Readonly<{
  words: readonly string[];
  /** Names of code, however they are spelt: `getUserById`, `get_user_by_id`. */
  names: readonly (readonly string[])[];
  phrases: readonly string[];
  without: readonly string[];
  pattern?: Readonly<{ source: string; isAnyCase: boolean }> | undefined;
  files: readonly string[];
  tools: readonly string[];
  clients: readonly string[];
  project?: string | undefined;
  isError: boolean;
  since?: number | undefined;
  until?: number | undefined;
  problems: ReturnType<typeof parseQuery>['problems'];
}>;

/** Between slashes, from a blank to a blank. A path between slashes is a pattern that finds that path. */
const PATTERN = /(?<=^|\s)\/((?:[^/\n\\]|\\.|\/(?![a-z]*(?:\s|$)))+)\/(i?)(?=\s|$)/;
const BARE_ERROR = /(?<=^|\s)error:(?=\s|$)/;

export function readQuestion(text: string, now: number): TurnQuestion {
  const found = PATTERN.exec(text);
  const isBareError = BARE_ERROR.test(text);
  const rest = (found ? text.replace(found[0], ' ') : text).replace(BARE_ERROR, ' ');
  const query = parseQuery(rest, { fields: SESSION_FIELDS });
  const terms = query.terms.filter(({ not }) => !not);
  const of = (field: string) =>
    terms.filter((term) => term.field === field).flatMap(({ value }) => value.split(','));
  const errors = of('error');
  const spans = terms.flatMap((term) => spanOf(term, now));
  const from = spans.flatMap(({ from: at }) => at ?? []);
  const until = spans.flatMap(({ until: at }) => at ?? []);
  const asText = query.terms.filter(({ field }) => !FIELDS.has(field)).map(({ value }) => value);
  const said = [...query.words, ...errors, ...asText].map((word) => word.normalize()).filter(hasLetters);
  // In quotes it is meant as it stands.
  const named = said.map((word) => (rest.includes(`"${word}"`) ? [] : partsOfName(word)));
  const others = said.filter((_, at) => named[at]!.length < 2);
  return {
    words: others.filter((word) => !isPhrase(word)),
    names: named.filter((parts) => parts.length > 1),
    phrases: [...query.phrases, ...others.filter(isPhrase)],
    without: query.without,
    ...(found && { pattern: { source: found[1]!, isAnyCase: found[2] === 'i' } }),
    files: terms.filter(({ field }) => field === 'file').map(({ value }) => value),
    tools: of('tool'),
    clients: of('agent'),
    project: of('project').at(-1),
    isError: isBareError || errors.length > 0,
    ...(from.length > 0 && { since: Math.max(...from) }),
    ...(until.length > 0 && { until: Math.min(...until) }),
    problems: query.problems,
  };
}

const FIELDS = new Set(['file', 'tool', 'error', 'agent', 'project', 'since', 'created', 'updated']);

function spanOf(term: Term, now: number): readonly Readonly<{ from?: number; until?: number }>[] {
  if (term.field === 'since')
    return [spanMeant({ op: /^\d{4}/.test(term.value) ? '>=' : '=', value: term.value }, now)];
  return term.field === 'created' || term.field === 'updated' ? [spanMeant(term, now)] : [];
}

/** The words of a name as code writes it, found by what reads names everywhere; of anything else none or one. */
function partsOfName(word: string): readonly string[] {
  if (!NAME.test(word)) return [];
  const parts = identifierParts(word);
  return parts.every(isIndexed) ? parts : [];
}
const NAME = /^[\p{L}\p{N}]+(?:_[\p{L}\p{N}]+)*$/u;

/** `src/keel.js`, `it's`: the index has its parts, and the row has it as it stands. */
function isPhrase(word: string): boolean {
  return /[^\p{L}\p{N}\p{M}]/u.test(word);
}

/** The index has no words without any. */
function hasLetters(word: string): boolean {
  return /[\p{L}\p{N}]/u.test(word);
}

/** `claude` is Claude Code, `codex` Codex: a name or its beginning. */
export function isClient(client: string, asked: readonly string[]): boolean {
  return asked.some((each) => isLike(client, each) || client.startsWith(`${each.toLowerCase()}-`));
}

/**
 * Words that the engines take apart as we do. Chinese, Japanese, Korean, Thai and others have no blanks between words, or signs that
 * an engine may not know: those are looked for as they stand.
 */
export function isIndexed(word: string): boolean {
  return /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Hebrew}\p{Script=Arabic}0-9]+$/u.test(
    word,
  );
}

/** What the index is asked for. Words that follow each other may be one name in the text, and a name may be words. */
export function wantedWords(
  { words, names, phrases }: Pick<TurnQuestion, 'words' | 'names' | 'phrases'>,
  takes: 'all' | 'any',
): Pick<WantedTurns, 'words' | 'spelt' | 'takes'> {
  const spelt = names.map((parts) => [[parts.join('')], parts]);
  const plain = words.filter(isIndexed);
  const isMaybeName =
    takes === 'all' && plain.length > 1 && plain.length <= LONGEST_NAME && names.length === 0;
  const inPhrases = phrases.flatMap(wordsOfPhrase);
  return isMaybeName
    ? { words: [...new Set(inPhrases)], spelt: [[plain, [plain.join('')]]], takes }
    : { words: [...new Set([...plain, ...inPhrases])], spelt, takes };
}
const LONGEST_NAME = 5;

/** The words of the index in a phrase. */
function wordsOfPhrase(phrase: string): string[] {
  return phrase
    .normalize()
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter(isIndexed);
}
