import { setImmediate as nextTurn } from 'node:timers/promises';
import { wordsOf } from '../../recall/recall.ts';
import type { Contradiction, VaultMemory } from './memory.ts';

/**
 * Claims of two memories that cannot both hold, as far as words alone tell: about the same thing, yet one denies what
 * the other says, says the opposite, or gives another number. Reported, never decided.
 */
const NEGATION =
  /(?<![\p{L}\p{N}])(?:not|no|never|cannot|without|\p{L}+n['’]t|nicht|kein\p{L}*|nie|pas|jamais|nunca)(?![\p{L}\p{N}])/iu;
const OPPOSITES: readonly (readonly [RegExp, RegExp, string])[] = [
  [
    /\b(?:like|likes|love|loves|prefer|prefers|enjoys?)\b/i,
    /\b(?:dislikes?|hates?|avoids?|refuses?)\b/i,
    'likes and dislikes',
  ],
  [/\benabled?\b/i, /\bdisabled?\b/i, 'enabled and disabled'],
  [/\b(?:always)\b/i, /\b(?:never)\b/i, 'always and never'],
  [/\bon\b/i, /\boff\b/i, 'on and off'],
  [/\b(?:active|open)\b/i, /\b(?:inactive|closed|retired)\b/i, 'active and closed'],
  [/\btabs\b/i, /\bspaces\b/i, 'tabs and spaces'],
  [/\blight\b/i, /\bdark\b/i, 'light and dark'],
];
const NUMBER = /(?<![\p{L}\p{N}.])\d+(?:[.,:]\d+)*(?![\p{L}\p{N}])/gu;
const ALIKE = 0.5;
const MOST = 10;
const LONGEST = 300;
/** Enough for any memory that is about one thing; a book is compared by its first pages. */
const MOST_CLAIMS = 200;
const MOST_CLAIMS_OF_OTHERS = 20_000;
/** After so many of them everybody else gets a turn of the event loop. */
const AT_ONCE = 200;

export async function findContradictions(
  memory: VaultMemory,
  others: readonly VaultMemory[],
): Promise<Contradiction[]> {
  const mine = claimsOf(memory);
  const countShared = sharedTerms(mine);
  const found: Contradiction[] = [];
  let left = MOST_CLAIMS_OF_OTHERS;
  for (const other of others) {
    for (const theirs of claimsOf(other).slice(0, left)) {
      if (--left % AT_ONCE === 0) await nextTurn();
      for (const [i, shared] of countShared(theirs).entries()) {
        const why = clash(mine[i]!, theirs, shared);
        if (why !== undefined) found.push({ with: other.id, mine: mine[i]!.text, theirs: theirs.text, why });
        if (found.length >= MOST) return found;
      }
    }
  }
  return found;
}

/** For a claim of another: how many of its words each of mine has. */
function sharedTerms(mine: readonly Claim[]): (theirs: Claim) => Uint16Array {
  const byTerm = new Map<string, number[]>();
  for (const [i, { terms }] of mine.entries()) {
    for (const term of terms) {
      const having = byTerm.get(term);
      if (having) having.push(i);
      else byTerm.set(term, [i]);
    }
  }
  return ({ terms }) => {
    const shared = new Uint16Array(mine.length);
    for (const term of terms) for (const i of byTerm.get(term) ?? []) shared[i]! += 1;
    return shared;
  };
}

/** `sides`: for each of the opposites, which of the two it says, as bits. */
type Claim = Readonly<{
  text: string;
  terms: ReadonlySet<string>;
  numbers: string;
  isDenied: boolean;
  sides: readonly [number, number];
}>;

/** Bullets, and sentences of prose. What a memory is about is part of each of its claims. */
function claimsOf(memory: VaultMemory): Claim[] {
  const about = wordsOf(memory.name.replace(/-/g, ' '));
  return memory.body
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .flatMap((line) => line.replace(/^\s*(?:[-*+]|\d+\.)\s+/, '').split(/(?<=[.!?])\s+/))
    .map((text) => text.trim().slice(0, LONGEST))
    .filter((text) => text.length >= 8)
    .slice(0, MOST_CLAIMS)
    .map((text) => ({
      text,
      terms: new Set([...about, ...wordsOf(text.replace(NEGATION, ' '))].filter((term) => !/^\d/.test(term))),
      numbers: (text.match(NUMBER) ?? []).join(' '),
      isDenied: NEGATION.test(text),
      sides: [sideOf(text, 0), sideOf(text, 1)] as const,
    }))
    .filter(({ terms }) => terms.size >= 2);
}

function clash(a: Claim, b: Claim, shared: number): string | undefined {
  /** Share of the smaller claim's words that both have. */
  const alike = shared / Math.min(a.terms.size, b.terms.size);
  if (alike < ALIKE || a.text === b.text) return undefined;
  const opposite = (a.sides[0] & b.sides[1]) | (a.sides[1] & b.sides[0]);
  if (opposite !== 0) return `one says the opposite: ${OPPOSITES[31 - Math.clz32(opposite)]![2]}`;
  if (a.isDenied !== b.isDenied) return 'one denies what the other says';
  if (a.numbers !== b.numbers && a.numbers !== '' && b.numbers !== '' && alike >= 0.7)
    return 'they give different numbers';
  return undefined;
}

function sideOf(text: string, side: 0 | 1): number {
  return OPPOSITES.reduce((bits, words, i) => (words[side].test(text) ? bits | (1 << i) : bits), 0);
}
