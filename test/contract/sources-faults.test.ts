import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { faulty, openSourcesHub, startHttpSource } from '../fixtures/sources.ts';

const text = (result: any): string => result.content[0].text;
const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe('a source that cannot start hides only itself', () => {
  it('and says why', { timeout: 60_000 }, async () => {
    const hub = await openSourcesHub({
      good: { command: faulty('good'), trust: 'all' },
      missing: { command: ['/no/such/program'] },
      exits: { command: faulty('exits') },
      silent: { command: faulty('never-starts'), start: '4s' },
      tasks: { command: faulty('good') },
      both: { command: ['x'], url: 'http://127.0.0.1:1/' },
    });
    await hub.ready('good');
    expect(text(await hub.call('good__ok'))).toBe('ok done');
    await expect.poll(async () => (await hub.state('missing')).state).toBe('failing');
    expect((await hub.state('missing')).reason).toContain('ENOENT');
    await expect
      .poll(async () => (await hub.state('exits')).reason, { timeout: 5_000 })
      .toContain('no configuration was found');
    await expect
      .poll(async () => (await hub.state('silent')).reason, { timeout: 10_000 })
      .toContain('did not come up within 4 s');
    const { refused } = await hub.rest('GET', '/api/sources');
    expect(refused).toEqual([
      { name: 'both', problem: 'needs either a command or a url' },
      { name: 'tasks', problem: expect.stringContaining('built-in server') },
    ]);
    expect(
      (await hub.ask('tools/call', { name: 'tasks__list_tasks', arguments: {} })).result.structuredContent
        .tasks,
    ).toEqual([]);
  });

  it('own tools answer at once while sources are starting', async () => {
    const hub = await openSourcesHub({ silent: { command: faulty('never-starts') } });
    const begun = performance.now();
    expect(await hub.names()).toContain('tasks__list_tasks');
    expect(performance.now() - begun).toBeLessThan(1_000);
  });
});

describe('lists of strangers', () => {
  it('too many tools, no schemas, remote schemas, repeated and long names', { timeout: 30_000 }, async () => {
    const hub = await openSourcesHub({
      many: { command: faulty('many'), trust: 'all' },
      schemas: { command: faulty('schemas'), trust: 'all' },
      names: { command: faulty('names'), trust: 'all' },
    });
    await hub.ready('many', 'schemas', 'names');
    expect(await hub.state('many')).toMatchObject({
      tools: 1_000,
      problems: [expect.stringContaining('more than 1000')],
    });
    const names = await hub.names();
    expect(names.filter((name) => name.startsWith('schemas__'))).toEqual([
      'schemas__good',
      'schemas__remote',
    ]);
    expect((await hub.state('schemas')).problems).toHaveLength(3);
    expect(await hub.call('schemas__remote', { a: 1, b: 'x' })).toMatchObject({ isError: true });
    expect(text(await hub.call('schemas__remote', { a: 1, b: 2 }))).toBe('remote done');
    const long = names.filter((name) => name.startsWith('names__'));
    expect(long).toHaveLength(5);
    expect(new Set(long).size).toBe(5);
    expect(Math.max(...long.map((name) => name.length))).toBeLessThanOrEqual(64);
    expect((await hub.state('names')).problems).toEqual([
      expect.stringContaining('"twice" is listed twice'),
      expect.stringContaining('would both be names__a_b'),
    ]);
  });

  it('noise, a flood on stderr, answers twice or under a wrong id', { timeout: 30_000 }, async () => {
    const hub = await openSourcesHub({
      noise: { command: faulty('noise'), trust: 'all' },
      flood: { command: faulty('stderr'), trust: 'all' },
      twice: { command: faulty('twice'), trust: 'all' },
      wrong: { command: faulty('wrong-id'), trust: 'all', timeout: '500ms' },
    });
    await hub.ready('noise', 'flood', 'twice', 'wrong');
    for (const source of ['noise', 'flood', 'twice'])
      expect(text(await hub.call(`${source}__ok`))).toBe('ok done');
    for (let i = 0; i < 5; i += 1) expect(text(await hub.call('twice__ok'))).toBe('ok done');
    expect(text(await hub.call('wrong__ok'))).toContain('timed out');
  });
});

describe('calls', () => {
  it('50 MB are dropped while they arrive, and only that call fails', { timeout: 60_000 }, async () => {
    const hub = await openSourcesHub({ one: { command: faulty('good'), trust: 'all' } });
    await hub.ready('one');
    const big = await hub.call('one__big');
    expect(big).toMatchObject({ isError: true });
    expect(text(big)).toContain('bytes');
    expect(text(await hub.call('one__ok'))).toBe('ok done');
  });

  it(
    'run side by side on one program, end by their time limit, and one that never ends is cancelled',
    { timeout: 30_000 },
    async () => {
      const hub = await openSourcesHub({ one: { command: faulty('good'), trust: 'all', timeout: '1s' } });
      await hub.ready('one');
      const begun = performance.now();
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => hub.call('one__sleep', { ms: 400 })),
      );
      expect(answers.map(text)).toEqual(Array.from({ length: 10 }, () => 'sleep done'));
      expect(performance.now() - begun).toBeLessThan(2_000);
      expect(text(await hub.call('one__never'))).toContain('timed out');
    },
  );

  it(
    'a program killed in a call fails that call within a second, others go on, and it comes back',
    { timeout: 30_000 },
    async () => {
      const hub = await openSourcesHub({
        one: { command: faulty('good'), trust: 'all' },
        other: { command: faulty('good'), trust: 'all' },
      });
      await hub.ready('one', 'other');
      const pid = Number(text(await hub.call('one__pid')));
      const elsewhere = hub.call('other__sleep', { ms: 600 });
      const waiting = hub.call('one__never');
      await new Promise((resolve) => setTimeout(resolve, 200));
      const begun = performance.now();
      process.kill(pid, 'SIGKILL');
      const failed = await waiting;
      expect(performance.now() - begun).toBeLessThan(1_000);
      expect(failed).toMatchObject({ isError: true, structuredContent: { mayHaveRun: true } });
      expect(text(failed)).toContain('SIGKILL');
      expect(text(await elsewhere)).toBe('sleep done');
      expect(text(await hub.call('one__ok'))).toBe('ok done');
      expect(await hub.names()).toContain('one__ok');
    },
  );

  it('what only reads or may be repeated is repeated once', { timeout: 30_000 }, async () => {
    const hub = await openSourcesHub({ one: { command: faulty('good'), trust: 'all' } });
    await hub.ready('one');
    const pid = Number(text(await hub.call('one__pid')));
    const working = hub.call('one__work', { ms: 800 });
    await new Promise((resolve) => setTimeout(resolve, 200));
    process.kill(pid, 'SIGKILL');
    expect(text(await working)).toBe('work done');
    expect(Number(text(await hub.call('one__pid')))).not.toBe(pid);
  });
});

describe('HTTP', () => {
  it(
    'a forgotten session is opened again and the call goes through; a server that comes back is found',
    { timeout: 60_000 },
    async () => {
      const source = await startHttpSource('v1');
      const hub = await openSourcesHub({ web: { url: source.url, trust: 'all' } });
      await hub.ready('web');
      expect(text(await hub.call('web__append', { line: 'a' }))).toBe('1 lines');
      await fetch(source.url.replace('/mcp', '/forget'));
      expect(text(await hub.call('web__append', { line: 'b' }))).toBe('2 lines');
      const waiting = hub.call('web__wait', { ms: 20_000 });
      await new Promise((resolve) => setTimeout(resolve, 300));
      const begun = performance.now();
      source.process.kill('SIGKILL');
      expect(await waiting).toMatchObject({ isError: true });
      expect(performance.now() - begun).toBeLessThan(1_000);
      expect(await hub.call('web__add', { a: 1, b: 1 })).toMatchObject({ isError: true });
      await startHttpSource('v1', source.port);
      await expect
        .poll(async () => (await hub.call('web__add', { a: 1, b: 1 })).isError, {
          timeout: 20_000,
          interval: 300,
        })
        .toBeFalsy();
    },
  );

  it('a redirect to another host, a web page, a dropped stream', { timeout: 30_000 }, async () => {
    const seen: (string | undefined)[] = [];
    const elsewhere = createServer((req, res) => {
      seen.push(req.headers.authorization);
      res.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
    const web = createServer((req, res) => {
      if (req.url === '/redirect')
        res
          .writeHead(307, { location: `http://localhost:${(elsewhere.address() as AddressInfo).port}/` })
          .end();
      else if (req.url === '/page') res.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hello</h1>');
      else {
        res.writeHead(200, { 'content-type': 'text/event-stream' });
        res.write(': hello\n\n');
        setTimeout(() => res.destroy(), 50);
      }
    });
    for (const server of [elsewhere, web]) {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      onTestFinished(() => void server.close());
    }
    const at = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
    const headers = { Authorization: 'Bearer source-secret' };
    const hub = await openSourcesHub({
      redirect: { url: `${at}/redirect`, headers },
      page: { url: `${at}/page` },
      drops: { url: `${at}/drops` },
    });
    const reason = async (name: string) => (await hub.state(name)).reason as string;
    const patience = { timeout: 10_000 };
    await expect.poll(() => reason('redirect'), patience).toMatch(/redirect/i);
    await expect.poll(() => reason('page'), patience).toContain('a web page instead of a message');
    await expect.poll(() => reason('drops'), patience).toMatch(/stream ended|closed/);
    expect(seen).toEqual([]);
  });
});

it(
  'the environment of a program is chosen, secrets come from secrets.yaml and are never said',
  { timeout: 30_000 },
  async () => {
    process.env['HOLDFAST_TEST_SECRET'] = 'do-not-inherit';
    onTestFinished(() => void delete process.env['HOLDFAST_TEST_SECRET']);
    const hub = await openSourcesHub({
      one: { command: faulty('good'), trust: 'all', env: { KEY_FILE: '${secrets.one}' } },
      lacks: { command: faulty('good'), env: { T: '${secrets.nowhere}' } },
    });
    await expect.poll(async () => (await hub.state('one')).reason).toContain('secrets.yaml has no entry one');
    const { writeFileSync } = await import('node:fs');
    writeFileSync(`${hub.home}/secrets.yaml`, 'one: plain-value-of-one\n');
    await hub.ready('one');
    const environment = JSON.parse(text(await hub.call('one__environment')));
    expect(environment).toMatchObject({ KEY_FILE: 'plain-value-of-one', PATH: expect.any(String) });
    expect(environment).not.toHaveProperty('HOLDFAST_TEST_SECRET');
    expect(JSON.stringify(await hub.rest('GET', '/api/sources/one'))).not.toContain('plain-value-of-one');

    // Changed: what is said anew holds, what is taken away is gone, and the rest of the entry stays.
    const change = { env: { EXTRA: 'plain-extra', KEY_FILE: null } };
    const { source } = await hub.rest('PATCH', '/api/sources/one', change);
    expect(source).toMatchObject({ env: ['EXTRA'], trust: 'all' });
    await hub.ready('one');
    const after = JSON.parse(text(await hub.call('one__environment')));
    expect(after).toMatchObject({ EXTRA: 'plain-extra' });
    expect(after).not.toHaveProperty('KEY_FILE');
    expect(await hub.rest('PATCH', '/api/sources/one', { url: 'ftp://nowhere' })).toHaveProperty('error');
    expect((await hub.state('one')).command).toEqual(source.command);
  },
);

it('whatever a program started ends with it', { timeout: 30_000 }, async () => {
  const hub = await openSourcesHub({ one: { command: faulty('orphan'), trust: 'all' } });
  await hub.ready('one');
  const pid = Number(text(await hub.call('one__pid')));
  await hub.rest('POST', '/api/sources/one/switch', { enabled: false });
  await expect.poll(() => isAlive(pid), { timeout: 5_000 }).toBe(false);
  expect(await hub.names()).not.toContain('one__ok');
});
