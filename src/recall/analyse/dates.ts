/** Calendar dates in text and queries. A part that was not said is absent, and agrees with anything. */
export type PartialDate = Readonly<{ year?: number; month?: number; day?: number }>;

export type FoundDate = PartialDate & Readonly<{ start: number; end: number }>;

const MONTHS: readonly string[] = [
  'january jan januar januari janvier enero ene января январь',
  'february feb februar février fevrier febrero февраля февраль',
  'march mar märz mars marzo марта март',
  'april apr avril abril апреля апрель',
  'may mai mayo мая май',
  'june jun juni juin junio июня июнь',
  'july jul juli juillet julio июля июль',
  'august aug août aout agosto августа август',
  'september sep sept septembre septiembre сентября сентябрь',
  'october oct oktober okt octobre octubre октября октябрь',
  'november nov novembre noviembre ноября ноябрь',
  'december dec dezember dez décembre diciembre декабря декабрь',
];
const MONTH_NUMBER = new Map(
  MONTHS.flatMap((line, i) => line.split(' ').map((name) => [name, i + 1] as const)),
);
const NAME = [...MONTH_NUMBER.keys()].sort((a, b) => b.length - a.length).join('|');
/** Also ordinary words in English: alone they are a month only when capitalised inside a sentence. */
const AMBIGUOUS = new Set(['may', 'march', 'mar', 'mars', 'mai', 'sep', 'dec', 'jan', 'jun', 'ene']);

const B = '(?<![\\p{L}\\p{N}])';
const E = '(?![\\p{L}\\p{N}])';
const DAY = '(?<d>[0-3]?\\d)(?:st|nd|rd|th|\\.)?';
const YEAR = '(?<y>(?:19|20)\\d\\d)';
const M = `(?<m>${NAME})\\.?`;

const PATTERNS: readonly string[] = [
  `${B}${YEAR}[-/.](?<m>[01]?\\d)[-/.](?<d>[0-3]?\\d)(?!\\d)`,
  `${YEAR}年(?:(?<m>[01]?\\d)月(?:(?<d>[0-3]?\\d)日)?)?`,
  `(?<m>[01]?\\d)月(?:(?<d>[0-3]?\\d)日)?`,
  `${B}(?<d>[0-3]?\\d)\\.(?<m>[01]?\\d)\\.${YEAR}${E}`,
  `${B}(?<m>[01]?\\d)/(?<d>[0-3]?\\d)/${YEAR}${E}`,
  `${B}${DAY}(?:\\s+of|\\s+de)?\\s+${M},?(?:\\s+de)?\\s+${YEAR}${E}`,
  `${B}${M}\\s+${DAY},?\\s+${YEAR}${E}`,
  `${B}${M},?(?:\\s+de|\\s+of)?\\s+${YEAR}${E}`,
  `${B}${DAY}(?:\\s+of|\\s+de)?\\s+${M}${E}`,
  `${B}${M}\\s+${DAY}${E}`,
  `${B}${M}${E}`,
  `${B}${YEAR}${E}`,
];
const EVERY = PATTERNS.map((source) => new RegExp(source, 'giu'));
const FIRST = PATTERNS.map((source) => new RegExp(source, 'iu'));
/** What a text must have for the pattern of the same place to be worth trying: titles are read at every save, questions at every search. */
const GUARDS: readonly RegExp[] = [/\d[-/.]\d/, /年/, /月/, /\d\.\d/, /\d\/\d/];
/** The one that has no figure in it. */
const MONTH_ALONE = PATTERNS.length - 2;
const FIGURE = /\d/;

function isWorthTrying(pattern: number, text: string, hasFigure: boolean): boolean {
  return hasFigure ? GUARDS[pattern]?.test(text) !== false : pattern === MONTH_ALONE;
}

/** The most complete date of a short text. */
export function findDate(text: string): FoundDate | undefined {
  const hasFigure = FIGURE.test(text);
  if (!hasFigure) return findDates(text)[0];
  for (const [i, pattern] of FIRST.entries()) {
    if (!isWorthTrying(i, text, hasFigure)) continue;
    const match = pattern.exec(text);
    const date = match && read(match, text);
    if (date) return { ...date, start: match.index, end: match.index + match[0].length };
  }
  return undefined;
}

/** Every date, most complete reading first, never overlapping. */
export function findDates(text: string): FoundDate[] {
  const found: FoundDate[] = [];
  const hasFigure = FIGURE.test(text);
  for (const [i, pattern] of EVERY.entries()) {
    if (!isWorthTrying(i, text, hasFigure)) continue;
    for (const match of text.matchAll(pattern)) {
      const start = match.index;
      const end = start + match[0].length;
      if (found.some((other) => start < other.end && end > other.start)) continue;
      const date = read(match, text);
      if (date) found.push({ ...date, start, end });
    }
  }
  return found;
}

function read(match: RegExpExecArray, text: string): PartialDate | undefined {
  const { y, m, d } = match.groups ?? {};
  if (m !== undefined && y === undefined && d === undefined && isOrdinaryWord(m, match, text))
    return undefined;
  const month = m === undefined ? undefined : (MONTH_NUMBER.get(m.toLowerCase()) ?? Number(m));
  const day = d === undefined ? undefined : Number(d);
  if (month !== undefined && (month < 1 || month > 12)) return undefined;
  if (day !== undefined && (day < 1 || day > 31)) return undefined;
  return {
    ...(y === undefined ? {} : { year: Number(y) }),
    ...(month === undefined ? {} : { month }),
    ...(day === undefined ? {} : { day }),
  };
}

/** The rover landed on Mars; it happened in March, last May, or at the end of May. */
const BEFORE_MONTH =
  /(?<!\p{L})(?:in|since|until|till|by|from|during|before|after|around|last|next|this|of|early|late|mid|every|im|en|seit|bis|ab|de)$/iu;

function isOrdinaryWord(name: string, match: RegExpExecArray, text: string): boolean {
  if (!AMBIGUOUS.has(name.toLowerCase())) return false;
  const before = text.slice(0, match.index).trimEnd();
  const isCapital = name[0] !== name[0]!.toLowerCase();
  return !isCapital || !BEFORE_MONTH.test(before);
}

/** How an asked date fits an item's date: 1 when every part that was asked is the same, 0.5 when only the day differs. */
export function dateAgreement(asked: PartialDate, actual: PartialDate): number {
  if (asked.year !== undefined && asked.year !== actual.year) return 0;
  if (asked.month !== undefined && asked.month !== actual.month) return 0;
  if (asked.day === undefined || asked.day === actual.day) return 1;
  return asked.month === undefined ? 0 : 0.5;
}

/** Dates travel as "2023-5-8", with an empty part for what is unknown. */
export function readDate(text: string): PartialDate {
  const [year, month, day] = text.split('-').map((part) => (part === '' ? undefined : Number(part)));
  return { year, month, day };
}

export function writeDate(date: PartialDate | undefined): string {
  return date ? [date.year, date.month, date.day].map((part) => part ?? '').join('-') : '';
}
