import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { openTestHub } from '../fixtures/hub.ts';

const MEGABYTE = 1024 * 1024;

/** What is still reachable after a full collection. */
function heapInUse(): number {
  setFlagsFromString('--expose_gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

it(
  '10,000 abandoned initialize calls leave memory where it was and lock nobody out',
  { timeout: 120_000 },
  async () => {
    const hub = await openTestHub();
    const knock = async (times: number) => {
      for (let i = 0; i < times; i += 50) {
        await Promise.all(
          Array.from({ length: 50 }, (_, j) =>
            hub.rpc('/api/mcp/tasks', 'initialize', { clientInfo: { name: `c${i + j}`, version: '0' } }),
          ),
        );
      }
    };
    await knock(1_000);
    const before = heapInUse();
    await knock(10_000);
    expect((heapInUse() - before) / MEGABYTE).toBeLessThan(4);
    const session = (await hub.rpc('/api/mcp/tasks', 'initialize')).headers.get('mcp-session-id')!;
    expect((await hub.rpc('/api/mcp/tasks', 'tools/list', {}, { session })).status).toBe(200);
    const { eventHead } = (await (await hub.fetch('/api/health')).json()) as { eventHead: number };
    expect(eventHead).toBeLessThan(500);
  },
);
