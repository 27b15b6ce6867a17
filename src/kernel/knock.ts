import { homeTeam, type Principal } from './principal.ts';

/**
 * Something that an agent who sits idle should hear of. Nothing hangs on it: what it tells of waits where it is, and a
 * knock that nobody hears is no loss.
 */
export type Knock = Readonly<{
  kind: 'mail' | 'refuted';
  /** Whose it is: what comes in a flood is folded by it. */
  from: string;
  /** What is said, already quoted. */
  words: string;
  /** Whom it is for; asked of every caller that could be told, so a namesake elsewhere never is. */
  isFor(who: Principal): boolean;
  /** Is there still something to hear? Asked when it is about to be told. */
  isDue(): Promise<boolean>;
}>;

/** What an idle agent is told at once: one text, however much came. */
export type Knocked = Readonly<{ text: string; meta: Readonly<Record<string, string>> }>;

/** Where knocks come in and agents are reached. */
export interface Knocks {
  knock(knock: Knock): void;
  /** Tells a caller by `hear`, at its pace, until the returned function is called. */
  listen(ear: Ear): () => void;
  /** The same for who asks when it can listen, such as a run between two prompts. */
  gather(who: Principal): Gathered;
}

export type Ear = Readonly<{ who(): Principal; hear(told: Knocked): void }>;
export type Gathered = Readonly<{ take(): Promise<Knocked | undefined>; end(): void }>;

/** For whoever is served without any. */
export const noKnocks: Knocks = {
  knock: () => {},
  listen: () => () => {},
  gather: () => ({ take: async () => undefined, end: () => {} }),
};

/** Who may wake agents of a team: the person, and agents of the same project whose programs run on this machine. */
export function mayKnock({ who, isPerson }: Knocker, team: string): boolean {
  if (isPerson && who.bound.team === undefined) return true;
  const isHere = who.isHere === true || (who.kind !== 'agent' && who.kind !== 'being');
  return isHere && homeTeam(who) === team;
}

/** `isPerson`: on REST, the command line or the page, naming no agent; whoever calls a tool is one. */
export type Knocker = Readonly<{ who: Principal; isPerson: boolean }>;
