// Finds an endpoint that embeds text and asks it. Its answers are bounded in time and size.
import { z } from 'zod';
import { HubError } from '../../kernel/errors.ts';
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

async function isOllamaThere({ ollamaUrl }: EmbeddingSettings, signal: AbortSignal): Promise<boolean> {
  try {
    const answer = await fetch(`${ollamaUrl}/api/tags`, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(PROBE_MS)]),
    });
    await answer.body?.cancel();
    return answer.ok;
  } catch {
    // Nobody answers: that is what the probe is for.
    return false;
  }
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

type Target = Readonly<{ url: string; headers?: Record<string, string> }>;

async function post({ url, headers }: Target, body: unknown, signal: AbortSignal): Promise<unknown> {
  let answer: Response;
  let text: string;
  try {
    answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.any([signal, AbortSignal.timeout(EMBED_MS)]),
    });
    text = await readBounded(answer);
  } catch (cause) {
    if (cause instanceof HubError) throw cause;
    throw unavailable('does not answer', cause);
  }
  // The body of a failure may quote the request, and with it what somebody wants kept private.
  if (!answer.ok) throw unavailable(`answered ${answer.status}`);
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw unavailable('answered something that is not JSON', cause);
  }
}

async function readBounded(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  if (!answer.body) return '';
  for await (const chunk of answer.body as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > MAX_ANSWER) throw unavailable('answered without end');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function read<T>(schema: z.ZodType<T>, answer: unknown): T {
  const parsed = schema.safeParse(answer);
  if (!parsed.success) throw unavailable('answered in a shape we do not know');
  return parsed.data;
}
