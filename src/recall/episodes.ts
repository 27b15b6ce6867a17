import type { PartialDate } from './analyse/dates.ts';
import { writeDate } from './analyse/dates.ts';

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
  /** Ends the running stretch when it changes: one label used again on another day is another occasion. */
  day: string;
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

/** A tag that names an occasion rather than a topic: "session_3", "chat:42", "2024-05-08", "issue-17". */
export function isSessionLike(tag: string): boolean {
  return NUMBERED.test(tag) || DATED.test(tag) || RANDOM.test(tag) || (OCCASION.test(tag) && /\d/.test(tag));
}

export function episodeOf(clues: EpisodeClues): EpisodeKey {
  if (clues.episode !== undefined && clues.episode !== '') return { key: `episode ${clues.episode}`, day: '', isNamed: true };
  const occasions = clues.tags.filter(isSessionLike).sort();
  if (occasions.length > 0) return { key: `tag ${occasions.join(' ')}`, day: writeDate(clues.date), isNamed: true };
  return { key: `seat ${clues.seat}`, day: '', isNamed: false };
}
