import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { Accept } from './accept.ts';
import { createOutlet, type Outlet } from './outlet.ts';

/** The pulse is a timer of its own; only that one is set by hand here. */
beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

async function request(accept: Accept): Promise<{ outlet: Outlet; response: Promise<Response> }> {
  let opened: (outlet: Outlet) => void = () => undefined;
  const outlet = new Promise<Outlet>((resolve) => (opened = resolve));
  const server = createServer((_, res) => opened(createOutlet(res, accept, { 'x-echo': 'yes' })));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const response = fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return { outlet: await outlet, response };
}

test('long work opens its stream early and keeps it alive, so that nobody gives up on it', async () => {
  const { outlet, response } = await request('both');
  vi.advanceTimersByTime(31_000);
  const early = await response;
  expect(early.headers.get('content-type')).toBe('text/event-stream');
  expect(early.headers.get('x-echo')).toBe('yes');
  vi.advanceTimersByTime(15_000);
  outlet.answer(200, '{"done":true}');
  expect(await early.text()).toBe(': still here\n\n: still here\n\nevent: message\ndata: {"done":true}\n\n');
});

test('work that is done in time is answered in JSON', async () => {
  const { outlet, response } = await request('both');
  vi.advanceTimersByTime(16_000);
  outlet.answer(200, '{"done":true}');
  expect((await response).headers.get('content-type')).toBe('application/json');
});

test('a client that reads no streams is never sent one', async () => {
  const { outlet, response } = await request('json');
  vi.advanceTimersByTime(61_000);
  outlet.send('{"dropped":true}');
  outlet.answer(200, '{"done":true}');
  const answer = await response;
  expect(answer.headers.get('content-type')).toBe('application/json');
  expect(await answer.text()).toBe('{"done":true}');
});

test('what comes after the answer is not sent', async () => {
  const { outlet, response } = await request('both');
  outlet.send('{"first":1}');
  outlet.answer(200, '{"done":true}');
  outlet.send('{"late":1}');
  outlet.answer(200, '{"twice":true}');
  vi.advanceTimersByTime(31_000);
  expect(await (await response).text()).toBe(
    'event: message\ndata: {"first":1}\n\nevent: message\ndata: {"done":true}\n\n',
  );
});
