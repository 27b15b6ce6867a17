// What of one text cannot hold beside what others say. Reported, never decided.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Claim, claimsOf } from './claim.ts';
import { disagreement } from './disagreement.ts';

export type ClaimedText = Readonly<{ id: string; title: string; text: string }>;
export type Clash = Readonly<{ with: string; mine: string; theirs: string; why: string }>;

const MOST = 10;
const MOST_CLAIMS_OF_OTHERS = 20_000;
/** After so many of them everybody else gets a turn of the event loop. */
const AT_ONCE = 200;

export async function findContradictions(
  own: Omit<ClaimedText, 'id'>,
  others: Iterable<ClaimedText>,
): Promise<Clash[]> {
  const alike = byWords(claimsOf(own.text, own.title));
  const found: Clash[] = [];
  let left = MOST_CLAIMS_OF_OTHERS;
  for (const other of others) {
    for (const theirs of claimsOf(other.text, other.title).slice(0, left)) {
      if (--left % AT_ONCE === 0) await nextTurn();
      for (const mine of alike(theirs)) {
        const why = disagreement(mine, theirs);
        if (why !== undefined) found.push({ with: other.id, mine: mine.text, theirs: theirs.text, why });
        if (found.length >= MOST) return found;
      }
    }
  }
  return found;
}

/** Claims that differ in one place have two words in common at one end, or one at each. */
function byWords(mine: readonly Claim[]): (theirs: Claim) => ReadonlySet<Claim> {
  const byEnd = new Map<string, Claim[]>();
  for (const claim of mine) {
    for (const end of endsOf(claim)) {
      const known = byEnd.get(end);
      if (known) known.push(claim);
      else byEnd.set(end, [claim]);
    }
  }
  return (theirs) => new Set(endsOf(theirs).flatMap((end) => byEnd.get(end) ?? []));
}

const ENDS = { '<': [0, 1], '>': [-2, -1], '<>': [0, -1] } as const;

function endsOf({ words }: Claim): readonly string[] {
  return Object.entries(ENDS).map(([end, places]) =>
    [end, ...places.map((at) => words.at(at)!.key)].join(' '),
  );
}

/** The pairs of words of which one that disagrees has at least one, as they were written. */
export function pairsOf(text: string, title: string): [string, string][] {
  return claimsOf(text, title).flatMap(({ words }) =>
    Object.values(ENDS).map(([a, b]): [string, string] => [words.at(a)!.text, words.at(b)!.text]),
  );
}
