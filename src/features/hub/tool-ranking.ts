import type { Tool } from '../../mcp/define.ts';
import { listedSchemaOf } from '../../mcp/schema.ts';
import { contentWords, stem, wordsOf } from './tool-words.ts';

/**
 * How well tools fit a question: BM25 over weighted fields, a word that begins like one of the question counting for less.
 * The only file that knows how ToolSearch ranks.
 */
type Hit = Readonly<{ tool: Tool; score: number; why: string }>;

export interface Ranking {
  search(
    query: string,
    filter: (tool: Tool) => boolean,
    limit: number,
  ): Readonly<{ hits: readonly Hit[]; searched: number }>;
}

type Field = 'name' | 'title' | 'description' | 'arguments' | 'tags';
const WEIGHTS: Readonly<Record<Field, number>> = {
  name: 3,
  title: 1.5,
  description: 1,
  arguments: 0.6,
  tags: 2,
};
const FIELDS = Object.keys(WEIGHTS) as Field[];
const K1 = 1.2;
const B = 0.4;
/** A description's first sentence says what a tool is; the rest how it is used. */
const FIRST_SENTENCE = 1.5;
/** What a beginning of a word counts for, against the whole word. */
const PREFIX = 0.45;
const SHORTEST_PREFIX = 4;
const MOST_QUERY = 2_000;
/** Who asks for a tool by its name gets it first. */
const NAMED = 100;

/** Where a word stands: in which tool, with what weight, in which fields (a bit each). Flat, because there are many. */
type Posting = Readonly<{ at: number[]; weight: number[]; fields: number[] }>;

type Found = { score: number; words: number; by: Set<string> };

export function createRanking(tools: readonly Tool[]): Ranking {
  const postings = new Map<string, Posting>();
  const lengths = tools.map((tool, at) => post(postings, tool, at));
  const meanLength = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length);
  const vocabulary = [...postings.keys()].sort();

  const rarity = (count: number) => Math.log(1 + (tools.length - count + 0.5) / (count + 0.5));
  const saturated = (weight: number, length: number) =>
    (weight * (K1 + 1)) / (weight + K1 * (1 - B + (B * length) / meanLength));

  /** The word itself, and those that begin with it or that it begins with. */
  function kin(word: string): readonly Readonly<{ word: string; share: number }>[] {
    const found = postings.has(word) ? [{ word, share: 1 }] : [];
    if (word.length < SHORTEST_PREFIX) return found;
    for (
      let at = lowerBound(vocabulary, word);
      at < vocabulary.length && vocabulary[at]!.startsWith(word);
      at += 1
    )
      if (vocabulary[at] !== word) found.push({ word: vocabulary[at]!, share: PREFIX });
    for (let length = word.length - 1; length >= SHORTEST_PREFIX; length -= 1) {
      const start = word.slice(0, length);
      if (postings.has(start)) found.push({ word: start, share: PREFIX });
    }
    return found;
  }

  /** What one word of the question is worth for each tool: the best of its kin counts. */
  function worthOf(
    word: string,
    isIn: readonly boolean[],
  ): ReadonlyMap<number, Readonly<{ score: number; by: string }>> {
    const best = new Map<number, { score: number; by: string }>();
    for (const { word: other, share } of kin(word)) {
      const { at: places, weight } = postings.get(other)!;
      const worth = rarity(places.length) * share;
      places.forEach((at, i) => {
        if (!isIn[at]) return;
        const score = worth * saturated(weight[i]!, lengths[at]!);
        if (score > (best.get(at)?.score ?? 0)) best.set(at, { score, by: other });
      });
    }
    return best;
  }

  function explain(at: number, found: ReadonlySet<string>, exact: string): string {
    const lines = FIELDS.flatMap((field, bit) => {
      const words = [...found].filter((word) => {
        const posting = postings.get(word)!;
        return (posting.fields[posting.at.indexOf(at)]! & (1 << bit)) !== 0;
      });
      return words.length === 0 ? [] : [`${field}: ${words.join(', ')}`];
    });
    return [...(isNamed(tools[at]!.name, exact) ? ['its very name'] : []), ...lines].join('; ');
  }

  return {
    search(query, filter, limit) {
      const words = [...new Set(contentWords(query.slice(0, MOST_QUERY)))];
      const exact = query.trim().toLowerCase();
      const isIn = tools.map(filter);
      const scores = new Map<number, Found>();
      const sumOf = (at: number): Found => {
        const known = scores.get(at) ?? { score: 0, words: 0, by: new Set<string>() };
        scores.set(at, known);
        return known;
      };
      for (const word of words) {
        for (const [at, { score, by }] of worthOf(word, isIn)) {
          const sum = sumOf(at);
          sum.score += score;
          sum.words += 1;
          sum.by.add(by);
        }
      }
      tools.forEach(({ name }, at) => {
        if (isIn[at] && exact.length > 1 && isNamed(name, exact)) sumOf(at).score += NAMED;
      });
      const ranked = [...scores]
        .map(([at, { score, words: met, by }]) => ({
          at,
          by,
          score: score * (0.5 + (0.5 * met) / Math.max(1, words.length)),
        }))
        .toSorted((a, b) => b.score - a.score || (tools[a.at]!.name < tools[b.at]!.name ? -1 : 1));
      return {
        searched: isIn.filter(Boolean).length,
        hits: ranked.slice(0, limit).map(({ at, score, by }) => ({
          tool: tools[at]!,
          score: Math.round(score * 100) / 100,
          why: explain(at, by, exact),
        })),
      };
    },
  };
}

/** Writes the words of a tool into the postings; answers how many they were. */
function post(postings: Map<string, Posting>, tool: Tool, at: number): number {
  let length = 0;
  const add = (text: string, field: Field, times = 1) => {
    for (const raw of wordsOf(text)) {
      const word = stem(raw);
      let posting = postings.get(word);
      if (!posting) postings.set(word, (posting = { at: [], weight: [], fields: [] }));
      if (posting.at.at(-1) !== at) {
        posting.at.push(at);
        posting.weight.push(0);
        posting.fields.push(0);
      }
      const last = posting.at.length - 1;
      posting.weight[last]! += WEIGHTS[field] * times;
      posting.fields[last]! |= 1 << FIELDS.indexOf(field);
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
  return length;
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

/** The whole name, or the name without its server. */
function isNamed(name: string, exact: string): boolean {
  const lower = name.toLowerCase();
  return lower === exact || lower.slice(lower.indexOf('__') + 2) === exact;
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
