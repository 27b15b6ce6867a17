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
