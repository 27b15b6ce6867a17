// Where MCP servers are served over HTTP.
import type { Beings } from './features/being/being.ts';
import { serveBeing } from './features/being/serve.ts';
import { HUB_KEY } from './features/hub/hub.ts';
import type { Mount } from './http/mounts.ts';
import type { Config } from './kernel/config.ts';
import { excerpt } from './kernel/redact.ts';
import type { HttpCall } from './mcp/hosts/http/call.ts';
import type { HttpHost } from './mcp/hosts/http/http.ts';
import { prepareServer, type Server } from './mcp/registry.ts';
import type { Rooms } from './rooms.ts';

export function mountsOf(rooms: Rooms, mcp: HttpHost, config: Config): Mount[] {
  const hasHub = config.gateway === undefined || config.gateway.mcpHttp;
  const servers = rooms.registry.all().filter(({ key }) => key !== HUB_KEY || hasHub);
  return [
    ...mountAll(mcp, servers, rooms.services.being!),
    // A gateway has no /mcp unless it was asked for.
    ...(hasHub ? [{ path: `${PASS_THROUGH}:name`, handle: passThrough(rooms, mcp) }] : []),
  ];
}

/** On /mcp the token decides who answers: a Being's opens that Being, every other the hub. */
function mountAll(mcp: HttpHost, servers: readonly Server[], beings: Beings): Mount[] {
  const being = serveBeing(beings, (server) =>
    mcp.mount({ server: prepareServer(server), sessions: 'none' }),
  );
  const mounts = servers.map((server): Mount => {
    const handle = mcp.mount({ server, sessions: sessionRules(server) });
    const choose = (call: HttpCall) => (call.who.kind === 'being' ? being(call) : handle(call));
    return { path: pathOf(server), handle: server.key === HUB_KEY ? choose : handle };
  });
  return mounts.some(({ path }) => path === '/mcp')
    ? [...mounts, { path: '/mcp/:beingId', handle: being }]
    : mounts;
}

const PASS_THROUGH = '/mcp/source/';

/** Sources come and go while the hub runs: which one it is, is read from the path of each request. */
function passThrough(rooms: Rooms, mcp: HttpHost): Mount['handle'] {
  return async (call) => {
    const path = new URL(call.req.url ?? '/', 'http://localhost').pathname;
    const name = decodeURIComponent(path.slice(PASS_THROUGH.length).replace(/\/$/, ''));
    const server = rooms.passThrough(name);
    if (server) return mcp.mount({ server, sessions: 'spec' })(call);
    const error = { code: -32_001, message: `There is no source ${JSON.stringify(excerpt(name, 64))}.` };
    call.res.writeHead(404, { 'content-type': 'application/json' });
    call.res.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
  };
}

/** The hub's own server follows the specification at /mcp; the documented ones keep their paths and their words. */
function pathOf({ key }: Server): string {
  return key === HUB_KEY ? '/mcp' : `/api/mcp/${key}`;
}

function sessionRules({ key }: Server): 'documented' | 'spec' {
  return key === HUB_KEY ? 'spec' : 'documented';
}
