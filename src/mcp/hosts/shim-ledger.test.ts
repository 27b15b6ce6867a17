import { expect, it } from 'vitest';
import { createLedger } from './shim-ledger.ts';

it.each(['{}', '["a"]', 'true', '1.5', '1e999', 'null'])(
  'waits for no answer to a request whose id is %s: it is refused without one',
  (id) => {
    const ledger = createLedger();
    ledger.sent(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
    expect([ledger.size, ledger.isIdle()]).toEqual([0, true]);
    const refusal = '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request"}}';
    expect(ledger.heard(refusal)).toEqual([refusal]);
  },
);

it.each(['1', '"1"', '-7'])('waits for the answer to a request whose id is %s', (id) => {
  const ledger = createLedger();
  ledger.sent(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
  expect(ledger.isIdle()).toBe(false);
  ledger.heard(`{"jsonrpc":"2.0","id":${id},"result":{}}`);
  expect(ledger.isIdle()).toBe(true);
});

const call = (id: number, name: string) =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${name}"}}`;

function ledgerThatListed() {
  const ledger = createLedger();
  ledger.sent('{"jsonrpc":"2.0","id":0,"method":"tools/list"}');
  const tools = [
    { name: 'list_tasks', annotations: { readOnlyHint: true } },
    { name: 'create_task', annotations: { readOnlyHint: false } },
    { name: 'bare' },
  ];
  ledger.heard(JSON.stringify({ jsonrpc: '2.0', id: 0, result: { tools } }));
  return ledger;
}

it('puts a call that only reads to the next backend when the first one is gone', () => {
  const ledger = ledgerThatListed();
  ledger.sent(call(1, 'list_tasks'));
  expect(ledger.lose()).toEqual([]);
  expect(ledger.introduction()).toEqual([call(1, 'list_tasks')]);
});

it.each(['create_task', 'bare', 'never_listed'])('refuses %s, which may have happened', (name) => {
  const ledger = ledgerThatListed();
  ledger.sent(call(1, name));
  expect(ledger.lose()).toEqual([expect.stringContaining('may or may not have happened')]);
  expect(ledger.introduction()).toEqual([]);
});

it('does not try for ever: a read that has ended two backends is refused', () => {
  const ledger = ledgerThatListed();
  ledger.sent(call(1, 'list_tasks'));
  ledger.lose();
  ledger.introduction();
  expect(ledger.lose()).toEqual([expect.stringContaining('the hub stopped while this call was running')]);
});
