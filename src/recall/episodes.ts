import { type PartialDate, writeDate } from './analyse/dates.ts';

/** What decides which episode an item joins. */
export type EpisodeClues = Readonly<{
  /** Named by the caller; nothing else counts then. */
  episode?: string | undefined;
  tags: readonly string[];
  /** The connection it came through, or who called when there is none. */
  seat: string;
  date?: PartialDate | undefined;
}>;

export type EpisodeKey = Readonly<{
  key: string;
  /** Only silence ends an episode that nobody named. */
  isNamed: boolean;
}>;

/** A connection that was silent for this long is about something else now. */
export const EPISODE_GAP_MS = 30 * 60_000;

const OCCASION =
  /(?:^|[^a-z])(?:session|sess|episode|conversation|conv|chat|thread|dialog|dialogue|meeting|call|day|run|interview|lecture|transcript|sitzung|sesión|séance|сессия|セッション|会話|جلسة)s?(?:[^a-z]|$)/iu;
const NUMBERED = /^\p{L}{1,24}[-_:/#. ]\d{1,12}$|^[sdec]\d{1,6}$/iu;
const DATED = /^(?:19|20)\d\d-\d\d(?:-\d\d)?/;
const RANDOM = /^[0-9a-f]{8}-[0-9a-f]{4}-/i;
/** One item of an occasion: "D3:5", "session_3/turn_5". As an episode it would have a single item. */
const SINGLE =
  /\d[:._/#-]\d+$|(?:^|[^a-z])(?:turn|message|msg|line|utterance|row|item|chunk)s?[-_:/#. ]?\d+$/iu;

/** A tag that names an occasion rather than a topic: "session_3", "chat:42", "2024-05-08", "issue-17". */
export function isSessionLike(tag: string): boolean {
  if (DATED.test(tag) || RANDOM.test(tag)) return true;
  return !SINGLE.test(tag) && (NUMBERED.test(tag) || (OCCASION.test(tag) && /\d/.test(tag)));
}

export function episodeOf(clues: EpisodeClues): EpisodeKey {
  if (clues.episode !== undefined && clues.episode !== '')
    return { key: `episode ${clues.episode}`, isNamed: true };
  const occasions = clues.tags.filter(isSessionLike).sort();
  // One label used again on another day is another occasion, also when both are being written at once.
  if (occasions.length > 0)
    return { key: ['tag', ...occasions, writeDate(clues.date)].join(' '), isNamed: true };
  return { key: `seat ${clues.seat}`, isNamed: false };
}
