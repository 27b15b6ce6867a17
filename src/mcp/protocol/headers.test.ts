import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildMcpRequest } from '../request.ts';
import { checkModernHeaders, decodeHeaderValue, encodeHeaderValue } from './headers.ts';

test('any text survives a header, and what is encoded is visible ASCII', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (text) => {
      const header = encodeHeaderValue(text);
      expect(header).toMatch(/^[\x20-\x7e]+$/);
      expect(decodeHeaderValue(header)).toBe(text);
    }),
  );
});

test.each(['=?base64?***?=', '=?base64?YQ?=', '=?base64?/w==?='])('%s is not a value', (header) => {
  expect(decodeHeaderValue(header)).toBeUndefined();
});

const CALL = { name: 'écho' };

test.each([
  ['no version', { method: 'tools/call', name: 'x' }, 'MCP-Protocol-Version is missing'],
  [
    'another version',
    { version: '2025-11-25', method: 'tools/call' },
    'MCP-Protocol-Version says 2025-11-25',
  ],
  ['no method', { version: '2026-07-28' }, 'Mcp-Method is missing'],
  ['another method', { version: '2026-07-28', method: 'tools/list' }, 'Mcp-Method says tools/list'],
  ['no name', { version: '2026-07-28', method: 'tools/call' }, 'Mcp-Name is missing'],
  ['another name', { version: '2026-07-28', method: 'tools/call', name: 'delete' }, 'Mcp-Name says delete'],
  [
    'a broken name',
    { version: '2026-07-28', method: 'tools/call', name: '=?base64?x?=' },
    'Mcp-Name is not valid base64',
  ],
])('a modern request with %s is a mismatch', (_, headers, text) => {
  expect(() => checkModernHeaders(headers, '2026-07-28', { method: 'tools/call', params: CALL })).toThrow(
    text,
  );
});

test('a modern request whose headers say what its body says passes', () => {
  const headers = { version: '2026-07-28', method: 'tools/call', name: encodeHeaderValue('écho') };
  expect(() =>
    checkModernHeaders(headers, '2026-07-28', { method: 'tools/call', params: CALL }),
  ).not.toThrow();
  expect(() =>
    checkModernHeaders({ version: '2026-07-28', method: 'tools/list' }, '2026-07-28', {
      method: 'tools/list',
      params: {},
    }),
  ).not.toThrow();
});

test.each([
  ['tools/call', { name: 'echo' }, 'echo'],
  ['prompts/get', { name: 'stand-up' }, 'stand-up'],
  ['tools/call', { name: '' }, null],
  ['tools/list', {}, null],
  ['resources/read', { uri: 'holdfast://guide' }, null],
  ['notifications/initialized', undefined, null],
])('buildMcpRequest: %s with %j has Mcp-Name %s', async (method, params, name) => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const request = buildMcpRequest('http://127.0.0.1:1/mcp', body);
  expect(request.method).toBe('POST');
  expect(request.headers.get('content-type')).toBe('application/json');
  expect(request.headers.get('Mcp-Method')).toBe(method);
  expect(request.headers.get('Mcp-Name')).toBe(name);
  expect(await request.text()).toBe(body);
});

test('buildMcpRequest: a 2026-07-28 request gets what that revision requires', () => {
  const params = {
    uri: 'holdfast://guide',
    _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' },
  };
  const { headers } = buildMcpRequest(
    'http://127.0.0.1:1/mcp',
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'resources/read', params }),
  );
  expect(headers.get('Mcp-Name')).toBe('holdfast://guide');
  expect(headers.get('MCP-Protocol-Version')).toBe('2026-07-28');
});

test('buildMcpRequest: a response has no method to mirror, and a batch is refused', () => {
  expect(
    buildMcpRequest('http://127.0.0.1:1/', '{"jsonrpc":"2.0","id":1,"result":{}}').headers.get('Mcp-Method'),
  ).toBeNull();
  expect(() => buildMcpRequest('http://127.0.0.1:1/', '[]')).toThrow('one JSON-RPC message');
});
