import { round4, type VaultHit, type VaultMemory } from './memory.ts';

/** The documented relevance: the best of three tiers. What recall finds by meaning alone stays below the lowest. */
const TIERS = { name: 1, tag: 0.8, content: 0.5 } as const;
const BELOW_TIERS = 0.45;
/** Weaker than this beside the best, a shared word is chance. */
const FAINT = 0.3;

export type VaultMatch = Readonly<{ relevance: number; matched: VaultHit['matched'] }>;

/** A memory with the forms it is compared in, made once. Tags stand in one text, a line each, because no query spans lines. */
export type Searchable = Readonly<{ memory: VaultMemory; name: string; tags: string; body: string }>;

export function toSearchable(memory: VaultMemory): Searchable {
  return {
    memory,
    name: kebab(memory.name),
    tags: memory.tags.map(kebab).join('\n'),
    body: fold(memory.body),
  };
}

/** The query as one piece of text, as documented; recall takes care of the rest. */
export function tierMatcher(query: string): (item: Searchable) => VaultMatch | undefined {
  const text = fold(query.trim());
  const slug = kebab(text);
  if (text === '') return () => undefined;
  return ({ name, tags, body }) => {
    if (slug !== '' && name.includes(slug)) return { relevance: TIERS.name, matched: 'name' };
    if (slug !== '' && tags.includes(slug)) return { relevance: TIERS.tag, matched: 'tag' };
    return body.includes(text) ? { relevance: TIERS.content, matched: 'content' } : undefined;
  };
}

/** Recall's scores as relevance: the best one just below the tiers, the others in proportion. */
export function meaningMatches(
  ranked: readonly Readonly<{ id: string; score: number }>[],
): Map<string, VaultMatch> {
  const best = ranked[0]?.score ?? 0;
  return new Map(
    ranked
      .filter(({ score }) => score > 0 && score >= FAINT * best)
      .map(({ id, score }) => [id, { relevance: round4((BELOW_TIERS * score) / best), matched: 'meaning' }]),
  );
}

export function combine(relevance: number, credit: number): number {
  return round4(relevance * 0.4 + credit * 0.6);
}

const SNIPPET = 180;

/** One line of plain text: around the match when the body holds it, else the beginning below the heading. */
export function snippetOf(body: string, query: string): string {
  const plain = body
    .replace(/^#{1,6}[ \t].*$/gm, ' ')
    .replace(/^[ \t]*(?:[-*+]|\d+\.)[ \t]+/gm, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const text = plain === '' ? body.replace(/[#\s]+/g, ' ').trim() : plain;
  if (text.length <= SNIPPET) return text;
  const at = fold(text).indexOf(fold(query.trim()));
  const start = at > SNIPPET / 2 ? Math.round(at - SNIPPET / 3) : 0;
  const cut = text.slice(start, start + SNIPPET).trim();
  return `${start > 0 ? '…' : ''}${cut}${start + SNIPPET < text.length ? '…' : ''}`;
}

const ASCII = /^[\0-\x7f]*$/;

/** Plain ASCII, which most text is, needs no normalising. */
function fold(text: string): string {
  return ASCII.test(text) ? text.toLowerCase() : text.normalize('NFKC').toLowerCase();
}

/** `Alice Chen`, `alice_chen` and `alice-chen` are one name. */
function kebab(text: string): string {
  return fold(text).replace(/[\s_]+/g, '-');
}
