import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findLocalEndpoints } from './local-endpoints.ts';

type Answers = Readonly<Record<string, (body: string) => unknown>>;

async function serve(answers: Answers): Promise<string> {
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const answer = answers[req.url ?? '']?.(Buffer.concat(chunks).toString());
    res.writeHead(answer === undefined ? 404 : 200).end(JSON.stringify(answer ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const modelOf = (body: string): string => (JSON.parse(body) as { model: string }).model;

describe('embedding endpoints of this machine', () => {
  it('are found by asking for their models and for one vector', async () => {
    const ollama = await serve({
      '/api/tags': () => ({ models: [{ name: 'llama3' }, { name: 'nomic-embed-text:latest' }] }),
      '/api/embed': (body) =>
        modelOf(body).startsWith('nomic') ? { embeddings: [[0.6, 0.8, 0]] } : undefined,
    });
    const studio = await serve({
      '/v1/models': () => ({ data: [{ id: 'qwen' }, { id: 'text-embedding-bge' }] }),
      '/v1/embeddings': () => ({ data: [{ index: 0, embedding: [1, 0] }] }),
    });
    expect(
      await findLocalEndpoints([
        { program: 'Ollama', use: 'ollama', url: ollama, models: '/api/tags' },
        { program: 'LM Studio', use: 'openai', url: `${studio}/v1`, models: '/models' },
      ]),
    ).toEqual([
      { program: 'Ollama', use: 'ollama', url: ollama, model: 'nomic-embed-text:latest', dims: 3 },
      { program: 'LM Studio', use: 'openai', url: `${studio}/v1`, model: 'text-embedding-bge', dims: 2 },
    ]);
  });

  it('are not found where nobody listens, where something else does, or where the model does not embed', async () => {
    const other = await serve({ '/v1/models': () => ({ hello: 'world' }) });
    const writes = await serve({ '/v1/models': () => ({ data: [{ id: 'qwen' }] }) });
    const place = (url: string) =>
      ({ program: 'llama.cpp', use: 'openai', url: `${url}/v1`, models: '/models' }) as const;
    expect(await findLocalEndpoints([place('http://127.0.0.1:9'), place(other), place(writes)])).toEqual([]);
  });
});
