// Finds an endpoint that embeds text and asks it. Its answers are bounded in time and size.
import { get as getPlainly } from 'node:http';
import { get as getSecurely } from 'node:https';
import { z } from 'zod';
import { type JsonEndpoint, postJson } from '../../kernel/post-json.ts';
import type { EmbeddingProvider, EmbeddingSettings } from './provider.ts';
import { toVectors, unavailable } from './unit-vectors.ts';

const EMBED_MS = 20_000;
const PROBE_MS = 1_500;
/** Far above any answer to a batch; an endpoint that streams without end is not read without end. */
const MAX_ANSWER = 64 * 1024 * 1024;

const ollamaAnswer = z.object({ embeddings: z.array(z.array(z.number())) });
const openaiAnswer = z.object({
  data: z.array(z.object({ index: z.int(), embedding: z.array(z.number()) })),
});

/** The first provider that is there, in the documented order; undefined when there is none. */
export async function findProvider(
  settings: EmbeddingSettings | EmbeddingProvider,
  signal: AbortSignal,
): Promise<EmbeddingProvider | undefined> {
  if ('embed' in settings) return settings;
  if (settings.use === 'none') return undefined;
  if (settings.use === 'ollama') return ollama(settings);
  if (settings.use === 'openai') return openai(settings);
  if (await isOllamaThere(settings, signal)) return ollama(settings);
  return settings.openaiKey === undefined ? undefined : openai(settings);
}

/** Every hub asks when it starts, and most hear nothing: not by `fetch`, which alone takes 10 MB for good. */
function isOllamaThere({ ollamaUrl }: EmbeddingSettings, signal: AbortSignal): Promise<boolean> {
  const get = ollamaUrl.startsWith('https:') ? getSecurely : getPlainly;
  return new Promise((resolve) => {
    const asked = get(
      `${ollamaUrl}/api/tags`,
      { agent: false, signal: AbortSignal.any([signal, AbortSignal.timeout(PROBE_MS)]) },
      (answer) => {
        answer.destroy();
        resolve(answer.statusCode === 200);
      },
    );
    // Nobody answers: that is what the probe is for.
    asked.on('error', () => resolve(false));
  });
}

function ollama({ ollamaUrl, ollamaModel }: EmbeddingSettings): EmbeddingProvider {
  return {
    id: `ollama:${ollamaModel}`,
    async embed(texts, signal) {
      const answer = await post(
        { url: `${ollamaUrl}/api/embed` },
        { model: ollamaModel, input: texts },
        signal,
      );
      return toVectors(read(ollamaAnswer, answer).embeddings, texts.length);
    },
  };
}

function openai({ openaiUrl, openaiModel, openaiKey }: EmbeddingSettings): EmbeddingProvider {
  const headers: Record<string, string> =
    openaiKey === undefined ? {} : { authorization: `Bearer ${openaiKey}` };
  return {
    id: `openai:${openaiModel}`,
    async embed(texts, signal) {
      const target = { url: `${openaiUrl}/embeddings`, headers };
      const answer = await post(target, { model: openaiModel, input: texts }, signal);
      const data = [...read(openaiAnswer, answer).data].sort((a, b) => a.index - b.index);
      return toVectors(
        data.map((item) => item.embedding),
        texts.length,
      );
    },
  };
}

function post(
  place: Pick<JsonEndpoint, 'url' | 'headers'>,
  body: unknown,
  signal: AbortSignal,
): Promise<unknown> {
  const patience = AbortSignal.any([signal, AbortSignal.timeout(EMBED_MS)]);
  return postJson({ ...place, most: MAX_ANSWER, failed: unavailable }, { body }, patience);
}

function read<T>(schema: z.ZodType<T>, answer: unknown): T {
  const parsed = schema.safeParse(answer);
  if (!parsed.success) throw unavailable('answered in a shape we do not know');
  return parsed.data;
}
