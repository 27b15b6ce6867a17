import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { documentBombs, jsonBombs, regexBombs, yamlBombs } from '../fixtures/bombs.ts';
import { freshFolder } from '../fixtures/databases.ts';
import { modernCall } from '../fixtures/modern-call.ts';
import { freshHome, type HubProcess, startHub, tokenIn } from '../fixtures/hub-process.ts';

/** One real hub, asked every few milliseconds how it is while somebody gives it what he can. */
async function openHub() {
  const env = freshHome({ HOLDFAST_WORKSPACE: freshFolder() });
  writeFileSync(join(env['HOLDFAST_HOME']!, 'policy.yaml'), 'version: 1\nrules:\n  - { decide: allow }\n');
  const hub = await startHub(env);
  const token = tokenIn(env);
  const post = async (path: string, body: string, extra: Record<string, string> = {}) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}`, ...extra };
    const response = await fetch(`${hub.address}${path}`, { method: 'POST', headers, body });
    return { status: response.status, text: await response.text() };
  };
  const call = async (name: string, args: object) => {
    const response = await modernCall(`${hub.address}/mcp`, { name, args, token });
    return { status: response.status, text: await response.text() };
  };
  return { hub, workspace: env['HOLDFAST_WORKSPACE']!, post, call };
}

/**
 * Asks from a process of its own: the one that makes the bombs is busy itself. Beside each answer's time stands what
 * an idle server took at the same moment, and the time on a core that the hub's main thread spent meanwhile: a hub that
 * answers late without having worked had no core (its workers may have had it), and an idle server that answers late
 * tells of a machine that stood still.
 */
const WATCHER = `
  const { Agent, createServer, get } = require('node:http');
  const { fork } = require('node:child_process');
  const { readFileSync } = require('node:fs');
  const agent = new Agent({ keepAlive: true });
  const ask = (url) => new Promise((resolve) => {
    const began = performance.now();
    get(url, { agent }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode === 200 ? performance.now() - began : 1e9));
    }).on('error', () => resolve(1e9));
  });
  const ticksOf = (pid) => {
    const fields = readFileSync('/proc/' + pid + '/task/' + pid + '/stat', 'utf8').split(') ')[1].split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  };
  if (process.argv[2] === 'idle') {
    const idle = createServer((_, response) => response.end('{}'));
    idle.listen(0, '127.0.0.1', () => process.send(idle.address().port));
    process.on('disconnect', () => process.exit());
  } else {
    const idle = fork(process.argv[1], ['idle']);
    const looks = [];
    let over = false;
    idle.once('message', async (port) => {
      process.send('watching');
      while (!over) {
        const busy = ticksOf(process.argv[3]);
        const [hub, idle] = await Promise.all([ask(process.argv[2]), ask('http://127.0.0.1:' + port)]);
        looks.push({ hub, idle, worked: ticksOf(process.argv[3]) - busy });
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      process.send(looks, () => process.exit());
    });
    process.on('message', () => (over = true));
  }
`;

/** In milliseconds. */
type Look = Readonly<{ hub: number; idle: number; worked: number }>;

/** How the hub answered while `work` went on. */
async function healthDuring(
  { address, pid }: HubProcess,
  work: () => Promise<void>,
): Promise<readonly Look[]> {
  const program = join(freshFolder(), 'watcher.cjs');
  writeFileSync(program, WATCHER);
  const watcher = fork(program, [`${address}/api/health`, String(pid)], { execArgv: [] });
  await once(watcher, 'message');
  try {
    await work();
    watcher.send('enough');
    const [looks] = (await once(watcher, 'message')) as [Look[]];
    return looks;
  } finally {
    watcher.kill();
  }
}

/** Every single look: none is late by the hub's own doing. */
function expectAnswered(looks: readonly Look[]): void {
  expect(looks.length).toBeGreaterThan(10);
  const late = looks.filter(({ hub, idle, worked }) => hub - idle >= 100 && worked >= hub / 3);
  expect(late).toEqual([]);
  expect(Math.max(...looks.map(({ hub }) => hub))).toBeLessThan(2_000);
}

const memoryOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;

describe('while somebody gives it bombs, the hub answers others within 100 ms and gets its memory back', () => {
  it('row 6: documents', { timeout: 300_000 }, async () => {
    const { hub, workspace, call } = await openHub();
    writeFileSync(join(workspace, 'fine.html'), `<p>${'Readable words. '.repeat(50)}</p>`);
    expect((await call('Read', { path: 'fine.html' })).text).toContain('Readable words');
    const bombs = documentBombs();
    for (const { name, bytes } of bombs) writeFileSync(join(workspace, name), bytes);
    const before = memoryOf(hub.pid);
    let most = 0;
    const looks = await healthDuring(hub, async () => {
      for (const { name } of bombs) {
        const { status, text } = await call('Read', { path: name });
        expect(status, name).toBe(200);
        expect(text, name).not.toContain('internal error');
        most = Math.max(most, memoryOf(hub.pid));
      }
    });
    expectAnswered(looks);
    expect(most - before).toBeLessThan(400);
    expect((await call('Read', { path: 'fine.html' })).text).toContain('Readable words');
    await expect.poll(() => memoryOf(hub.pid) - before, { timeout: 30_000 }).toBeLessThan(200);
  });

  it('row 7: YAML', { timeout: 120_000 }, async () => {
    const { hub, post } = await openHub();
    const looks = await healthDuring(hub, async () => {
      for (const text of yamlBombs()) {
        const { status } = await post('/api/tools/policy/check', JSON.stringify({ text }));
        expect([200, 400, 413]).toContain(status);
        await post('/api/tools/policy/dry-run', JSON.stringify({ text }));
      }
    });
    expectAnswered(looks);
  });

  it('JSON, text for careless patterns, and Unicode', { timeout: 120_000 }, async () => {
    const { hub, post } = await openHub();
    const looks = await healthDuring(hub, async () => {
      for (const body of jsonBombs()) {
        for (const path of [
          '/api/board/tasks',
          '/api/mcp/tasks',
          '/api/memory/import',
          '/v1/peers/register',
        ]) {
          const { status } = await post(path, body);
          expect(status, path).toBeGreaterThanOrEqual(400);
          expect(status, path).toBeLessThan(500);
        }
      }
      for (const text of regexBombs()) {
        const { status } = await post('/api/board/tasks', JSON.stringify({ title: 'x', description: text }));
        expect(status).toBeLessThan(500);
        const said = await post('/api/chat/rooms/team:x/posts', JSON.stringify({ text }));
        expect(said.status).toBeLessThan(500);
        const title = text.slice(0, 80);
        const saved = await post('/api/memory', JSON.stringify({ title, content: `found ${text}` }));
        expect(saved.status).toBeLessThan(500);
        const found = await post('/api/memory/search', JSON.stringify({ query: 'found', limit: 50 }));
        expect(found.status).toBe(200);
      }
    });
    expectAnswered(looks);
  });
});
