import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freshFolder, startHub } from './process.ts';
import { atMost, type Row } from './row.ts';

export const title = 'Tool lists: what a model pays for being shown them';

/** A rule of thumb. Clients show their model the name, the description and the input; the rest only travels. */
const CHARACTERS_PER_TOKEN = 4;
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

const LISTS = [
  { what: 'holdfast, lean', path: '/mcp?profile=lean', hold: atMost(0.5) },
  { what: 'holdfast, default', path: '/mcp' },
  { what: 'holdfast, full', path: '/mcp?profile=full' },
  { what: 'clawboo-tasks', path: '/api/mcp/tasks' },
  { what: 'clawboo-memory', path: '/api/mcp/memory' },
  { what: 'clawboo-teamchat', path: '/api/mcp/teamchat' },
  { what: 'clawboo-tools', path: '/api/mcp/tools' },
  { what: 'clawbrain', path: '/api/mcp/brain' },
];

export async function measure(): Promise<readonly Row[]> {
  const home = freshFolder();
  const hub = await startHub({ HOLDFAST_HOME: home });
  const token = readFileSync(join(home, 'token'), 'utf8').trim();
  const sizes = [];
  for (const { what, path, hold } of LISTS)
    sizes.push({ what, hold, ...(await sizeOf(`${hub.address}${path}`, token)) });
  await hub.stop();
  const whole = sizes.find(({ what }) => what === 'holdfast, default')!.tokens;
  return sizes.map(({ what, count, tokens, bytes, hold }) => ({
    what: `${what}: ${count} tools, ${(bytes / 1024).toFixed(0)} KB on the wire`,
    ours: `${tokens} tokens`,
    baseline: `${whole} tokens`,
    ratio: tokens / whole,
    ...(hold && { hold }),
  }));
}

async function sizeOf(url: string, token: string): Promise<{ count: number; tokens: number; bytes: number }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/list',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: META } }),
  });
  const { result } = (await response.json()) as {
    result: { tools: { name: string; description: string; inputSchema: object }[] };
  };
  const shown = result.tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema,
  }));
  return {
    count: result.tools.length,
    tokens: Math.round(JSON.stringify(shown).length / CHARACTERS_PER_TOKEN),
    bytes: JSON.stringify(result.tools).length,
  };
}
