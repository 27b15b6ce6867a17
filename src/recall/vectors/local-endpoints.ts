// Programs on this machine that embed text: each is asked for its models, and one of them for a vector.
import { z } from 'zod';
import { getJson } from '../../kernel/post-json.ts';
import { findProvider } from './endpoint.ts';
import { type EmbeddingSettings, embeddingSettings } from './provider.ts';
import { unavailable } from './unit-vectors.ts';

export type LocalEndpoint = Readonly<{
  program: string;
  use: 'ollama' | 'openai';
  url: string;
  model: string;
  dims: number;
}>;

type KnownProgram = Readonly<{ program: string; use: LocalEndpoint['use']; url: string; models: string }>;

/** Where they listen unless told otherwise. Another machine is not looked for: what is saved stays here. */
const PLACES: readonly KnownProgram[] = [
  { program: 'Ollama', use: 'ollama', url: 'http://127.0.0.1:11434', models: '/api/tags' },
  { program: 'LM Studio', use: 'openai', url: 'http://127.0.0.1:1234/v1', models: '/models' },
  { program: 'llama.cpp', use: 'openai', url: 'http://127.0.0.1:8080/v1', models: '/models' },
];

/** How long one program may take to list its models, and then to embed with any of them: a person is waiting. */
const PATIENCE = { listedMs: 1_500, triedMs: 10_000 };
/** Whatever listens there: a list of models is far shorter. */
const MOST_LISTED = 4 * 1024 * 1024;
/** A model that writes text may embed as well, and badly; those that are named for it come first. */
const NAMED_FOR_IT = /embed|bge|e5|gte|minilm/i;
const MOST_TRIED = 3;

const ollamaModels = z.object({ models: z.array(z.object({ name: z.string().min(1).max(200) })) });
const openaiModels = z.object({ data: z.array(z.object({ id: z.string().min(1).max(200) })) });

export async function findLocalEndpoints(places = PLACES, patience = PATIENCE): Promise<LocalEndpoint[]> {
  const found = await Promise.all(places.map((place) => tryPlace(place, patience)));
  return found.filter((endpoint) => endpoint !== undefined);
}

async function tryPlace(
  place: KnownProgram,
  { listedMs, triedMs }: typeof PATIENCE,
): Promise<LocalEndpoint | undefined> {
  const models = await modelsAt(place, AbortSignal.timeout(listedMs));
  const signal = AbortSignal.timeout(triedMs);
  const named = models.filter((model) => NAMED_FOR_IT.test(model));
  for (const model of (named.length > 0 ? named : models).slice(0, MOST_TRIED)) {
    const dims = await dimsOf(place, model, signal);
    const { program, use, url } = place;
    if (dims > 0) return { program, use, url, model, dims };
  }
  return undefined;
}

async function modelsAt({ use, url, models }: KnownProgram, signal: AbortSignal): Promise<string[]> {
  try {
    const listed = { url: url + models, most: MOST_LISTED, redirect: 'error', failed: unavailable } as const;
    const body = await getJson(listed, signal);
    return use === 'ollama'
      ? ollamaModels.parse(body).models.map(({ name }) => name)
      : openaiModels.parse(body).data.map(({ id }) => id);
  } catch {
    // Nobody is there, or somebody else: that is what is being found out.
    return [];
  }
}

async function dimsOf({ use, url }: KnownProgram, model: string, signal: AbortSignal): Promise<number> {
  const settings: EmbeddingSettings = {
    ...embeddingSettings({
      HOLDFAST_EMBEDDING: use,
      HOLDFAST_EMBEDDING_URL: url,
      HOLDFAST_EMBEDDING_MODEL: model,
    }),
    ollamaUrl: url,
    ollamaModel: model,
  };
  try {
    const provider = await findProvider(settings, signal);
    const [vector] = (await provider?.embed(['memory'], signal)) ?? [];
    return vector?.length ?? 0;
  } catch {
    return 0;
  }
}
