import { tokenise } from '../../recall/analyse/tokens.ts';
import type { Contradiction, Memory } from './memory.ts';

/**
 * Claims of two memories that cannot both hold, as far as words alone tell: about the same thing, yet one denies what
 * the other says, says the opposite, or gives another number. Reported, never decided.
 */
const NEGATION = /(?<![\p{L}\p{N}])(?:not|no|never|cannot|without|\p{L}+n['’]t|nicht|kein\p{L}*|nie|pas|jamais|nunca)(?![\p{L}\p{N}])/iu;
const OPPOSITES: readonly (readonly [RegExp, RegExp, string])[] = [
  [/\b(?:like|likes|love|loves|prefer|prefers|enjoys?)\b/i, /\b(?:dislikes?|hates?|avoids?|refuses?)\b/i, 'likes and dislikes'],
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

export function findContradictions(memory: Memory, others: readonly Memory[]): Contradiction[] {
  const mine = claimsOf(memory);
  const found: Contradiction[] = [];
  for (const other of others) {
    for (const theirs of claimsOf(other)) {
      for (const claim of mine) {
        const why = clash(claim, theirs);
        if (why !== undefined) found.push({ with: other.id, mine: claim.text, theirs: theirs.text, why });
        if (found.length >= MOST) return found;
      }
    }
  }
  return found;
}

type Claim = Readonly<{ text: string; terms: ReadonlySet<string>; numbers: string; isDenied: boolean }>;

/** Bullets, and sentences of prose. What a memory is about is part of each of its claims. */
function claimsOf(memory: Memory): Claim[] {
  const about = termsOf(memory.name.replace(/-/g, ' '));
  return memory.body
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .flatMap((line) => line.replace(/^\s*(?:[-*+]|\d+\.)\s+/, '').split(/(?<=[.!?])\s+/))
    .map((text) => text.trim().slice(0, LONGEST))
    .filter((text) => text.length >= 8)
    .map((text) => ({
      text,
      terms: new Set([...about, ...termsOf(text.replace(NEGATION, ' '))].filter((term) => !/^\d/.test(term))),
      numbers: (text.match(NUMBER) ?? []).join(' '),
      isDenied: NEGATION.test(text),
    }))
    .filter(({ terms }) => terms.size >= 2);
}

function clash(a: Claim, b: Claim): string | undefined {
  if (a.text === b.text) return undefined;
  const opposite = OPPOSITES.find(([one, two]) => (one.test(a.text) && two.test(b.text)) || (two.test(a.text) && one.test(b.text)));
  const alike = overlap(a.terms, b.terms);
  if (opposite && alike >= ALIKE) return `one says the opposite: ${opposite[2]}`;
  if (alike < ALIKE) return undefined;
  if (a.isDenied !== b.isDenied) return 'one denies what the other says';
  if (a.numbers !== b.numbers && a.numbers !== '' && b.numbers !== '' && alike >= 0.7) return 'they give different numbers';
  return undefined;
}

/** Share of the smaller claim's words that both have. */
function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const term of a) if (b.has(term)) shared += 1;
  return shared / Math.max(1, Math.min(a.size, b.size));
}

function termsOf(text: string): string[] {
  return tokenise(text).flatMap((token) => token.terms);
}
