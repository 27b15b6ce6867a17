// What is asked for, in the one language of the house, and two things that only sessions have: `/pattern/` and a bare `error:`.
import { type Problem, parseQuery } from '../../../kernel/query-language.ts';
import { isLike, spanMeant, type Term } from '../../../kernel/query-fields.ts';

export type Question = Readonly<{
  words: readonly string[];
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
  problems: readonly Problem[];
}>;

/** Between slashes, from a blank to a blank. A path between slashes is a pattern that finds that path. */
const PATTERN = /(?<=^|\s)\/((?:[^/\n\\]|\\.|\/(?![a-z]*(?:\s|$)))+)\/(i?)(?=\s|$)/;
const BARE_ERROR = /(?<=^|\s)error:(?=\s|$)/;

export function readQuestion(text: string, now: number): Question {
  const found = PATTERN.exec(text);
  const isBareError = BARE_ERROR.test(text);
  const rest = (found ? text.replace(found[0], ' ') : text).replace(BARE_ERROR, ' ');
  const query = parseQuery(rest);
  const terms = query.terms.filter(({ not }) => !not);
  const of = (field: string) => terms.filter((term) => term.field === field).flatMap(({ value }) => value.split(','));
  const errors = of('error');
  const spans = terms.flatMap((term) => spanOf(term, now));
  const from = spans.flatMap(({ from: at }) => at ?? []);
  const until = spans.flatMap(({ until: at }) => at ?? []);
  const asText = query.terms.filter(({ field }) => !FIELDS.has(field)).map(({ value }) => value);
  return {
    words: [...query.words, ...errors, ...asText].filter(hasLetters),
    phrases: query.phrases,
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
  if (term.field === 'since') return [spanMeant({ op: /^\d{4}/.test(term.value) ? '>=' : '=', value: term.value }, now)];
  return term.field === 'created' || term.field === 'updated' ? [spanMeant(term, now)] : [];
}

/** The index has no words without any. */
function hasLetters(word: string): boolean {
  return /[\p{L}\p{N}]/u.test(word);
}

/** `claude` is Claude Code, `codex` Codex: a name or its beginning. */
export function isClient(client: string, asked: readonly string[]): boolean {
  return asked.some((each) => isLike(client, each) || client.startsWith(`${each.toLowerCase()}-`));
}

/** Chinese, Japanese, Korean and Thai have no blanks between words: those are looked for as they stand. */
export function isUnspaced(word: string): boolean {
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u.test(word);
}
