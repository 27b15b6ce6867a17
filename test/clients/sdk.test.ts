import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEngine } from '../../src/mcp/engine/engine.ts';
import { serveSocket } from '../../src/mcp/hosts/socket.ts';
import { createRegistry } from '../../src/mcp/registry.ts';
import { serveHttp } from '../fixtures/mcp-http.ts';
import { SDK_FLAVOURS, connectSdk } from '../fixtures/mcp-sdk-clients.ts';
import type { SdkClient, Target } from '../fixtures/mcp-sdk-clients.ts';
import { KEY, sampleServer } from '../fixtures/mcp-server.ts';

/** The official clients against every way in. They check each message against the schema of the revision they speak. */
const folder = mkdtempSync(join(tmpdir(), 'hf-sdk-'));
const socket = join(folder, 'hub.sock');
const closers: (() => Promise<void>)[] = [];
const stdio = (path: string): Target => ({
  command: process.execPath,
  args: [join(import.meta.dirname, '../fixtures/mcp-stdio-process.ts'), path],
});
const targets: Record<string, Target> = {
  'stdio alone': stdio(join(folder, 'nobody')),
  'stdio beside a hub': stdio(socket),
  'HTTP /mcp': { url: '' },
  'HTTP documented': { url: '' },
};

beforeAll(async () => {
  const http = await serveHttp(sampleServer);
  const hub = await serveSocket({
    engine: createEngine({ key: KEY }),
    registry: createRegistry([sampleServer]),
    path: socket,
    version: '0.1.0',
  });
  closers.push(http.close, () => hub.close());
  targets['HTTP /mcp'] = { url: http.url };
  targets['HTTP documented'] = { url: http.documented };
});
afterAll(async () => {
  for (const close of closers) await close();
  rmSync(folder, { recursive: true, force: true });
});

describe.each(SDK_FLAVOURS)('%s', (flavour) => {
  test.each(Object.keys(targets))('over %s lists, calls and reads refusals', async (where) => {
    const client: SdkClient = await connectSdk(flavour, targets[where]!);
    expect(client.server()).toMatchObject({ name: 'holdfast-sample', instructions: 'A server for tests.' });
    expect(await client.tools()).toEqual(['confirm', 'echo', 'guarded', 'refuse', 'slow', 'whoami', 'words']);
    expect((await client.call('echo', { text: 'hi' })).structuredContent).toEqual({ text: 'hi' });
    expect((await client.call('words')).content).toEqual([{ type: 'text', text: 'just words' }]);
    const refused = await client.call('refuse', { how: 'line' });
    expect(refused).toMatchObject({
      isError: true,
      structuredContent: { error: 'claim failed: conflict', holder: 'ada' },
    });
    expect(refused.content?.[0]?.text).toBe('claim failed: conflict');
    expect((await client.call('echo', { text: 'hi', times: 99 })).isError).toBe(true);
    await expect(client.call('nope')).rejects.toThrow('Unknown tool');
    await client.close();
  });
});
