import { expect, it } from 'vitest';
import { createOpenRequests } from './shim-requests.ts';

it.each(['{}', '["a"]', 'true', '1.5', '1e999', 'null'])(
  'waits for no answer to a request whose id is %s: it is refused without one',
  (id) => {
    const requests = createOpenRequests();
    requests.sent(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
    expect([requests.size, requests.isIdle()]).toEqual([0, true]);
    const refusal = '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request"}}';
    expect(requests.heard(refusal)).toEqual([refusal]);
  },
);

it.each(['1', '"1"', '-7'])('waits for the answer to a request whose id is %s', (id) => {
  const requests = createOpenRequests();
  requests.sent(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
  expect(requests.isIdle()).toBe(false);
  requests.heard(`{"jsonrpc":"2.0","id":${id},"result":{}}`);
  expect(requests.isIdle()).toBe(true);
});

const call = (id: number, name: string) =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${name}"}}`;

function ledgerThatListed() {
  const requests = createOpenRequests();
  requests.sent('{"jsonrpc":"2.0","id":0,"method":"tools/list"}');
  const tools = [
    { name: 'list_tasks', annotations: { readOnlyHint: true } },
    { name: 'create_task', annotations: { readOnlyHint: false } },
    { name: 'bare' },
  ];
  requests.heard(JSON.stringify({ jsonrpc: '2.0', id: 0, result: { tools } }));
  return requests;
}

it('puts a call that only reads to the next backend when the first one is gone', () => {
  const requests = ledgerThatListed();
  requests.sent(call(1, 'list_tasks'));
  expect(requests.lose()).toEqual([]);
  expect(requests.introduction()).toEqual([call(1, 'list_tasks')]);
});

it.each(['create_task', 'bare', 'never_listed'])('refuses %s, which may have happened', (name) => {
  const requests = ledgerThatListed();
  requests.sent(call(1, name));
  expect(requests.lose()).toEqual([expect.stringContaining('may or may not have happened')]);
  expect(requests.introduction()).toEqual([]);
});

it('does not try for ever: a read that has ended two backends is refused', () => {
  const requests = ledgerThatListed();
  requests.sent(call(1, 'list_tasks'));
  requests.lose();
  requests.introduction();
  expect(requests.lose()).toEqual([expect.stringContaining('the hub stopped while this call was running')]);
});
