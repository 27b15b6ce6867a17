// What happens to a real runner on a bad day: a disk that takes no more, a wrong clock, a network that cannot be relied on, a token
// that is taken away.
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { newCertificate } from '../fixtures/certificate.ts';
import { freshFolder } from '../fixtures/databases.ts';
import { AGENT, isAlive, PATIENCE } from '../fixtures/dispatch-hub.ts';
import { marked } from '../fixtures/marked-processes.ts';
import { mayMount, poolWorld } from '../fixtures/pool-world.ts';
import { runHoldfast } from '../fixtures/hub-process.ts';
import { git, newRepositoryWithCommit } from '../fixtures/repositories.ts';

const script = { family: 'command', command: [process.execPath, AGENT, '{prompt}'] };

/** A real disk where this user may mount one; that no file may grow beyond 128 KB, where its signal is not the end, everywhere. */
const DISKS = [
  { is: 'lets no file grow', setup: { shell: `trap '' XFSZ; ulimit -f 256` }, says: /\(E\w+\)/ },
  ...(mayMount() ? [{ is: 'is full', setup: { disk: '2m' }, says: /\(ENOSPC\)/ }] : []),
];

it.each(DISKS)(
  'a disk that $is ends the run with the reason, and the next run is taken',
  async ({ setup, says }) => {
    const pool = await poolWorld({});
    await pool.runner('desktop', { agents: { script }, ...setup });
    const long = Array.from({ length: 50 }, () => 'long 60000').join('\n');
    const id = await pool.send(`fork stubborn\n${long}\nforever`);
    const full = await pool.wait(id);
    expect(full.task).toMatchObject({ status: 'failed', error: { class: 'limit' } });
    expect(full.task.error.text).toMatch(/could not keep what it said/);
    expect(full.task.error.text).toMatch(says);
    expect(marked(id)).toEqual([]);
    expect((await pool.wait(await pool.send('say small'))).result).toBe('small');
  },
);

it('a place that cannot be made ends the run at once, and it is not given again', async () => {
  const pool = await poolWorld({});
  const runner = await pool.runner('desktop', { agents: { script } });
  const work = join(runner.home, 'runner', 'desktop', 'work');
  rmSync(work, { recursive: true, force: true });
  writeFileSync(work, 'in the way');
  expect((await pool.wait(await pool.send('say never'))).task).toMatchObject({
    status: 'failed',
    attempt: 1,
    error: { text: expect.stringContaining('ENOTDIR') },
  });
  rmSync(work);
  mkdirSync(work);
  expect((await pool.wait(await pool.send('say again'))).result).toBe('again');
});

it('a clock that is an hour off changes nothing: leases and times are of the hub', async () => {
  const pool = await poolWorld({});
  const ahead = join(freshFolder(), 'ahead.mjs');
  writeFileSync(
    ahead,
    `globalThis.Date = class extends Date {
      constructor(...given) { super(...(given.length === 0 ? [Date.now()] : given)); }
      static now() { return super.now() + 3_600_000; }
    };\n`,
  );
  await pool.runner('desktop', { agents: { script }, env: { NODE_OPTIONS: `--import=${ahead}` } });
  const id = await pool.send('say early\nsleep 500\nsay late');
  expect((await pool.wait(id)).task).toMatchObject({ status: 'done', attempt: 1 });
  const { task } = await pool.ask('GET', `/v1/biam/tasks/${id}`);
  const said = (await pool.frames(id)).map(({ ts }) => Date.parse(ts));
  for (const at of [...said, Date.parse(task.attempts[0].ended_at)])
    expect(Math.abs(at - Date.now())).toBeLessThan(60_000);
  expect(said).toHaveLength(2);
});

it('a hub that is away when the work is done, and when its runner is stopped, hears of both afterwards', async () => {
  const pool = await poolWorld({});
  const repository = newRepositoryWithCommit(join(freshFolder(), 'repo'));
  const runner = await pool.runner('desktop', { agents: { script }, args: ['--label', 'far'] });
  const send = (prompt: string) => pool.send(prompt, { cwd: repository, needs: ['far'] });
  const isOn = async (id: string) => {
    const { task } = await pool.wait(id);
    expect([task.status, task.attempt, task.error]).toEqual(['done', 1, undefined]);
    const { worktree } = (await pool.ask('GET', `/v1/biam/tasks/${id}`)).task;
    expect(git(repository, 'show', `${worktree.branch}:made.txt`)).toBe('here');
  };
  const isAway = join(freshFolder(), 'away');
  const work = `say up\nawait ${isAway}\nwrite made.txt here`;
  const goOn = () => writeFileSync(isAway, '');
  const first = await send(work);
  await expect.poll(() => pool.lines(first), PATIENCE).toContain('up');
  await pool.kill();
  goOn();
  await expect.poll(() => marked(first), PATIENCE).toEqual([]);
  await sleep(500);
  await pool.again();
  await isOn(first);

  rmSync(isAway);
  const second = await send(work);
  await expect.poll(() => pool.lines(second), PATIENCE).toContain('up');
  await pool.kill();
  goOn();
  // It is done, and on its way: what its agent did not commit was committed for it.
  const folder = join(runner.home, 'runner', 'desktop', 'work', second, 'work');
  const log = () => git(folder, 'log', '-n', '1', '--format=%s', 'HEAD');
  await expect.poll(log, PATIENCE).toContain('that was not committed');
  runner.kill('SIGTERM');
  await runner.gone;
  expect(runner.exitCode).toBe(0);
  await pool.again();
  runner.again();
  await isOn(second);
});

it('what a runner says in letters of many bytes goes over in pieces that its hub takes', async () => {
  const pool = await poolWorld({});
  const print = `const line = '漢'.repeat(20_000); for (let i = 0; i < 90; i += 1) console.log(i + line)`;
  const loud = { family: 'command', command: [process.execPath, '-e', print, '{prompt}'] };
  await pool.runner('desktop', { agents: { loud } });
  const { task } = await pool.wait(await pool.send('all of it', { instance: 'loud' }));
  expect(task).toMatchObject({ status: 'done', attempt: 1 });
  expect(task.message_count).toBeGreaterThanOrEqual(90);
});

it('whoever answers in place of the hub is not believed', async () => {
  const pool = await poolWorld({});
  let isCaptive = false;
  const portal = createServer((asked, answer) => {
    if (isCaptive) return void answer.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>');
    const on = request(
      `${pool.address()}${asked.url}`,
      { method: asked.method, headers: { ...asked.headers, host: new URL(pool.address()).host } },
      (back) => {
        answer.writeHead(back.statusCode!, back.headers);
        back.pipe(answer);
      },
    );
    on.on('error', () => answer.destroy());
    asked.pipe(on);
    return undefined;
  });
  await new Promise<void>((resolve) => portal.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void (portal.closeAllConnections(), portal.close()));
  const hub = `http://127.0.0.1:${(portal.address() as AddressInfo).port}`;
  await pool.runner('desktop', { agents: { script }, hub });
  const id = await pool.send('say up\nsleep 1500\nsay through');
  await expect.poll(() => pool.lines(id), PATIENCE).toContain('up');
  isCaptive = true;
  portal.closeAllConnections();
  await sleep(1_000);
  isCaptive = false;
  expect((await pool.wait(id)).task).toMatchObject({ status: 'done', attempt: 1 });
  expect(await pool.lines(id)).toEqual(['up', 'through']);
});

it('a hub behind a certificate of its own house is reached by the runner and by its git alike', async () => {
  const pool = await poolWorld({});
  const repository = newRepositoryWithCommit(join(freshFolder(), 'repo'));
  const front = await tlsFront(pool.address);
  const env = { NODE_EXTRA_CA_CERTS: front.caFile };
  await pool.runner('desktop', { agents: { script }, args: ['--label', 'far'], hub: front.url, env });
  const id = await pool.send('write made.txt here', { cwd: repository, needs: ['far'] });
  expect((await pool.wait(id)).task).toMatchObject({ status: 'done', attempt: 1 });
  const { worktree } = (await pool.ask('GET', `/v1/biam/tasks/${id}`)).task;
  expect(git(repository, 'show', `${worktree.branch}:made.txt`)).toBe('here');
});

it('a hub that only a proxy knows is reached through it by the runner and by its git alike', async () => {
  const pool = await poolWorld({});
  const repository = newRepositoryWithCommit(join(freshFolder(), 'repo'));
  const front = await tlsFront(pool.address, 'hub.test');
  const proxy = await tunnels('ada:s%40cret');
  await pool.runner('desktop', {
    agents: { script },
    args: ['--label', 'far'],
    hub: front.url,
    env: { NODE_EXTRA_CA_CERTS: front.caFile, HTTPS_PROXY: proxy.url, NO_PROXY: 'other.test' },
  });
  const id = await pool.send('write made.txt here', { cwd: repository, needs: ['far'] });
  const { task } = await pool.wait(id);
  expect([task.status, task.error]).toEqual(['done', undefined]);
  const { worktree } = (await pool.ask('GET', `/v1/biam/tasks/${id}`)).task;
  expect(git(repository, 'show', `${worktree.branch}:made.txt`)).toBe('here');
  expect([...proxy.asked].toSorted()).toEqual(
    ['git', 'runner'].map((who) => `${who} ${new URL(front.url).host}`),
  );
});

it('a token that is revoked ends what runs under it', async () => {
  const pool = await poolWorld({});
  const runner = await pool.runner('desktop', { agents: { script } });
  const id = await pool.send('fork stubborn\nsay up\nforever');
  await expect.poll(() => pool.lines(id), PATIENCE).toContain('up');
  const child = Number(/child (\d+)/.exec((await pool.lines(id)).join('\n'))?.[1]);
  runHoldfast(pool.env, ['token', 'revoke', runner.tokenId]);
  await expect.poll(() => isAlive(child), PATIENCE).toBe(false);
  await runner.gone;
  expect(runner.exitCode).not.toBe(0);
});

it('a network that loses, doubles, delays and reorders: every word once, in one attempt', async () => {
  const pool = await poolWorld({});
  const network = await badNetwork(pool.address);
  await pool.runner('desktop', { agents: { script }, hub: network.url });
  const said = Array.from({ length: 40 }, (_, i) => `line ${i}`);
  const id = await pool.send(said.map((line) => `say ${line}\nsleep 50`).join('\n'));
  expect((await pool.wait(id)).task).toMatchObject({ status: 'done', attempt: 1 });
  expect(await pool.lines(id)).toEqual(said);
  expect(Math.min(...Object.values(network.did))).toBeGreaterThan(0);
});

/** What stands in front of a hub in a team: it speaks TLS, with a certificate that nobody else knows. */
async function tlsFront(hub: () => string, name = 'localhost') {
  const { key, caFile } = newCertificate(freshFolder(), name);
  const server = createTlsServer({ key: readFileSync(key), cert: readFileSync(caFile) }, (asked, answer) => {
    const { method, headers } = asked;
    const on = request(
      `${hub()}${asked.url}`,
      { method, headers: { ...headers, host: new URL(hub()).host } },
      (back) => {
        answer.writeHead(back.statusCode!, back.headers);
        back.pipe(answer);
      },
    );
    on.on('error', () => answer.destroy());
    asked.pipe(on);
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  onTestFinished(() => void (server.closeAllConnections(), server.close()));
  return { url: `https://${name}:${(server.address() as AddressInfo).port}`, caFile };
}

/** A proxy that leads to this machine, whatever is asked for, and who asked it for what. */
async function tunnels(whose: string) {
  const asked = new Set<string>();
  const allowed = `Basic ${Buffer.from(decodeURIComponent(whose)).toString('base64')}`;
  const server = createServer((_, answer) => void answer.writeHead(405).end());
  server.on('connect', ({ url, headers }, client: Socket) => {
    if (headers['proxy-authorization'] !== allowed)
      return void client.end(
        'HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm="x"\r\ncontent-length: 0\r\n\r\n',
      );
    asked.add(`${headers['user-agent']?.startsWith('git/') ? 'git' : 'runner'} ${url}`);
    const hub = connect(Number(url!.split(':')[1]), 'localhost', () => {
      client.write('HTTP/1.1 200 Here\r\n\r\n');
      client.pipe(hub).pipe(client);
    });
    for (const each of [client, hub])
      each.on('error', () => [client, hub].forEach((other) => other.destroy()));
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void (server.closeAllConnections(), server.close()));
  return { url: `http://${whose}@127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

/** Between a runner and its hub, and up to no good with every third request. */
async function badNetwork(hub: () => string) {
  const did = { lostThere: 0, lostBack: 0, doubled: 0, delayed: 0 };
  let seen = 0;
  async function pass(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of asked) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const turn = (seen += 1) % 12;
    if (turn === 3) return void (did.lostThere++, answer.destroy());
    if (turn === 9) did.delayed += await sleep(400, 1);
    const once = () => forward(asked, body, hub());
    if (turn === 6) did.doubled += (await once(), 1);
    const { status, type, text } = await once();
    if (turn === 0) return void (did.lostBack++, answer.destroy());
    answer.writeHead(status, type === undefined ? {} : { 'content-type': type }).end(text);
  }
  const server = createServer((asked, answer) => void pass(asked, answer).catch(() => answer.destroy()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void (server.closeAllConnections(), server.close()));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, did };
}

type Passed = Readonly<{ status: number; type: string | undefined; text: Buffer }>;

function forward({ method, url, headers }: IncomingMessage, body: Buffer, hub: string): Promise<Passed> {
  return new Promise((resolve, reject) => {
    const { host: _, connection: __, ...rest } = headers;
    const on = request(`${hub}${url}`, { method, headers: rest, agent: false }, async (back) => {
      const chunks: Buffer[] = [];
      for await (const chunk of back) chunks.push(chunk as Buffer);
      const [status, type] = [back.statusCode!, back.headers['content-type']];
      resolve({ status, type, text: Buffer.concat(chunks) });
    });
    on.on('error', reject).end(body);
  });
}
