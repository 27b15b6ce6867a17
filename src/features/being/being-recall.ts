import type { Log } from '../../kernel/log.ts';
import {
  createRecall,
  MAX_TEXT,
  type Meaning,
  putNeighbours,
  putVector,
  type Recall,
  vectorsByNumber,
  wordsOf,
} from '../../recall/recall.ts';
import type { Database, Query, Tx } from '../../store/database.ts';
import type { Held } from './rows/whose.ts';
import { THRESHOLDS } from './rules.ts';
import { dateOf, embeddingText, type Told } from './scene.ts';

/**
 * What a Being needs of recall, and the only file that knows how recall is asked. The space is the wall between Beings:
 * its scope is given with every question, because words alone are keyed by a short digest of it.
 */
export interface Recalling {
  /** Files a memory; `similar` are the ids of those that say nearly the same. */
  file(self: Held, memory: Told & Readonly<{ id: string }>): Promise<Filed>;
  remove(self: Held, number: number): Promise<void>;
  /** The best numbers for a question: by meaning where vectors can tell, else by words. */
  find(being: string, question: string): Promise<Found>;
  /** Undefined without an embedding endpoint, or while it does not answer. */
  embed(told: readonly Told[], signal: AbortSignal): Promise<Embedded | undefined>;
  keepVectors(tx: Tx, model: string, vectors: readonly Numbered[]): Promise<void>;
  vectors(q: Query, model: string, numbers: readonly number[]): Promise<ReadonlyMap<number, Float32Array>>;
  /** The model in use; undefined when there is none. */
  model(): Promise<string | undefined>;
}

type Filed = Readonly<{ number: number; similar: readonly string[] }>;
type Found = Readonly<{ method: 'vector' | 'keyword'; numbers: readonly number[] }>;
export type Embedded = Readonly<{ model: string; vectors: readonly Float32Array[] }>;
type Numbered = Readonly<{ number: number; vector: Float32Array }>;

/** Weaker than this beside the best, a shared word is chance. */
const FAINT = 0.3;
const MOST = 200;

type Parts = Readonly<{ db: Database; meaning: Meaning; log: Log }>;

export function createRecalling({ db, meaning, log }: Parts): Recalling {
  return {
    async file({ tx, being }, memory) {
      const recall = recallOf(being);
      const scope = await recall.scope(tx, SIGHT);
      // Every memory is its own episode: what was told before and after it says nothing about it.
      return recall.add(tx, { ...itemText(memory), id: memory.id, scope, episode: memory.id, seat: '' });
    },
    remove: ({ tx, being }, number) => recallOf(being).forget(tx, number),
    async find(being, question) {
      const near = await meaning.near(question, { space: spaceOf(being), ...SIGHT });
      if (near.kind === 'found') {
        const close = [...near.similarity].filter(([, cosine]) => cosine >= THRESHOLDS.recall);
        const order = close.sort((a, b) => nearness(b[1]) - nearness(a[1]) || b[0] - a[0]);
        return { method: 'vector', numbers: order.map(([number]) => number) };
      }
      const { hits } = await db.read((q) => recallOf(being).search(q, { text: question, sight: SIGHT }));
      const best = hits[0]?.score ?? 0;
      const good = hits.filter(({ score }) => score > 0 && score >= FAINT * best);
      return { method: 'keyword', numbers: good.slice(0, MOST).map(({ number }) => number) };
    },
    async embed(told, signal) {
      const provider = await meaning.provider();
      if (!provider || told.length === 0) return undefined;
      try {
        const vectors = await meaning.embed(
          told.map((each) => embeddingText(each).slice(0, MAX_TEXT)),
          signal,
        );
        return vectors.length === told.length ? { model: provider.id, vectors } : undefined;
      } catch (error) {
        log.warn('Memories of a Being were not embedded; the next patrol tries again.', { error });
        return undefined;
      }
    },
    async keepVectors(tx, model, vectors) {
      for (const vector of vectors) await putVector(tx, model, vector);
      await putNeighbours(tx, { model, vectors }, log);
    },
    async vectors(q, model, numbers) {
      const stored = await vectorsByNumber(q, model, numbers);
      return new Map(stored.map(({ number, vector }) => [number, vector]));
    },
    model: async () => (await meaning.provider())?.id,
  };
}

/** Nearer than this apart, two memories answer alike, and the newer one comes first. */
const STEP = 0.02;

function nearness(cosine: number): number {
  return Math.round(cosine / STEP);
}

/** The words a memory is about, for comparing memories without a model. Who and when say nothing about what. */
export function termsOf({ action, scene, feeling, themes }: Told): readonly string[] {
  const content = [action, scene.setting ?? '', feeling ?? ''].filter((part) => part !== '').join('. ');
  return wordsOf(`${content}\n${themes.join(' ')}`);
}

function itemText({ action, scene, feeling, themes }: Told): {
  title: string;
  content: string;
  tags: readonly string[];
} {
  const dates = [...new Set(scene.when.map(dateOf))].join(' ');
  const content = [action, scene.setting ?? '', feeling ?? '', dates]
    .filter((part) => part !== '')
    .join('. ');
  return { title: scene.actors.join(', '), content, tags: themes };
}

/** All of one Being; the tags of the hub's own memory mean nothing here, and leaving them open would leave the wall open. */
const SIGHT = { tenant: '', team: '', agent: '' } as const;

function recallOf(being: string): Recall {
  return createRecall({ space: spaceOf(being) });
}

function spaceOf(being: string): string {
  return `being:${being}`;
}
