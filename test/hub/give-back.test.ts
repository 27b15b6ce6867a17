import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { freshHome, startHub, tokenIn } from '../fixtures/hub-process.ts';

const SESSIONS = 3_000;
const AT_ONCE = 16;
const MOST_MB = 40;
const OPENING = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'left', version: '0' } },
});

it('a hub gives back what sessions cost that were opened and left', { timeout: 120_000 }, async () => {
  const env = freshHome();
  const { address, pid } = await startHub(env);
  const resident = () =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    authorization: `Bearer ${tokenIn(env)}`,
  };
  const open = async (count: number) => {
    let left = count;
    const lane = async () => {
      while ((left -= 1) >= 0) {
        const answer = await fetch(`${address}/mcp`, { method: 'POST', headers, body: OPENING });
        expect(await answer.text()).toContain('serverInfo');
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
  };
  await open(50);
  // The first time it is at rest it gives back what starting took: that is the level.
  await sleep(6_000);
  const before = resident();
  await open(SESSIONS);
  process.stdout.write(`${Math.round(resident() - before)} MB above right afterwards\n`);
  await expect.poll(() => resident() - before, { timeout: 60_000, interval: 500 }).toBeLessThan(MOST_MB);
  process.stdout.write(`${Math.round(resident() - before)} MB above at rest\n`);
});
