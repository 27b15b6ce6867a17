import type { Tool } from '../../mcp/define.ts';
import { listedSchemaOf } from '../../mcp/schema.ts';
import { contentWords, stem, wordsOf } from './tool-words.ts';

/**
 * How well tools fit a question: BM25 over weighted fields, a word that begins like one of the question counting for less.
 * The only file that knows how ToolSearch ranks.
 */
export type Hit = Readonly<{ tool: Tool; score: number; why: string }>;

export interface Ranking {
  search(query: string, filter: (tool: Tool) => boolean, limit: number): Readonly<{ hits: readonly Hit[]; searched: number }>;
}

type Field = 'name' | 'title' | 'description' | 'arguments' | 'tags';
const WEIGHTS: Readonly<Record<Field, number>> = { name: 3, title: 1.5, description: 1, arguments: 0.6, tags: 2 };
const FIELDS = Object.keys(WEIGHTS) as Field[];
const K1 = 1.2;
const B = 0.4;
/** A description's first sentence says what a tool is; the rest how it is used. */
const FIRST_SENTENCE = 1.5;
/** What a beginning of a word counts for, against the whole word. */
const PREFIX = 0.45;
const SHORTEST_PREFIX = 4;
const MOST_QUERY = 2_000;

type Card = Readonly<{ tool: Tool; weights: ReadonlyMap<string, number>; places: ReadonlyMap<string, ReadonlySet<Field>>; length: number; nameWords: ReadonlySet<string> }>;

export function createRanking(tools: readonly Tool[]): Ranking {
  const cards = tools.map(cardOf);
  const meanLength = cards.reduce((sum, { length }) => sum + length, 0) / Math.max(1, cards.length);
  const postings = new Map<string, number[]>();
  cards.forEach(({ weights }, at) => {
    for (const word of weights.keys()) {
      const list = postings.get(word);
      if (list) list.push(at);
      else postings.set(word, [at]);
    }
  });
  const vocabulary = [...postings.keys()].sort();

  const rarity = (count: number) => Math.log(1 + (cards.length - count + 0.5) / (count + 0.5));

  /** The word itself, and those that begin with it or that it begins with. */
  function kin(word: string): readonly Readonly<{ word: string; share: number }>[] {
    const found = postings.has(word) ? [{ word, share: 1 }] : [];
    if (word.length < SHORTEST_PREFIX) return found;
    for (let at = lowerBound(vocabulary, word); at < vocabulary.length && vocabulary[at]!.startsWith(word); at += 1)
      if (vocabulary[at] !== word) found.push({ word: vocabulary[at]!, share: PREFIX });
    for (let length = word.length - 1; length >= SHORTEST_PREFIX; length -= 1) {
      const start = word.slice(0, length);
      if (postings.has(start)) found.push({ word: start, share: PREFIX });
    }
    return found;
  }

  return {
    search(query, filter, limit) {
      const words = [...new Set(contentWords(query.slice(0, MOST_QUERY)))];
      const exact = query.trim().toLowerCase();
      const isIn = cards.map(({ tool }) => filter(tool));
      const scores = new Map<number, { score: number; matched: Set<string>; found: Set<string> }>();
      for (const word of words) {
        const best = new Map<number, { score: number; by: string }>();
        for (const { word: other, share } of kin(word)) {
          const list = postings.get(other)!;
          const worth = rarity(list.length) * share;
          for (const at of list) {
            if (!isIn[at]) continue;
            const score = worth * saturated(cards[at]!, other, meanLength);
            if (score > (best.get(at)?.score ?? 0)) best.set(at, { score, by: other });
          }
        }
        for (const [at, { score, by }] of best) {
          const sum = scores.get(at) ?? { score: 0, matched: new Set<string>(), found: new Set<string>() };
          sum.score += score;
          sum.matched.add(word);
          sum.found.add(by);
          scores.set(at, sum);
        }
      }
      cards.forEach(({ tool }, at) => {
        if (!isIn[at] || exact.length < 2 || !isNamed(tool.name, exact)) return;
        const sum = scores.get(at) ?? { score: 0, matched: new Set<string>(), found: new Set<string>() };
        sum.score += 100;
        scores.set(at, sum);
      });
      const ranked = [...scores]
        .map(([at, { score, matched, found }]) => ({ card: cards[at]!, score: score * (0.5 + (0.5 * matched.size) / Math.max(1, words.length)), found }))
        .toSorted((a, b) => b.score - a.score || (a.card.tool.name < b.card.tool.name ? -1 : 1));
      return {
        searched: isIn.filter(Boolean).length,
        hits: ranked.slice(0, limit).map(({ card, score, found }) => ({ tool: card.tool, score: Math.round(score * 100) / 100, why: explain(card, found, exact) })),
      };
    },
  };
}

function cardOf(tool: Tool): Card {
  const weights = new Map<string, number>();
  const places = new Map<string, Set<Field>>();
  let length = 0;
  const add = (text: string, field: Field, times = 1) => {
    for (const raw of wordsOf(text)) {
      const word = stem(raw);
      weights.set(word, (weights.get(word) ?? 0) + WEIGHTS[field] * times);
      const where = places.get(word) ?? new Set<Field>();
      where.add(field);
      places.set(word, where);
      length += 1;
    }
  };
  const { name, title, description, tags = [], source = '' } = tool;
  const [first = '', ...rest] = description.split(/(?<=[.!?])\s+/);
  add(name, 'name');
  if (title !== name) add(title, 'title');
  add(first, 'description', FIRST_SENTENCE);
  add(rest.join(' '), 'description');
  add(argumentText(listedSchemaOf(tool)), 'arguments');
  add([...tags, source].join(' '), 'tags');
  return { tool, weights, places, length, nameWords: new Set(wordsOf(name).map(stem)) };
}

/** Names of arguments and their descriptions, two levels deep. */
function argumentText(schema: Readonly<Record<string, unknown>>, depth = 0): string {
  const properties = schema['properties'];
  if (properties === null || typeof properties !== 'object' || depth > 1) return '';
  return Object.entries(properties as Record<string, Record<string, unknown> | boolean>)
    .map(([name, property]) => {
      if (property === null || typeof property !== 'object') return name;
      const { description } = property;
      return `${name} ${typeof description === 'string' ? description.slice(0, 200) : ''} ${argumentText(property, depth + 1)}`;
    })
    .join(' ');
}

function saturated({ weights, length }: Card, word: string, meanLength: number): number {
  const weight = weights.get(word) ?? 0;
  return (weight * (K1 + 1)) / (weight + K1 * (1 - B + (B * length) / meanLength));
}

/** The whole name, or the name without its server. */
function isNamed(name: string, exact: string): boolean {
  const lower = name.toLowerCase();
  return lower === exact || lower.slice(lower.indexOf('__') + 2) === exact;
}

function explain({ places, tool }: Card, found: ReadonlySet<string>, exact: string): string {
  const lines = FIELDS.flatMap((field) => {
    const words = [...found].filter((word) => places.get(word)?.has(field));
    return words.length === 0 ? [] : [`${field}: ${words.join(', ')}`];
  });
  return [...(isNamed(tool.name, exact) ? ['its very name'] : []), ...lines].join('; ');
}

function lowerBound(sorted: readonly string[], word: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < word) low = middle + 1;
    else high = middle;
  }
  return low;
}
