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
const SPOKEN =
  /^\s*(?:\[([^\]\n]{0,60})\]\s*)?(?:(\p{Lu}[\p{L}\p{M}.'’-]{0,30}(?: \p{Lu}[\p{L}\p{M}.'’-]{0,30}){0,2}|[\p{Lo}ー]{1,12}(?:さん|くん)?)[:：]\s)?/u;
const LABELS =
  /^(?:note|todo|fixme|warning|error|info|decision|question|answer|example|summary|update|fact|tip|important|context|reason|result|goal|plan|step|rule|why|how|what|http|https|system)s?$/i;
const ROLES = /^(?:user|human|assistant|agent)$/i;

export function readHeader(title: string, content: string): Header {
  const fromTitle = readTitle(title);
  if (fromTitle) return { ...fromTitle, content };
  const spoken = SPOKEN.exec(content)!;
  const dated = spoken[1] === undefined ? undefined : findDate(spoken[1]);
  const isSpoken = spoken[2] !== undefined && (dated !== undefined || !LABELS.test(spoken[2]));
  const speaker = isSpoken ? spoken[2] : undefined;
  const date = pick(dated ?? findDate(title.slice(0, LONGEST_TITLE)));
  const names = speaker === undefined ? [] : namesIn(speaker);
  return { speakers: withoutRoles(names), isSpoken: names.length > 0, date, title, content };
}

/** "The user" of a question is hardly ever the one who typed. */
const withoutRoles = (names: readonly string[]): string[] => names.filter((name) => !ROLES.test(name));

/** Longer than any name with a date. */
const LONGEST_TITLE = 120;

const SEPARATOR = /[,;|·•–—()[\]]|\s-\s|:\s/u;

/** A dated title of which one part is nothing but a name. */
function readTitle(title: string): Omit<Header, 'content'> | undefined {
  if (title.length > LONGEST_TITLE) return undefined;
  const date = findDate(title);
  if (!date) return undefined;
  const rest = `${title.slice(0, date.start)}, ${title.slice(date.end)}`
    .replace(TIME, ' ')
    .replace(JOINING_WORD, ' ');
  const speakers = rest
    .split(SEPARATOR)
    .map(namesIn)
    .find(
      (names) =>
        names.length > 0 && names.length <= 4 && names.every((name) => isName(name) && !LABELS.test(name)),
    );
  if (!speakers) return undefined;
  const named = withoutRoles(speakers);
  return { speakers: named, isSpoken: true, date: pick(date), title: named.length === 0 ? '' : rest };
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
