import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ENVELOPE } from '../../../test/fixtures/mcp-peers.ts';
import { KEY, sampleServer } from '../../../test/fixtures/mcp-server.ts';
import { localPrincipal } from '../../kernel/principal.ts';
import { createEngine } from '../engine/engine.ts';
import { prepareServer } from '../registry.ts';
import { createConversation } from './conversation.ts';

const METHODS = [
  'initialize',
  'ping',
  'tools/list',
  'tools/call',
  'server/discover',
  'logging/setLevel',
  'resources/read',
  'prompts/get',
  'completion/complete',
  'notifications/cancelled',
  'toString',
];

/** Messages that are nearly right, so that the checks behind the first one are reached too. */
const params = fc.oneof(
  fc.jsonValue(),
  fc.record(
    {
      name: fc.oneof(fc.constantFrom('echo', 'words', 'whoami', '__proto__'), fc.jsonValue()),
      arguments: fc.oneof(fc.record({ text: fc.string() }), fc.jsonValue()),
      protocolVersion: fc.oneof(fc.constant('2025-11-25'), fc.jsonValue()),
      capabilities: fc.oneof(fc.constant({}), fc.jsonValue()),
      cursor: fc.jsonValue(),
      level: fc.jsonValue(),
      inputResponses: fc.jsonValue(),
      requestState: fc.jsonValue(),
      _meta: fc.oneof(
        fc.constant(ENVELOPE),
        fc.jsonValue(),
        fc.record({
          'io.modelcontextprotocol/protocolVersion': fc.jsonValue(),
          progressToken: fc.jsonValue(),
        }),
      ),
    },
    { requiredKeys: [] },
  ),
);
const message = fc.oneof(
  fc.jsonValue(),
  fc.array(fc.jsonValue(), { maxLength: 3 }),
  fc.record(
    {
      jsonrpc: fc.constant('2.0'),
      id: fc.oneof(fc.integer(), fc.string(), fc.jsonValue()),
      method: fc.oneof(fc.constantFrom(...METHODS), fc.string()),
      params,
    },
    { requiredKeys: ['jsonrpc'] },
  ),
);

test('whatever arrives is answered in proper JSON-RPC or not at all, and the next request works', async () => {
  const engine = createEngine({ key: KEY });
  const conversation = createConversation({
    engine,
    server: prepareServer(sampleServer),
    who: localPrincipal('stdio:1'),
    profile: 'default',
    write: () => undefined,
  });
  await fc.assert(
    fc.asyncProperty(message, async (value) => {
      const text = await conversation.take(value);
      if (text === undefined) return;
      for (const answer of [JSON.parse(text) as Record<string, unknown>].flat()) {
        expect(answer['jsonrpc']).toBe('2.0');
        expect('result' in answer).not.toBe('error' in answer);
        expect(JSON.stringify(answer)).not.toContain('Internal error');
      }
    }),
    { numRuns: 2_000 },
  );
  expect(JSON.parse((await conversation.take({ jsonrpc: '2.0', id: 'last', method: 'ping' }))!)).toEqual({
    jsonrpc: '2.0',
    id: 'last',
    result: {},
  });
});
