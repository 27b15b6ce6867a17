import type { EmbeddingProvider } from './provider.ts';
import { toVectors, unavailable } from './unit-vectors.ts';

/**
 * A function of the program that turns one text into a vector. Vectors of different models are never
 * compared: a program that changes its model changes the `id` of its function, and everything is embedded
 * again.
 */
export type EmbedFunction = ((
  text: string,
  signal: AbortSignal,
) => Promise<ArrayLike<number>> | ArrayLike<number>) &
  Readonly<{ id?: string }>;

const PATIENCE_MS = 20_000;

export function functionProvider(embed: EmbedFunction): EmbeddingProvider {
  return {
    id: `function:${embed.id ?? 'embed'}`,
    async embed(texts, signal) {
      const patience = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
      const vectors: ArrayLike<number>[] = [];
      for (const text of texts) vectors.push(readVector(await withoutHanging(embed, text, patience)));
      return toVectors(vectors, texts.length);
    },
  };
}

/**
 * A function that never answers must not hold up whoever waits for it, whether it minds the signal or not.
 */
async function withoutHanging(
  embed: EmbedFunction,
  text: string,
  signal: AbortSignal,
): Promise<ArrayLike<number>> {
  signal.throwIfAborted();
  const { promise: given, reject } = Promise.withResolvers<never>();
  const giveUp = () => reject(unavailable('does not answer', signal.reason));
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    return await Promise.race([embed(text, signal), given]);
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

function readVector(answer: unknown): ArrayLike<number> {
  const isList = Array.isArray(answer) || answer instanceof Float32Array || answer instanceof Float64Array;
  if (isList && Array.from(answer).every((each) => typeof each === 'number'))
    return answer as ArrayLike<number>;
  throw unavailable('answered in a shape we do not know');
}
