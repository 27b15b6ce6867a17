import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type HttpFixture, serveHttp } from '../../../test/fixtures/mcp-http.ts';
import { cancellations, sampleServer } from '../../../test/fixtures/mcp-server.ts';
import { createChangeBoard } from '../changes.ts';
import { connectUpstream, type UpstreamTarget } from './connect.ts';

const board = createChangeBoard();
let fixture: HttpFixture;
beforeAll(async () => {
  fixture = await serveHttp(sampleServer, { engine: { changes: board } });
});
afterAll(() => fixture.close());

const stdio: UpstreamTarget = {
  kind: 'stdio',
  command: process.execPath,
  args: [join(import.meta.dirname, '../../../test/fixtures/mcp-stdio-process.ts'), '/nowhere'],
};
const http = (): UpstreamTarget => ({ kind: 'http', url: fixture.url });

test.each([
  ['HTTP', 'auto', 'modern'],
  ['HTTP', 'legacy', 'legacy'],
  ['HTTP', '2026-07-28', 'modern'],
  ['stdio', 'auto', 'modern'],
  ['stdio', 'legacy', 'legacy'],
] as const)('%s with version %s speaks the %s era', async (way, version, era) => {
  const upstream = await connectUpstream(way === 'HTTP' ? http() : stdio, { version });
  expect(upstream).toMatchObject({
    era,
    name: 'holdfast-sample',
    version: '0.1.0',
    instructions: 'A server for tests.',
  });
  const echo = (await upstream.listTools()).find((tool) => tool.name === 'echo');
  expect(echo?.inputSchema).toMatchObject({ required: ['text'] });
  expect(await upstream.callTool('echo', { text: 'hi' })).toMatchObject({
    isError: false,
    structuredContent: { text: 'hi' },
  });
  expect(await upstream.callTool('refuse', { how: 'line' })).toMatchObject({
    isError: true,
    content: [{ text: 'claim failed: conflict' }, {}],
  });
  await upstream.close();
});

test.each(['auto', 'legacy'])('questions of the upstream reach whoever can answer (%s)', async (version) => {
  const upstream = await connectUpstream(http(), { version, answer: async () => ({ action: 'decline' }) });
  expect((await upstream.callTool('confirm', {})).structuredContent).toEqual({ answer: 'decline' });
  await upstream.close();
});

test('progress is passed on, and a call that takes too long is given up and cancelled', async () => {
  const upstream = await connectUpstream(http());
  const steps: number[] = [];
  await upstream.callTool('slow', { ms: 60, steps: 3 }, { onProgress: (done) => steps.push(done) });
  expect(steps).toEqual([1, 2, 3]);
  const before = cancellations.count;
  await expect(upstream.callTool('slow', { ms: 60_000 }, { timeoutMs: 1_500 })).rejects.toMatchObject({
    code: 'unavailable',
  });
  await expect.poll(() => cancellations.count).toBe(before + 1);
  await upstream.close();
});

test('a caller that stops waiting cancels the call', async () => {
  const upstream = await connectUpstream(http());
  const { begun, count } = cancellations;
  const waiting = new AbortController();
  const stopWaiting = async () => {
    await expect.poll(() => cancellations.begun).toBe(begun + 1);
    waiting.abort();
  };
  const call = upstream.callTool('slow', { ms: 60_000 }, { signal: waiting.signal });
  await Promise.all([expect(call).rejects.toMatchObject({ code: 'unavailable' }), stopWaiting()]);
  await expect.poll(() => cancellations.count).toBe(count + 1);
  await upstream.close();
});

test('a changed list is heard of in both eras', async () => {
  for (const version of ['auto', 'legacy']) {
    const heard: string[] = [];
    const upstream = await connectUpstream(http(), { version, onListChanged: (list) => heard.push(list) });
    // Its stream may open a moment after it is connected; what was said before, it cannot hear. It waits for a burst to end.
    const publish = () => board.publish({ server: 'sample', list: 'tools' });
    await expect.poll(() => (publish(), [...new Set(heard)]), { interval: 1_000 }).toEqual(['tools']);
    await upstream.close();
  }
});

test('what cannot be reached is an error that says where', async () => {
  await expect(connectUpstream({ kind: 'http', url: 'http://127.0.0.1:1/mcp' })).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('http://127.0.0.1:1'),
  });
  await expect(connectUpstream({ kind: 'stdio', command: '/no/such/program' })).rejects.toMatchObject({
    code: 'unavailable',
  });
});
