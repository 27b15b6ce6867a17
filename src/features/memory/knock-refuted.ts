import { type Knock, type Knocker, mayKnock } from '../../kernel/knock.ts';
import { homeTeam, type Principal } from '../../kernel/principal.ts';
import { quoteLines } from '../../kernel/quote.ts';
import { readerOf, type Readers } from './readers.ts';
import type { StoredFact } from './rows/facts.ts';

type Told = Readonly<{ fact: StoredFact; readers: readonly string[]; by: Knocker }>;

/** Whoever was given it and sits idle hears of a refutation at once; the others with their next answer. */
export function knocksOfRefuted(
  { fact, readers: told, by }: Told,
  { isWaiting }: Pick<Readers, 'isWaiting'>,
): Knock[] {
  const { id, title, refutedBy, refutedWhy, scopeTeamId } = fact;
  const words = quoteLines(
    `What you were given about ${title} was refuted by ${refutedBy}: ${refutedWhy} (${id})`,
  );
  /** A name that the hub gave may be that of another project's agent, who was given something else. */
  const isOfFact = (who: Principal) => scopeTeamId === null || ['', scopeTeamId].includes(homeTeam(who));
  return told.map((reader) => ({
    kind: 'refuted',
    from: refutedBy ?? '',
    words,
    isFor: (who) => readerOf(who) === reader && isOfFact(who) && mayKnock(by, homeTeam(who)),
    isDue: () => isWaiting(reader, id),
  }));
}
