import { findDate, type PartialDate } from './dates.ts';

/**
 * Who said it and when, as far as an item tells: "Odile, 8 May 2023", "[2023-05-08] Odile: …". The date is no longer
 * text then; the name stays findable as a word, because not every capitalised title is somebody's.
 */
export type Header = Readonly<{
  speakers: readonly string[];
  /** A turn of talk: somebody's, or that of a role such as user or assistant, which is nobody's name. */
  isSpoken: boolean;
  date: PartialDate | undefined;
  /** What remains to be searched as text. */
  title: string;
  content: string;
}>;

const TIME =
  /\b\d{1,2}(?::\d\d){1,2}\s*(?:[ap]\.?m\.?|uhr|h)?(?![\p{L}\d])|\b\d{1,2}\s*[ap]m\b|\bT\d\d:\d\d\S*/giu;
const JOINING_WORD =
  /(?<![\p{L}])(?:on|at|by|from|um|am|le|à|el|said|says|speaker|and|und|et|y|и)(?![\p{L}])/giu;
const NAME = String.raw`\p{Lu}[\p{L}\p{M}.'’-]{0,30}(?: \p{Lu}[\p{L}\p{M}.'’-]{0,30}){0,2}|[\p{Lo}ー]{1,12}(?:さん|くん)?`;
const ROLE = '[Uu]ser|USER|[Hh]uman|HUMAN|[Aa]ssistant|ASSISTANT|[Aa]gent|AGENT|[Aa][Ii]';
/** `Odile: …`, after a date in brackets or a time, or with one behind the name. */
const BY_NAME = new RegExp(
  String.raw`^\s*(?:\[([^\]\n]{0,60})\]:?\s*|((?:\d{4}-\d\d-\d\d[T ])?\d{1,2}:\d\d(?::\d\d)?\S{0,8})\s+)?` +
    String.raw`(?:(${NAME}|${ROLE})(?: ?[([]([^)\]\n]{3,40})[)\]])?[:：]\s)?`,
  'u',
);
/** In bold, in brackets or above what is said only a role speaks: so written, anything else is a label. */
const BY_ROLE = new RegExp(
  String.raw`^\s*(?:\*\*(?:${ROLE})(?::\*\*|\*\*:)|[<[](?:${ROLE})[>\]]:?|#{1,4} (?:${ROLE}):?\n)\s*\S`,
  'u',
);
const LABELS =
  /^(?:note|todo|fixme|warning|error|info|decision|question|answer|example|summary|update|fact|tip|important|context|reason|result|goal|plan|step|rule|why|how|what|http|https|system|fix|bug|cause|root cause|symptom|problem|issue|solution|workaround|caveat|gotcha|lesson|usage|status)s?$|(?:error|exception|panic)$/i;
const ROLES = /^(?:user|human|assistant|agent|ai)$/i;
/** Who types and who answers. */
const TYPISTS = /^(?:user|human|assistant)$/i;

/** `isOfSession`: its tags say that it is of one conversation or session. */
export function readHeader(title: string, content: string, isOfSession = false): Header {
  const fromTitle = readTitle(title, isOfSession);
  if (fromTitle) return { ...fromTitle, content };
  const [, stamp, clock, name, behind] = BY_NAME.exec(content)!;
  const said = stamp ?? clock ?? behind;
  const date = pick((said && findDate(said)) || findDate(title.slice(0, LONGEST_TITLE)));
  const isByRole = BY_ROLE.test(content);
  // "Deploy (staging): …" is no turn, "Ann (9:12): …" is.
  const isNamed = name !== undefined && !LABELS.test(name) && (behind === undefined || isTime(behind));
  const isSpoken = isByRole || isNamed;
  const speakers = isNamed && !isByRole ? withoutRoles(namesIn(name)) : [];
  return { speakers, isSpoken, date, title, content };
}

function isTime(text: string): boolean {
  return findDate(text) !== undefined || text.replace(TIME, '').trim() === '';
}

/** "The user" of a question is hardly ever the one who typed. */
const withoutRoles = (names: readonly string[]): string[] => names.filter((name) => !ROLES.test(name));

/** Longer than any name with a date. */
const LONGEST_TITLE = 120;

const SEPARATOR = /[,;|·•–—()[\]]|\s-\s|:\s/u;

/** Which turn it was: it tells nothing about what was said. */
const COUNTERS =
  /(?<![\p{L}\p{N}])(?:(?:turn|message|msg|session|chat|conversation)[\s_#-]*\d+|#?\d+)(?![\p{L}\p{N}])/giu;

type OfTitle = Omit<Header, 'content'>;

/** A dated title of which one part is nothing but a name, or one that is nothing but who typed. */
function readTitle(title: string, isOfSession: boolean): OfTitle | undefined {
  if (title.length > LONGEST_TITLE) return undefined;
  const date = findDate(title);
  if (!date) return readTypist(title, isOfSession);
  const rest = `${title.slice(0, date.start)}, ${title.slice(date.end)}`
    .replace(TIME, ' ')
    .replace(JOINING_WORD, ' ');
  const speakers = rest
    .split(SEPARATOR)
    .map((part) => namesIn(part.replace(COUNTERS, ' ')))
    .find((names) => names.length > 0 && names.length <= 4 && names.every(isSpeaker));
  if (!speakers) return undefined;
  const named = withoutRoles(speakers);
  return { speakers: named, isSpoken: true, date: pick(date), title: named.length === 0 ? '' : rest };
}

/** A fact about the user may be called "User" as well: it is talk where it is the third turn, or of a conversation. */
function readTypist(title: string, isOfSession: boolean): OfTitle | undefined {
  const [who = '', ...more] = namesIn(title.replace(COUNTERS, ' '));
  if (more.length > 0 || !TYPISTS.test(who)) return undefined;
  if (!isOfSession && !/\d/.test(title)) return undefined;
  return { speakers: [], isSpoken: true, date: undefined, title: '' };
}

function isSpeaker(name: string): boolean {
  return ROLES.test(name) || (isName(name) && !LABELS.test(name));
}

function pick(date: PartialDate | undefined): PartialDate | undefined {
  if (!date) return undefined;
  const { year, month, day } = date;
  return {
    ...(year === undefined ? {} : { year }),
    ...(month === undefined ? {} : { month }),
    ...(day === undefined ? {} : { day }),
  };
}

function namesIn(text: string): string[] {
  return text.match(/[\p{L}][\p{L}\p{M}\p{N}'’_-]*/gu) ?? [];
}

function isName(word: string): boolean {
  return word[0] !== word[0]!.toLowerCase() || /^\p{Lo}/u.test(word);
}
