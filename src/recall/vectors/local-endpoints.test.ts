import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findLocalEndpoints } from './local-endpoints.ts';

type Answers = Readonly<Record<string, (body: string) => unknown>>;

function serve(answers: Answers): Promise<string> {
  return listen(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const answer = answers[req.url ?? '']?.(Buffer.concat(chunks).toString());
    const status = answer === undefined ? 404 : answer instanceof Refused ? answer.status : 200;
    res.writeHead(status).end(JSON.stringify(answer instanceof Refused ? answer.body : (answer ?? {})));
  });
}

class Refused {
  readonly status: number;
  readonly body: unknown;
  constructor(status: number, body: unknown) {
    this.status = status;
    this.body = body;
  }
}

async function listen(handler: RequestListener): Promise<string> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
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
    const places = ['http://127.0.0.1:9', other, writes].map(placeOf);
    expect(await findLocalEndpoints(places)).toEqual([]);
  });

  it('speak as Ollama does: details of models, one that refuses to embed, counts beside the vectors', async () => {
    const details = { format: 'gguf', family: 'bert', parameter_size: '137M', quantization_level: 'F16' };
    const listed = (name: string) => ({
      name,
      model: name,
      size: 274302450,
      digest: '0a109f422b47',
      details,
    });
    const url = await serve({
      '/api/tags': () => ({ models: [listed('e5-chat:7b'), listed('mxbai-embed-large:latest')] }),
      '/api/embed': (body) => {
        if (modelOf(body).startsWith('e5'))
          return new Refused(400, { error: 'this model does not support embeddings' });
        const counts = { total_duration: 14143917, load_duration: 1019500, prompt_eval_count: 8 };
        return { model: modelOf(body), embeddings: [[0.1, -0.2, 0.3, 0.4]], ...counts };
      },
    });
    expect(await findLocalEndpoints([{ ...OLLAMA, url }])).toMatchObject([
      { model: 'mxbai-embed-large:latest', dims: 4 },
    ]);
  });

  it('speak as llama.cpp does: both lists of models, a path as the name, and 501 without --embeddings', async () => {
    const model = '/models/nomic-embed-text-v1.5.Q8_0.gguf';
    const models = () => ({
      models: [{ name: model, model, capabilities: ['completion'] }],
      object: 'list',
      data: [
        { id: model, object: 'model', created: 1_763_000_000, owned_by: 'llamacpp', meta: { n_embd: 3 } },
      ],
    });
    const without = await serve({
      '/v1/models': models,
      '/v1/embeddings': () =>
        new Refused(501, {
          error: {
            code: 501,
            message: 'This server does not support embeddings.',
            type: 'not_supported_error',
          },
        }),
    });
    const ready = await serve({
      '/v1/models': models,
      '/v1/embeddings': (body) => ({
        model: modelOf(body),
        object: 'list',
        usage: { prompt_tokens: 3, total_tokens: 3 },
        data: [{ embedding: [0.2, 0.2, 0.1], index: 0, object: 'embedding' }],
      }),
    });
    expect(await findLocalEndpoints([placeOf(without), placeOf(ready)])).toMatchObject([{ model, dims: 3 }]);
  });

  it.each([
    ['a vector without direction', { data: [{ index: 0, embedding: [0, 0, 0] }] }],
    ['no number where one should be', { data: [{ index: 0, embedding: [1, null] }] }],
    ['an empty vector', { data: [{ index: 0, embedding: [] }] }],
    ['two vectors for one text', { data: [0, 1].map((index) => ({ index, embedding: [1, 0] })) }],
    ['vectors as base64', { data: [{ index: 0, embedding: 'AACAPwAAAAA=' }] }],
    ['an error with the status of success', { error: 'model is loading' }],
  ])('are not offered when they answer %s', async (_, answer) => {
    const url = await serve({
      '/v1/models': () => ({ data: [{ id: 'bge-small' }] }),
      '/v1/embeddings': () => answer,
    });
    expect(await findLocalEndpoints([placeOf(url)])).toEqual([]);
  });

  it.each([
    ['a page', (res) => res.end('<!doctype html><title>It works</title>')],
    ['a way to somewhere else', (res) => res.writeHead(302, { location: 'http://127.0.0.1:9/' }).end()],
    ['nothing, and keeps the line', () => undefined],
    ['half of a list, and falls silent', (res) => res.write('{"data":[')],
    ['a list without end', pourOut],
  ] satisfies [string, (res: Parameters<RequestListener>[1]) => unknown][])(
    'are not waited for where something answers %s',
    async (_, answer) => {
      const url = await listen((_req, res) => {
        answer(res);
      });
      expect(await findLocalEndpoints([placeOf(url)], { listedMs: 400, triedMs: 400 })).toEqual([]);
    },
  );

  it('have one patience for all models of a program that lists many and embeds with none in time', async () => {
    const asked: string[] = [];
    const url = await listen((req, res) => {
      if (req.url === '/v1/models')
        res.end(JSON.stringify({ data: ['bge-a', 'bge-b', 'bge-c'].map((id) => ({ id })) }));
      else asked.push(req.url ?? '');
    });
    expect(await findLocalEndpoints([placeOf(url)], { listedMs: 5_000, triedMs: 300 })).toEqual([]);
    expect(asked).toEqual(['/v1/embeddings']);
  });
});

const OLLAMA = { program: 'Ollama', use: 'ollama', models: '/api/tags' } as const;
const placeOf = (url: string) =>
  ({ program: 'llama.cpp', use: 'openai', url: `${url}/v1`, models: '/models' }) as const;

function pourOut(res: Parameters<RequestListener>[1]): void {
  const more = (): void => {
    while (!res.destroyed && res.write(`"${'x'.repeat(65_536)}",`));
    if (!res.destroyed) res.once('drain', more);
  };
  res.write('{"data":[');
  more();
}
