// What a word can be the value of. Two words of one kind may stand for each other; of two kinds they never do.
export type ValueKind = 'number' | 'date' | 'time' | 'day' | 'month' | 'url' | 'name' | 'word';

const DAYS = /^(?:mon|tues|wednes|thurs|fri|satur|sun)days?$/i;
const MONTHS = /^(?:january|february|march|april|may|june|july|august|september|october|november|december)$/i;
const NUMBERS =
  /^(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|thousand)$/i;

export function kindOf(text: string): ValueKind {
  if (/^https?:\/\//i.test(text)) return 'url';
  if (/^\d{4}-\d\d(?:-\d\d)?$/.test(text)) return 'date';
  if (/^\d{1,2}:\d\d(?::\d\d)?$/.test(text)) return 'time';
  if (/^[v#$€£]?[+-]?\d+(?:[.,]\d+)*(?:\.x)?%?$/i.test(text) || NUMBERS.test(text)) return 'number';
  if (DAYS.test(text)) return 'day';
  // "may" is more often a verb.
  if (MONTHS.test(text) && text !== 'may') return 'month';
  // Capitals, a digit or a mark inside: SendGrid, RS256, eu-west-1, argon2, Node.
  return /^\p{Lu}/u.test(text) || /[\d_/. ]|\p{Ll}\p{Lu}/u.test(text) ? 'name' : 'word';
}

const UNITS =
  /^(?:m?s|secs?|seconds?|mins?|minutes?|hours?|days?|weeks?|months?|years?|[kmgt]i?b|bytes?|percent|euros?|dollars?|cents)$/i;

export const isUnit = (text: string): boolean => UNITS.test(text);

const PAIRS = [
  ['enabled', 'disabled'],
  ['enables', 'disables'],
  ['on', 'off'],
  ['always', 'never'],
  ['active', 'inactive'],
  ['active', 'retired'],
  ['open', 'closed'],
  ['tabs', 'spaces'],
  ['light', 'dark'],
  ['likes', 'dislikes'],
  ['likes', 'hates'],
  ['likes', 'avoids'],
  ['loves', 'hates'],
  ['prefers', 'avoids'],
  ['allowed', 'forbidden'],
  ['allowed', 'prohibited'],
  ['required', 'optional'],
  ['public', 'private'],
  ['internal', 'external'],
  ['synchronous', 'asynchronous'],
  ['mandatory', 'optional'],
  ['supported', 'unsupported'],
  ['safe', 'unsafe'],
  ['stable', 'unstable'],
  ['true', 'false'],
  ['before', 'after'],
  ['with', 'without'],
] as const;

/** The two words if one says the opposite of the other, in the order of the table. */
export function oppositesIn(a: string, b: string): readonly [string, string] | undefined {
  const [x, y] = [bare(a), bare(b)];
  return PAIRS.find(
    ([one, other]) => (bare(one) === x && bare(other) === y) || (bare(one) === y && bare(other) === x),
  );
}

const bare = (word: string): string => word.toLowerCase().replace(/(?<=.{3})s$/, '');
