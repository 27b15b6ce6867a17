import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { createHttpApp } from '../src/http/app.ts';
import { createLog } from '../src/kernel/log.ts';
import { localPrincipal } from '../src/kernel/principal.ts';
import { defineTool } from '../src/mcp/define.ts';
import { createEngine } from '../src/mcp/engine/engine.ts';
import { createHttpHost } from '../src/mcp/hosts/http/http.ts';
import { prepareServer } from '../src/mcp/registry.ts';
import { createSessions } from '../src/mcp/sessions/sessions.ts';

/** One echo tool behind the product's own web app, guards and engine: what a call costs before any room does work. */
const echo = defineTool({
  name: 'echo',
  title: 'Echo',
  description: 'Echo a message back.',
  input: z.object({ message: z.string().max(1_000) }),
  output: z.object({ message: z.string() }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  scope: 'echo',
  effect: 'read',
  handler: async ({ message }) => ({ ok: true, value: { message } }),
});

const key = randomBytes(32);
const log = createLog('error');
const server = prepareServer({ key: 'echo', name: 'echo', version: '0.0.0', tools: [echo] });
const host = createHttpHost({ engine: createEngine({ key, log }), sessions: createSessions({ key }) });
const app = createHttpApp({
  routes: [],
  mounts: [{ path: '/api/mcp/echo', handle: host.mount({ server, sessions: 'documented' }) }],
  authenticate: () => localPrincipal(''),
  log,
});
const { address } = await app.listen({ host: '127.0.0.1', ports: [0] });
console.log(`${address}/api/mcp/echo`);
process.on('SIGTERM', () => process.exit(0));
