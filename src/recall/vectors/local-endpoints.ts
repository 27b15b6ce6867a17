// Programs on this machine that embed text: each is asked for its models, and one of them for a vector.
import { z } from 'zod';
import { findProvider } from './endpoint.ts';
import { type EmbeddingSettings, embeddingSettings } from './provider.ts';

export type LocalEndpoint = Readonly<{
  program: string;
  use: 'ollama' | 'openai';
  url: string;
  model: string;
  dims: number;
}>;

type Place = Readonly<{ program: string; use: LocalEndpoint['use']; url: string; models: string }>;

/** Where they listen unless told otherwise. Another machine is not looked for: what is saved stays here. */
const PLACES: readonly Place[] = [
  { program: 'Ollama', use: 'ollama', url: 'http://127.0.0.1:11434', models: '/api/tags' },
  { program: 'LM Studio', use: 'openai', url: 'http://127.0.0.1:1234/v1', models: '/models' },
  { program: 'llama.cpp', use: 'openai', url: 'http://127.0.0.1:8080/v1', models: '/models' },
];

const LISTED_MS = 1_500;
const TRIED_MS = 10_000;
/** A model that writes text may embed as well, and badly; those that are named for it come first. */
const NAMED_FOR_IT = /embed|bge|e5|gte|minilm/i;
const MOST_TRIED = 3;

const ollamaModels = z.object({ models: z.array(z.object({ name: z.string().min(1).max(200) })) });
const openaiModels = z.object({ data: z.array(z.object({ id: z.string().min(1).max(200) })) });

export async function findLocalEndpoints(places = PLACES): Promise<LocalEndpoint[]> {
  const found = await Promise.all(places.map(tryPlace));
  return found.filter((endpoint) => endpoint !== undefined);
}

async function tryPlace(place: Place): Promise<LocalEndpoint | undefined> {
  const models = await modelsAt(place);
  const named = models.filter((model) => NAMED_FOR_IT.test(model));
  for (const model of (named.length > 0 ? named : models).slice(0, MOST_TRIED)) {
    const dims = await dimsOf(place, model);
    const { program, use, url } = place;
    if (dims > 0) return { program, use, url, model, dims };
  }
  return undefined;
}

async function modelsAt({ use, url, models }: Place): Promise<string[]> {
  try {
    const answer = await fetch(url + models, { signal: AbortSignal.timeout(LISTED_MS), redirect: 'error' });
    const body: unknown = await answer.json();
    return use === 'ollama'
      ? ollamaModels.parse(body).models.map(({ name }) => name)
      : openaiModels.parse(body).data.map(({ id }) => id);
  } catch {
    // Nobody is there, or somebody else: that is what is being found out.
    return [];
  }
}

async function dimsOf({ use, url }: Place, model: string): Promise<number> {
  const settings: EmbeddingSettings = {
    ...embeddingSettings({
      HOLDFAST_EMBEDDING: use,
      HOLDFAST_EMBEDDING_URL: url,
      HOLDFAST_EMBEDDING_MODEL: model,
    }),
    ollamaUrl: url,
    ollamaModel: model,
  };
  const signal = AbortSignal.timeout(TRIED_MS);
  try {
    const provider = await findProvider(settings, signal);
    const [vector] = (await provider?.embed(['memory'], signal)) ?? [];
    return vector?.length ?? 0;
  } catch {
    return 0;
  }
}
