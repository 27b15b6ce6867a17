// Memories that are also found by meaning, from the command line: offered by setup, shown and followed by `memory embed`.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { createHub } from '../../src/app.ts';
import { runCli } from '../../src/cli/program.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { findLocalEndpoints } from '../../src/recall/recall.ts';
import { freshFolder } from '../fixtures/databases.ts';
import { openTestHub } from '../fixtures/hub.ts';
import { startEmbeddingEndpoint } from '../fixtures/embedding-endpoint.ts';

function person(extra: Readonly<Record<string, string>> = {}, typed?: string) {
  const home = freshFolder();
  const work = join(home, 'work');
  mkdirSync(work);
  const env = { HOME: home, HOLDFAST_HOME: join(home, '.holdfast'), PATH: '/usr/bin:/bin', ...extra };
  const run = async (...args: string[]) => {
    const said: string[] = [];
    const code = await runCli(args, {
      env,
      cwd: work,
      stdin: Readable.from([typed ?? '']),
      print: (line) => said.push(line),
      tell: (line) => said.push(line),
      columns: typed === undefined ? undefined : 100,
      self: [],
      createHub: (config, mode) => createHub(config, mode, silentLog),
      serveStdio: () => Promise.reject(new Error('not here')),
      interrupted: new AbortController().signal,
    });
    return { code, out: said.join('\n') };
  };
  return { run, config: join(env.HOLDFAST_HOME, 'config.yaml') };
}

/** Where setup looks, each with how a model is listed there. Whoever runs this may have one of the programs. */
const PLACES = [
  { port: 11_434, use: 'ollama' },
  { port: 1_234, use: 'openai' },
  { port: 8_080, use: 'openai' },
] as const;

/** A program that embeds, at the first of the ports that nobody has. */
async function startProgram(): Promise<(typeof PLACES)[number]> {
  const server = createServer((req, res) => {
    const isOf = (end: string): boolean => req.url?.endsWith(end) === true;
    const answer = isOf('/api/tags')
      ? { models: [{ name: 'kelp-embed' }] }
      : isOf('/models')
        ? { data: [{ id: 'kelp-embed' }] }
        : isOf('/api/embed')
          ? { embeddings: [[0.6, 0.8, 0]] }
          : { data: [{ index: 0, embedding: [0.6, 0.8, 0] }] };
    // The next test has a program of its own at the same port.
    res.setHeader('connection', 'close').end(JSON.stringify(answer));
  });
  onTestFinished(() => void server.close());
  for (const place of PLACES) {
    const isOurs = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(place.port, '127.0.0.1', () => resolve(true));
    });
    if (isOurs) return place;
  }
  throw new Error('every port of an embedding program is taken');
}

it('setup --embedding writes what it found into config.yaml, once, and uninstall takes it back', async () => {
  const { use } = await startProgram();
  const { run, config } = person();
  const done = await run('setup', '--embedding', '--yes');
  expect([done.code, done.out]).toEqual([0, expect.stringContaining('kelp-embed')]);
  expect(parse(readFileSync(config, 'utf8')).embedding).toMatchObject({ use, model: 'kelp-embed' });
  const written = readFileSync(config, 'utf8');
  expect((await run('setup', '--embedding', '--yes')).code).toBe(0);
  expect(readFileSync(config, 'utf8')).toBe(written);
  expect((await run('uninstall', '--yes')).code).toBe(0);
  expect(existsSync(config) ? readFileSync(config, 'utf8') : '').not.toContain('kelp-embed');
});

it('setup --embedding asks, and leaves alone what was refused or chosen by hand', async () => {
  await startProgram();
  const refusing = person({}, 'n\n');
  const refused = await refusing.run('setup', '--embedding');
  expect(refused.out).toMatch(/kelp-embed[^]*Nothing was changed/);
  expect(existsSync(refusing.config)).toBe(false);
  const { run, config } = person();
  mkdirSync(dirname(config));
  const own = 'embedding:\n  use: openai\n  url: http://127.0.0.1:9/v1\n  model: dulse\n';
  writeFileSync(config, own);
  const kept = await run('setup', '--embedding', '--yes');
  expect([kept.code, kept.out]).toEqual([
    0,
    expect.stringMatching(/dulse.*has it already[^]*Nothing to change/),
  ]);
  expect(readFileSync(config, 'utf8')).toBe(own);
});

it('setup --embedding says so where no program embeds', async () => {
  // Whoever runs this may have one of the programs.
  const [there] = await findLocalEndpoints();
  const { run, config } = person();
  const { code, out } = await run('setup', '--embedding', '--dry-run');
  expect([code, out]).toEqual([
    0,
    expect.stringContaining(there?.model ?? 'none of Ollama, LM Studio and llama.cpp'),
  ]);
  expect(existsSync(config)).toBe(false);
});

it('memory embed shows the model, what is left to send, and what it takes on disk', async () => {
  const endpoint = await startEmbeddingEndpoint();
  const env = { HOLDFAST_EMBEDDING_URL: endpoint.url, HOLDFAST_EMBEDDING_MODEL: 'kelp' };
  const { run, config } = person(env);
  await openTestHub({ home: dirname(config), env });
  for (const word of ['kelp', 'dulse', 'wrack'])
    await run('memory', 'save', word, `The ${word} grips the rock.`);
  const followed = await run('memory', 'embed', '--wait');
  expect([followed.code, followed.out]).toEqual([0, expect.stringMatching(/model +\S*kelp/)]);
  expect(followed.out).toMatch(/embedded +3 of 3 facts\nleft +0\non disk +1\.5 kB, 128 numbers each/);
  const { provider, progress } = JSON.parse((await run('memory', 'embed', '--json')).out);
  expect({ provider, progress }).toMatchObject({
    provider: { available: true },
    progress: { embedded: 3, left: 0, tokensLeft: 0, dims: 128, bytes: 1_536 },
  });
  endpoint.behave('error');
  await run('memory', 'save', 'laver', 'The laver grips the rock as well.');
  expect((await run('memory', 'embed')).out).toMatch(/left +1, about \d+ tokens to send/);
  // Once it has failed often enough to be left alone for a while, that is said, and nobody waits for it.
  const ask = () => run('memory', 'search', 'rock', '--mode', 'hybrid');
  await expect
    .poll(async () => ((await ask()).out, (await run('memory', 'embed')).out))
    .toContain('not answering');
  const waited = await run('memory', 'embed', '--wait');
  expect([waited.code, waited.out]).toEqual([0, expect.stringMatching(/left +1/)]);
  expect((await ask()).out).toMatch(/Searched by words only[^]*kelp/);
});

it('memory embed says what to do where there is no model', async () => {
  const { run } = person({ HOLDFAST_EMBEDDING: 'none' });
  expect((await run('memory', 'embed')).out).toContain('setup --embedding');
});
