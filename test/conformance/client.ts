import { connectUpstream } from '../../src/mcp/upstream/connect.ts';
import type { UpstreamOptions } from '../../src/mcp/upstream/connect.ts';
import { createMemoryVault } from './vault.ts';
import type { Upstream } from '../../src/mcp/upstream/upstream.ts';

/** What the official suite runs as a client: our upstream connector, told by the environment which scenario it is in. */
const url = process.argv.at(-1)!;
const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as {
  client_id?: string;
  client_secret?: string;
  private_key_pem?: string;
  signing_algorithm?: string;
  toolCalls?: { name: string; arguments: Record<string, unknown> }[];
};
const isModern = (process.env['MCP_CONFORMANCE_PROTOCOL_VERSION'] ?? '') >= '2026-07-28';

/** Visits the page as a browser would and stops at the redirect back to us. */
async function authorize(page: URL): Promise<URLSearchParams> {
  const response = await fetch(page, { redirect: 'manual' });
  const back = response.headers.get('location');
  if (!back) throw new Error(`the authorization page did not send us back (${response.status})`);
  return new URL(back, page).searchParams;
}

const login = {
  vault: createMemoryVault(),
  redirectUrl: 'http://localhost:3000/callback',
  authorize,
  metadataUrl: 'https://conformance-test.local/client-metadata.json',
  ...(context.client_id !== undefined && {
    client: {
      id: context.client_id,
      ...(context.client_secret !== undefined && { secret: context.client_secret }),
    },
  }),
};

const machine =
  context.private_key_pem === undefined
    ? { id: context.client_id ?? '', secret: context.client_secret ?? '' }
    : {
        id: context.client_id ?? '',
        privateKey: context.private_key_pem,
        algorithm: context.signing_algorithm ?? 'ES256',
      };

const options: UpstreamOptions = {
  version: isModern ? 'auto' : 'legacy',
  // Forty of us run at once; on a busy machine each is slow, and none is wrong.
  connectMs: 150_000,
  callMs: 150_000,
  ...(scenario.startsWith('auth/') && {
    login: scenario.startsWith('auth/client-credentials') ? machine : login,
  }),
  answer: async ({ method }) => {
    if (method === 'elicitation/create') return { action: 'accept', content: {} };
    if (method === 'roots/list') return { roots: [] };
    return { role: 'assistant', model: 'none', content: { type: 'text', text: 'ok' } };
  },
};

/** Arguments that fit a schema: whatever the scenario offers gets called with something plausible. */
function argumentsFor(schema: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, { type?: string }>);
  return Object.fromEntries(properties.map(([name, { type }]) => [name, valueOf(type)]));
}

function valueOf(type: string | undefined): unknown {
  if (type === 'number' || type === 'integer') return 5;
  if (type === 'boolean') return true;
  if (type === 'object') return {};
  return type === 'array' ? [] : 'test';
}

async function visit(upstream: Upstream): Promise<void> {
  const tools = await upstream.listTools();
  if (scenario === 'json-schema-2020-12-preservation') {
    const schema = tools.find((tool) => tool.name === 'json_schema_2020_12_tool')?.inputSchema;
    return void (await upstream.callTool('json_schema_echo', { schema }));
  }
  const calls =
    context.toolCalls ??
    tools.map((tool) => ({ name: tool.name, arguments: argumentsFor(tool.inputSchema) }));
  for (const call of calls) await upstream.callTool(call.name, call.arguments);
  if (scenario === 'http-standard-headers') {
    for (const resource of await upstream.listResources()) await upstream.readResource(resource.uri);
    for (const prompt of await upstream.listPrompts()) await upstream.getPrompt(prompt.name, {});
  }
}

const upstream = await connectUpstream({ kind: 'http', url }, options);
await visit(upstream);
await upstream.close();
