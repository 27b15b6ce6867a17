import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findProvider } from './endpoint.ts';
import { embeddingSettings } from './provider.ts';

const signal = new AbortController().signal;

/** Answers as Ollama does, and remembers who asked with which key. */
async function startServer(
  answer: (path: string) => unknown,
): Promise<{ url: string; keys: (string | undefined)[] }> {
  const keys: (string | undefined)[] = [];
  const server = createServer((req, res) => {
    keys.push(req.headers.authorization);
    const body = answer(req.url ?? '');
    res.writeHead(body === undefined ? 404 : 200).end(JSON.stringify(body ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, keys };
}

describe('the embedding provider', () => {
  it('is Ollama when it answers, also with an OpenAI key about', async () => {
    const { url } = await startServer((path) => (path === '/api/tags' ? {} : { embeddings: [[3, 4]] }));
    const provider = await findProvider(embeddingSettings({ OLLAMA_HOST: url, OPENAI_API_KEY: 'k' }), signal);
    expect(provider?.id).toBe('ollama:nomic-embed-text');
    const [vector] = await provider!.embed(['x'], signal);
    expect([...vector!].map((value) => value.toFixed(1))).toEqual(['0.6', '0.8']);
  });

  it('is OpenAI when only a key is there, and none without one', async () => {
    const nobody = { OLLAMA_HOST: '127.0.0.1:9' };
    expect((await findProvider(embeddingSettings({ ...nobody, OPENAI_API_KEY: 'k' }), signal))?.id).toBe(
      'openai:text-embedding-3-small',
    );
    expect(await findProvider(embeddingSettings(nobody), signal)).toBeUndefined();
  });

  it('is any OpenAI-compatible endpoint that is named, with its own key and model', async () => {
    const { url, keys } = await startServer((path) =>
      path === '/v1/embeddings' ? { data: [{ index: 0, embedding: [1, 0] }] } : undefined,
    );
    const settings = embeddingSettings({
      HOLDFAST_EMBEDDING_URL: `${url}/v1/`,
      HOLDFAST_EMBEDDING_MODEL: 'mine',
      HOLDFAST_EMBEDDING_KEY: 'own',
      OPENAI_API_KEY: 'k',
    });
    const provider = await findProvider(settings, signal);
    expect(provider?.id).toBe('openai:mine');
    await provider!.embed(['x'], signal);
    expect(keys).toEqual(['Bearer own']);
  });

  it('can be switched off', async () => {
    expect(
      await findProvider(embeddingSettings({ HOLDFAST_EMBEDDING: 'none', OPENAI_API_KEY: 'k' }), signal),
    ).toBeUndefined();
  });

  it('never sends the OpenAI key to an endpoint of another name', () => {
    expect(
      embeddingSettings({ HOLDFAST_EMBEDDING_URL: 'http://elsewhere/v1', OPENAI_API_KEY: 'k' }).openaiKey,
    ).toBeUndefined();
  });
});
