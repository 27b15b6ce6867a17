// Similarity by meaning, for as long as an endpoint can tell it. Nothing here makes a save or a search
// fail.
import { toHubError } from '../../kernel/errors.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Database } from '../../store/database.ts';
import { scopesSeen } from '../rows.ts';
import type { Sight } from '../scopes.ts';
import { createBreaker } from './breaker.ts';
import { findProvider } from './endpoint.ts';
import { createNeighbours } from './pgvector/neighbours.ts';
import type { EmbeddingProvider, EmbeddingSettings } from './provider.ts';
import { createVectorIndex, type Nearest, type VectorIndex } from './vector-index.ts';

export type Near =
  | Readonly<{ kind: 'found'; similarity: ReadonlyMap<number, number> }>
  | Readonly<{ kind: 'unavailable'; why: string }>;

/** Similarity by meaning, for as long as an endpoint can tell it. Nothing here ever makes a save or a search fail. */
export interface Meaning {
  near(query: string, sight: Sight): Promise<Near>;
  /** Vectors for stored text, through the same circuit breaker as questions. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]>;
  /** The endpoint in use. Looked for again until there is one. */
  provider(): Promise<EmbeddingProvider | undefined>;
  /** Whether a provider has been found so far; asks nobody. */
  isKnown(): boolean;
  /** Of the last vector the endpoint gave: one model name may get another dimension. */
  dims(): number | undefined;
  /** Whether the endpoint is being left alone after failures. */
  isOpen(): boolean;
}

/** Enough to feed a hybrid ranking and any page of a vector search. */
const NEAREST = 200;
/** A question must not hang on a slow endpoint; words can answer it now. */
const PATIENCE_MS = 3_000;
const LOOK_AGAIN_MS = 60_000;

export function createMeaning(
  db: Database,
  settings: EmbeddingSettings | EmbeddingProvider,
  clock: Clock,
): Meaning {
  const breaker = createBreaker(clock);
  const indexes = new Map<string, VectorIndex>();
  const neighbours = new Map<string, ReturnType<typeof createNeighbours>>();
  let looking: Promise<EmbeddingProvider | undefined> | undefined;
  let lookedAt = 0;
  let isKnown = false;
  let dims: number | undefined;

  async function provider(): Promise<EmbeddingProvider | undefined> {
    if (!looking || ((await looking) === undefined && clock.elapsed() - lookedAt > LOOK_AGAIN_MS)) {
      lookedAt = clock.elapsed();
      looking = findProvider(settings, AbortSignal.timeout(PATIENCE_MS));
      isKnown = (await looking) !== undefined;
    }
    return looking;
  }

  async function ask(
    chosen: EmbeddingProvider,
    texts: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly Float32Array[]> {
    const vectors = await breaker.run(() => chosen.embed(texts, signal));
    dims = vectors[0]?.length ?? dims;
    return vectors;
  }

  /** PostgreSQL's own index where it has one, else codes in memory. Undefined when there is nothing to search. */
  async function nearestOf(model: string, dims: number): Promise<Nearest | undefined> {
    const key = `${dims} ${model}`;
    let near = neighbours.get(key);
    if (!near) neighbours.set(key, (near = createNeighbours(db, model, dims)));
    const ready = await near.open();
    if (ready) return ready;
    let index = indexes.get(key);
    if (!index) indexes.set(key, (index = createVectorIndex(db, model, dims)));
    await index.refresh();
    return index.count === 0 ? undefined : index;
  }

  return {
    provider,
    isKnown: () => isKnown,
    isOpen: () => breaker.isOpen,
    dims: () => dims,
    async embed(texts, signal) {
      const chosen = await provider();
      return chosen ? ask(chosen, texts, signal) : [];
    },
    async near(query, sight) {
      const chosen = await provider();
      if (!chosen) return { kind: 'unavailable', why: 'No embedding provider is configured.' };
      try {
        const [vector] = await ask(chosen, [query.slice(0, MAX_TEXT)], AbortSignal.timeout(PATIENCE_MS));
        const index = await nearestOf(chosen.id, vector!.length);
        if (!index)
          return {
            kind: 'unavailable',
            why: 'Nothing has been embedded yet with this model and this many dimensions.',
          };
        const similarity = await db.read(async (q) => {
          const scopes = new Set((await scopesSeen(q, sight)).map((scope) => scope.no));
          return index.near(q, { vector: vector!, scopes, limit: NEAREST });
        });
        if (similarity.size === 0)
          return { kind: 'unavailable', why: 'No stored vector fits the model in use.' };
        return { kind: 'found', similarity };
      } catch (thrown) {
        return { kind: 'unavailable', why: toHubError(thrown).message };
      }
    },
  };
}

/** What models take; the rest of a long text says little more about what it is about. */
export const MAX_TEXT = 6_000;
