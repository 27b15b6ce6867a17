// Which rooms a query is for: a room that cannot be asked about a field would find the letters of it. Pure: the page carries it.
import { FIELDS } from './query-fields.ts';
import type { PeopleQuery } from './query-language.ts';

type Asked = Readonly<{
  /** What `kind:` calls that which it finds. */
  kinds: readonly string[];
  /** What it can be asked about by name; one that knows nothing is asked for words alone. */
  knows: readonly string[];
}>;

const TIMES = ['created', 'updated'];

const ASKED_ROOMS = {
  board: { kinds: ['task', 'comment', 'check', 'evidence'], knows: Object.keys(FIELDS) },
  memory: { kinds: ['memory'], knows: [] },
  brain: { kinds: ['brain'], knows: [] },
  dispatch: { kinds: ['run'], knows: ['agent', 'project', 'status', 'id', 'finished', ...TIMES] },
  peers: { kinds: ['mail'], knows: ['agent', 'project', 'id', ...TIMES] },
  chat: { kinds: ['room'], knows: ['agent', 'project', ...TIMES] },
  broker: { kinds: ['audit'], knows: [] },
} as const satisfies Readonly<Record<string, Asked>>;

export type AskedRoom = keyof typeof ASKED_ROOMS;

export function isFor(room: AskedRoom, { terms, words, phrases }: PeopleQuery): boolean {
  const { kinds, knows }: Asked = ASKED_ROOMS[room];
  const fields = terms.filter(({ field, not }) => field !== 'kind' && !not).map(({ field }) => field);
  if (!fields.every((field) => knows.includes(field))) return false;
  const isNamed = terms
    .filter(({ field, not }) => field === 'kind' && !not)
    .every(({ value }) => value.split(',').some((kind) => kinds.includes(kind)));
  // What only words can find is not asked without any.
  return isNamed && (knows.length > 0 || words.length + phrases.length > 0);
}

/** What a room is asked that knows plain words alone. */
export function plainWordsOf({ words, phrases }: PeopleQuery): string {
  return [...words, ...phrases].join(' ');
}

/** For rooms that know no `-word`: what has it is left out of what they found. */
export type LeftOut = Readonly<{
  isFree(text: string): boolean;
  /** How many to ask for, so that enough are left of them. */
  atMost(limit: number): number;
}>;

export function leavingOut({ without }: Pick<PeopleQuery, 'without'>): LeftOut {
  const words = without.map((word) => word.toLowerCase());
  return {
    isFree: (text) => words.every((word) => !text.toLowerCase().includes(word)),
    atMost: (limit) => (words.length === 0 ? limit : Math.min(100, limit * 5)),
  };
}
