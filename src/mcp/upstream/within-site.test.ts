import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { withinSite } from './within-site.ts';

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const POST = { method: 'POST', body: 'hello', headers: { 'x-api-key': 'a key' } };

it('a redirect to another site is not followed, and nothing is sent there', async () => {
  const arrived: string[] = [];
  const other = await serve((request, response) => {
    arrived.push(request.url!);
    response.end('x');
  });
  const source = await serve((_, response) => response.writeHead(307, { location: `${other}/api` }).end());
  for (const init of [POST, {}])
    await expect(withinSite(source)(`${source}/mcp`, init)).rejects.toThrow('another site');
  expect(arrived).toEqual([]);
});

it('one within the site is, with what was sent', async () => {
  const source = await serve(async (request, response) => {
    if (request.url === '/mcp/')
      response.end(`${String(request.headers['x-api-key'])} ${await text(request)}`);
    else response.writeHead(request.url === '/mcp' ? 308 : 302, { location: '/mcp/' }).end();
  });
  expect(await (await withinSite(source)(`${source}/mcp`, POST)).text()).toBe('a key hello');
  await expect(withinSite(source)(`${source}/found`, POST)).rejects.toThrow('it redirects (302)');
  const loop = await serve((_, response) => response.writeHead(307, { location: '/' }).end());
  await expect(withinSite(loop)(loop, POST)).rejects.toThrow('it redirects (307)');
});

it('a server of the public web leads nowhere on this machine', async () => {
  const here = await serve((_, response) => void response.end('x'));
  const go = withinSite('https://mcp.example.com/mcp', async () => ['93.184.215.14']);
  for (const address of [
    here,
    here.replace('127.0.0.1', 'localhost'),
    'http://[::1]/',
    'http://169.254.169.254/',
  ])
    await expect(go(address)).rejects.toThrow('not public');
  expect((await withinSite('http://127.0.0.1:1/mcp')(here)).status).toBe(200);
});

const PUBLIC = '93.184.215.14';

it('nor does a name that it gives, or its own once it was public, whose address is at home', async () => {
  const here = await serve((_, response) => void response.end('x'));
  const { port } = new URL(here);
  let own = PUBLIC;
  const resolve = async (name: string) => [name === 'mcp.example.com' ? own : '127.0.0.1'];
  const go = withinSite('https://mcp.example.com/mcp', resolve);
  await expect(go(`http://login.example.com:${port}/.well-known/oauth-authorization-server`)).rejects.toThrow(
    'not public',
  );
  own = '127.0.0.1';
  await expect(go(`http://mcp.example.com:${port}/mcp`)).rejects.toThrow('not public');
});

it('one that a person put on their own network under a name is reached there', async () => {
  const here = await serve((_, response) => void response.end('x'));
  const go = withinSite(here.replace('127.0.0.1', 'localhost'));
  expect((await go(here)).status).toBe(200);
});
