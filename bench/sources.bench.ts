import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { hammer, modernCall } from './load.ts';
import { freshFolder, type Measured, residentOf, startHub } from './process.ts';
import { atMost, median, type Row } from './row.ts';

export const title = 'Sources: what a server costs when it stands behind the hub (500 tools of 20 servers)';

const SERVER = fileURLToPath(new URL('baselines/many-tools.mjs', import.meta.url));
const SOURCES = 20;
const EACH = 25;
const CALLS = 400;
/**
 * Before calls are timed, on every way alike: until the code is compiled and the log file of a fresh database, which
 * a hub keeps at its size, has come round once. What is timed is what a hub does all day, not its first second.
 */
const WARM_UP = 600;
const SEARCH_WARM_UP = 100;
const MB = 1024;

export async function measure(): Promise<readonly Row[]> {
  const { memory: without, burst: plainBurst, governed } = await measurePlain();
  const home = freshFolder();
  writeConfig(home);
  const begun = performance.now();
  const hub = await startHub({ HOLDFAST_HOME: home });
  const token = readFileSync(join(home, 'token'), 'utf8').trim();
  const headers = { authorization: `Bearer ${token}` };
  await rpc(hub, headers, 'tools/list', {});
  const answering = (performance.now() - begun) / 1_000;
  await allReady(hub, headers);
  const [direct, through] = [await directCalls(), await hubCalls(hub, headers)];
  const search = await searches(hub, headers);
  const burst = (await hub.memory()) / MB;
  const more = ((await atRest(hub)) - without) / MB;
  await hub.stop();
  const above = median(through) - median(direct);
  return [
    {
      what: 'own tools answer, from spawn, with all sources starting',
      ours: `${answering.toFixed(2)} s`,
      baseline: '1 s',
      ratio: answering,
      hold: atMost(1.5),
    },
    {
      what: 'a forwarded call, p50, ms above the SDK client calling the server',
      ours: ms(median(through)),
      baseline: ms(median(direct)),
      ratio: above,
      hold: atMost(1),
    },
    {
      what: 'the same, ms above a governed echo of the hub itself',
      ours: ms(median(through)),
      baseline: ms(governed),
      ratio: median(through) - governed,
      hold: atMost(1),
    },
    {
      what: 'ToolSearch, p95, ms',
      ours: ms(quantile(search, 0.95)),
      baseline: ms(median(search)),
      ratio: quantile(search, 0.95),
      hold: atMost(5),
    },
    {
      what: 'memory right after all that, with what the engine keeps room for',
      ours: `${burst.toFixed(0)} MB`,
      baseline: `${plainBurst.toFixed(0)} MB`,
      ratio: burst / plainBurst,
    },
    {
      what: 'memory of the hub at rest, MB above a hub without sources',
      ours: `${(more + without / MB).toFixed(0)} MB`,
      baseline: `${(without / MB).toFixed(0)} MB`,
      ratio: more,
      hold: atMost(40),
    },
  ];
}

/** A hub without sources that has done as much of its own: what it needs then, and what a governed call takes without a server behind it. */
async function measurePlain(): Promise<Readonly<{ memory: number; burst: number; governed: number }>> {
  const home = freshFolder();
  const hub = await startHub({ HOLDFAST_HOME: home });
  const headers = { authorization: `Bearer ${readFileSync(join(home, 'token'), 'utf8').trim()}` };
  const echoes = await oneByOne(hub, headers, {
    name: 'tools__echo',
    args: (i) => ({ message: `hello ${i}` }),
    warmUp: WARM_UP,
  });
  await searches(hub, headers);
  const burst = (await hub.memory()) / MB;
  const memory = await atRest(hub);
  await hub.stop();
  return { memory, burst, governed: median(echoes) };
}

const LOOK_MS = 500;
/** A hub looks every two seconds whether it is at rest and has something to give back. */
const SAME_LOOKS = 12;

/** What it keeps once nobody asks for anything, in KB: when it has stayed the same for a while. */
async function atRest({ pid }: Measured): Promise<number> {
  let [resident, same] = [residentOf(pid), 0];
  while (same < SAME_LOOKS) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    const now = residentOf(pid);
    same = Math.abs(now - resident) < MB ? same + 1 : 0;
    resident = now;
  }
  return resident;
}

function writeConfig(home: string): void {
  const entries = Array.from(
    { length: SOURCES },
    (_, i) =>
      `  s${i}: { command: [${JSON.stringify(process.execPath)}, ${JSON.stringify(SERVER)}, "${EACH}"], trust: all }`,
  );
  writeFileSync(join(home, 'config.yaml'), `sources:\n${entries.join('\n')}\n`);
}

type Headers = Readonly<Record<string, string>>;

async function rpc(hub: Measured, headers: Headers, method: string, params: object): Promise<unknown> {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const response = await fetch(`${hub.address}/mcp?profile=full`, {
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/json',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }),
  });
  return response.json();
}

async function allReady(hub: Measured, headers: Headers): Promise<void> {
  for (;;) {
    const response = await fetch(`${hub.address}/api/sources`, { headers });
    const { sources } = (await response.json()) as { sources: { state: string }[] };
    if (sources.length === SOURCES && sources.every(({ state }) => state === 'ready')) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function directCalls(): Promise<number[]> {
  const client = new Client({ name: 'bench', version: '0' });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [SERVER, String(EACH)] }));
  const call = () => client.callTool({ name: 'create_issue_0', arguments: { text: 'hello' } });
  for (let i = 0; i < WARM_UP; i += 1) await call();
  const taken = await timed(CALLS, call);
  await client.close();
  return taken;
}

async function hubCalls(hub: Measured, headers: Headers): Promise<number[]> {
  return oneByOne(hub, headers, {
    name: 's7__create_issue_0',
    args: (i) => ({ text: `hello ${i}` }),
    warmUp: WARM_UP,
  });
}

async function searches(hub: Measured, headers: Headers): Promise<number[]> {
  const asked = [
    'close a ticket',
    'send a message to the channel',
    'merge the branch',
    'find an invoice',
    'delete a page',
    'calendar',
  ];
  return oneByOne(hub, headers, {
    name: 'ToolSearch',
    args: (i) => ({ query: `${asked[i % asked.length]} ${i}` }),
    warmUp: SEARCH_WARM_UP,
  });
}

/** One request at a time over a connection that stays open, each timed by itself. */
async function oneByOne(
  hub: Measured,
  headers: Headers,
  { name, args, warmUp }: Readonly<{ name: string; args(i: number): object; warmUp: number }>,
): Promise<number[]> {
  const call = modernCall(name, args);
  const taken: number[] = [];
  let sent = 0;
  const load = {
    ...call,
    url: `${hub.address}/mcp?profile=full`,
    inFlight: 1,
    headers: { ...call.headers, ...headers },
    body(i: number) {
      sent = performance.now();
      return call.body(i);
    },
    check(text: string) {
      taken.push(performance.now() - sent);
      call.check?.(text);
    },
  };
  await hammer({ ...load, total: warmUp });
  taken.length = 0;
  await hammer({ ...load, total: CALLS });
  return taken;
}

async function timed(times: number, work: () => Promise<unknown>): Promise<number[]> {
  const taken: number[] = [];
  for (let i = 0; i < times; i += 1) {
    const begun = performance.now();
    await work();
    taken.push(performance.now() - begun);
  }
  return taken;
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)]!;
}

function ms(value: number): string {
  return `${value.toFixed(2)} ms`;
}
