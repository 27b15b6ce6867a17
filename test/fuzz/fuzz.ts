import { Agent, request } from 'node:http';
import { type ApiRoute, routesOf } from '../fixtures/api.ts';
import type { Schema } from '../fixtures/sample.ts';
import { documentedBy } from './documented.ts';
import { chanceOf, type Chance, inputFor, type Pools, valueFor, words } from './generate.ts';

/**
 * Every route and every tool of a running hub, executors included, with inputs made from their own schemas. What may
 * come back is a result or a refusal: never a 500, a defect, a connection that breaks, or an answer without end; and
 * of a route, nothing but what OpenAPI says of it.
 */
export type FuzzOptions = Readonly<{
  address: string;
  token: string;
  inputs: number;
  seed: number;
  atOnce?: number;
}>;
export type FuzzReport = Readonly<{
  sent: number;
  byStatus: Readonly<Record<string, number>>;
  failures: readonly string[];
  targets: readonly string[];
}>;

export type Input = Readonly<{
  name: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
  isStream?: boolean;
}>;
export type Target = Readonly<{ name: string; weight: number; make(chance: Chance, pools: Pools): Input }>;

const LONGEST_MS = 20_000;
/** Alone. Among others, on a machine at work, an answer may take longer: then it is asked for once more, by itself. */
const LONGEST_ALONE_MS = 2_000;
const MOST_SLOW = 40;
const LARGEST = 8 * 1024 * 1024;
export const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'fuzz', version: '0' },
};
const SERVERS = [
  '/mcp',
  ...['tasks', 'memory', 'teamchat', 'tools', 'brain'].map((key) => `/api/mcp/${key}`),
];
/** These start a process, wait for somebody, or write files for each input. */
export const HEAVY = /policy\/(?:check|explain|dry-run)|Bash|WebFetch|compact|undo|brain|Grep|Glob|Read$/;
export const WAITING = /subscribe|keys\/rotate/;

export async function fuzz({ address, token, inputs, seed, atOnce = 24 }: FuzzOptions): Promise<FuzzReport> {
  const chance = chanceOf(seed);
  const pools: Pools = { ids: ['x', 'ada', 'red', 'team:red'] };
  const send = sender(address);
  const targets = await targetsOf(address, token, send);
  const documented = await documentedBy(address);
  const total = targets.reduce((sum, { weight }) => sum + weight, 0);
  /** One of a kind: the same again tells nothing new. */
  const failures = new Map<string, string>();
  const byStatus: Record<string, number> = {};
  const slow = new Map<string, Input>();
  let sent = 0;

  async function work(): Promise<void> {
    while (sent < inputs && failures.size < 20) {
      const number = (sent += 1);
      const input = spoilt(draw(targets, total, chance).make(chance, pools), chance);
      const answer = await send(input).catch(broken);
      byStatus[answer.status] = (byStatus[answer.status] ?? 0) + 1;
      harvest(answer.text, pools);
      if (answer.ms > LONGEST_ALONE_MS && slow.size < MOST_SLOW) slow.set(input.name, input);
      const why = judge(answer) ?? documented(input.name, answer);
      if (why !== undefined)
        failures.set(
          `${input.name} ${why}`,
          `input ${number} of seed ${seed}: ${why}\n  ${input.name}\n  ${(input.body ?? '').slice(0, 1_500)}\n  → ${answer.text.slice(0, 300)}`,
        );
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work));
  for (const [name, input] of slow) {
    const { ms } = await send(input).catch(broken);
    if (ms > LONGEST_ALONE_MS)
      failures.set(
        `${name} slow`,
        `${name} took ${Math.round(ms)} ms alone\n  ${input.body?.slice(0, 1_500)}`,
      );
  }
  return { sent, byStatus, failures: [...failures.values()], targets: targets.map(({ name }) => name) };
}

export type Answer = Readonly<{ status: number; type: string; text: string; ms: number }>;

export function broken(error: unknown): Answer {
  return { status: 0, type: '', text: String(error), ms: 0 };
}

/** What HTTP itself refuses: now and then a request is wrong before anybody reads it. */
function spoilt(input: Input, chance: Chance): Input {
  if (!chance.is(0.04)) return input;
  const { authorization: _, ...headers } = input.headers;
  const wrong = chance.pick<Readonly<Record<string, string>>>([
    {},
    { authorization: 'Bearer wrong' },
    { 'content-type': 'text/plain' },
    { origin: 'https://elsewhere.example' },
    { 'x-large': 'x'.repeat(20_000) },
  ]);
  return { ...input, headers: { ...headers, ...wrong } };
}

function judge({ status, text, ms }: Answer): string | undefined {
  if (status === 0) return 'the connection broke';
  if (status === 500) return 'a 500';
  if (/"code":"internal"|hit an internal error/.test(text)) return 'a defect';
  if (text.length > LARGEST) return `an answer of ${text.length} characters`;
  return ms > LONGEST_MS ? `an answer after ${Math.round(ms)} ms` : undefined;
}

export function draw(targets: readonly Target[], total: number, chance: Chance): Target {
  let at = chance.next() * total;
  return targets.find(({ weight }) => (at -= weight) < 0) ?? targets[0]!;
}

/** Ids that answers name are used again: what refers to something that is there gets further. */
function harvest(text: string, pools: Pools): void {
  for (const id of idsIn(text)) keep(id, pools);
}

export function idsIn(text: string): string[] {
  const named = /"(?:id|taskId|peer_id|agentId|factId)\\?":\\?"([\w:.-]{1,80})\\?"/g;
  return Array.from(text.slice(0, 20_000).matchAll(named), ([, id]) => id!);
}

export function keep(id: string, { ids }: Pools): void {
  ids.push(id);
  if (ids.length > 200) ids.splice(4, 1);
}

export async function targetsOf(
  address: string,
  token: string,
  send: (input: Input) => Promise<Answer>,
): Promise<readonly Target[]> {
  const routes = await routesOf({ fetch: (path) => fetch(`${address}${path}`) });
  const tools = (await toolsOf(token, send)).map((tool) => toolTarget(tool, token));
  const byName = new Map(
    [...routes.map((route) => routeTarget(route, token)), ...tools].map((target) => [target.name, target]),
  );
  return [...byName.values(), protocolTarget(token)];
}

export type ListedTool = Readonly<{
  path: string;
  name: string;
  inputSchema: Schema;
  annotations?: Readonly<{ readOnlyHint?: boolean }>;
}>;

/** Every tool of every server, as it lists itself. */
export async function toolsOf(
  token: string,
  send: (input: Input) => Promise<Answer>,
): Promise<readonly ListedTool[]> {
  const tools: ListedTool[] = [];
  for (const path of SERVERS.flatMap((server) => [`${server}?profile=extended`, `${server}?profile=full`])) {
    const { text } = await send(rpc(path, token, 'tools/list', { _meta: META }));
    const { result } = JSON.parse(text) as { result?: { tools: Omit<ListedTool, 'path'>[] } };
    tools.push(...(result?.tools ?? []).map((tool) => ({ ...tool, path })));
  }
  return tools;
}

function weightOf(name: string): number {
  if (WAITING.test(name)) return 0.1;
  return HEAVY.test(name) ? 0.15 : 1;
}

function routeTarget({ method, path, parameters, body, isStream }: ApiRoute, token: string): Target {
  const name = `${method} ${path}`;
  return {
    name,
    weight: weightOf(path),
    make(chance, pools) {
      const filled = path.replaceAll(
        /\{(\w+)\}/g,
        (_, part: string) =>
          encodeURIComponent(safe(valueFor({ type: 'string' }, chance, pools, part))) || 'x',
      );
      const query = new URLSearchParams();
      for (const parameter of parameters)
        if (parameter.in === 'query' && (parameter.required || chance.is(0.4)))
          query.set(parameter.name, safe(valueFor(parameter.schema, chance, pools, parameter.name)));
      const headers = {
        ...(chance.is(0.5) && { authorization: `Bearer ${token}` }),
        ...(path.startsWith('/v1') && { authorization: `Bearer ${token}` }),
        ...(body && { 'content-type': 'application/json' }),
        ...(isStream &&
          chance.is(0.5) && { 'last-event-id': chance.pick(['0', '5', '-1', 'x', '99999999999']) }),
      };
      const text = body && JSON.stringify(inputFor(body, chance, pools));
      return {
        name,
        method,
        path: `${filled}?${query.toString()}`,
        headers,
        body: text,
        ...(isStream && { isStream }),
      };
    },
  };
}

/** A lone half of a character cannot stand in a URL; the bodies have them. */
function safe(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.slice(0, 2_000).toWellFormed();
}

function toolTarget(tool: ListedTool, token: string): Target {
  return {
    name: `${tool.path} ${tool.name}`,
    weight: weightOf(tool.name),
    make: (chance, pools) => callOf(tool, token, inputFor(tool.inputSchema, chance, pools)),
  };
}

const METHODS = [
  'initialize',
  'ping',
  'tools/list',
  'resources/list',
  'resources/read',
  'prompts/get',
  'completion/complete',
  'logging/setLevel',
  'tasks/get',
  'x',
];

/** Messages that are not quite what the protocol says. */
function protocolTarget(token: string): Target {
  const anything: Schema = {
    type: 'object',
    properties: {
      name: { type: 'string' },
      uri: { type: 'string' },
      cursor: { type: 'string' },
      protocolVersion: { type: 'string' },
    },
  };
  return {
    name: 'protocol',
    weight: 12,
    make(chance, pools) {
      const path = chance.pick(SERVERS);
      const params = {
        ...(valueFor(anything, chance, pools) as object),
        ...(chance.is(0.6) && { _meta: META }),
      };
      const input = rpc(path, token, chance.is(0.9) ? chance.pick(METHODS) : words(chance), params);
      if (chance.is(0.1)) return { ...input, body: JSON.stringify([JSON.parse(input.body!), params]) };
      if (chance.is(0.1)) return { ...input, body: input.body!.slice(0, chance.below(input.body!.length)) };
      return chance.is(0.2)
        ? { ...input, headers: { ...input.headers, 'mcp-session-id': 'x'.repeat(chance.below(200)) } }
        : input;
    },
  };
}

/** With what a client of the newer era sends along. */
export function callOf({ path, name }: ListedTool, token: string, args: unknown): Input {
  return rpc(path, token, 'tools/call', { name, arguments: args, _meta: META });
}

export function rpc(path: string, token: string, method: string, params: object): Input {
  const name = 'name' in params && typeof params.name === 'string' ? params.name : undefined;
  const isPlain = (text: string) => /^[\x21-\x7e]{1,200}$/.test(text);
  return {
    name: `${path} ${method} ${name ?? ''}`,
    method: 'POST',
    path,
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${token}`,
      ...('_meta' in params && { 'mcp-protocol-version': '2026-07-28' }),
      ...('_meta' in params && isPlain(method) && { 'mcp-method': method }),
      ...('_meta' in params && name !== undefined && isPlain(name) && { 'mcp-name': name }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  };
}

/** Streams are left as soon as they stand; everything else is read to its end. */
export function sender(address: string): (input: Input) => Promise<Answer> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const { hostname, port } = new URL(address);
  return ({ method, path, headers, body }) =>
    new Promise((resolve, reject) => {
      const began = performance.now();
      const call = request(
        { hostname, port, method, path, headers, agent, timeout: 2 * LONGEST_MS },
        (response) => {
          const chunks: Buffer[] = [];
          const { statusCode: status = 0, headers: given } = response;
          const type = given['content-type'] ?? '';
          const done = (text: string) => resolve({ status, type, text, ms: performance.now() - began });
          if (type.startsWith('text/event-stream')) {
            done('');
            response.destroy();
            return;
          }
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () => done(Buffer.concat(chunks).toString()));
          response.on('error', reject);
        },
      );
      call.on('timeout', () => call.destroy(new Error(`no answer within ${2 * LONGEST_MS} ms`)));
      call.on('error', reject);
      call.end(body);
    });
}
