import { onTestFinished } from 'vitest';
import { createHub } from '../../src/app.ts';
import { createBindings } from '../../src/features/access/bindings.ts';
import { resolveConfig } from '../../src/kernel/config.ts';
import { hubToken, signingKey } from '../../src/kernel/home.ts';
import { createLog } from '../../src/kernel/log.ts';
import { freshPlace, type Engine } from '../fixtures/databases.ts';
import { freshHome } from '../fixtures/hub-process.ts';
import { legacyClient, modernClient, stdioClient, type ToolClient } from '../fixtures/server-hosts.ts';
import { callRest } from '../fixtures/rest-call.ts';

/** Every way a caller can come in, and who it is there. The matrix of identity runs over all of them. */
export type Way = Readonly<{
  name: string;
  /** Its requests share no connection and no credential: only what they say tells them apart. */
  isStateless?: true;
  /** Its callers are known by their credential or attachment and name themselves in no call. */
  isBound?: true;
  open(engine: Engine): Promise<Scene>;
}>;

export type Scene = Readonly<{
  /** As this agent, where the way can say so; without a name where it cannot. */
  connect(agent?: string): Promise<ToolClient>;
  /** REST without a credential and without a name: the owner of this machine. */
  person(method: string, path: string, body?: object): Promise<{ status: number; body: any }>;
}>;

type House = Readonly<{
  address: string;
  env: NodeJS.ProcessEnv;
  home: string;
  token: string;
  close(): Promise<void>;
}>;

/** `public`: stdio servers find it. */
async function openHouse(engine: Engine, mode: 'public' | 'private', place?: Place): Promise<House> {
  const { env } = place ?? (await freshSurroundings(engine));
  const config = await resolveConfig({ flags: { '--port': '0' }, env });
  const hub = await createHub(config, mode, createLog('error'));
  onTestFinished(() => hub.close());
  return {
    address: hub.address,
    env,
    home: config.home,
    token: hubToken(config, {}),
    close: () => hub.close(),
  };
}

type Place = Readonly<{ env: NodeJS.ProcessEnv }>;

async function freshSurroundings(engine: Engine): Promise<Place> {
  const { location, schema } = await freshPlace(engine);
  return {
    env: freshHome(
      schema
        ? { HOLDFAST_DATABASE_URL: location, HOLDFAST_DATABASE_SCHEMA: schema }
        : { CLAWBOO_DB_PATH: location },
    ),
  };
}

function personAt(address: string): Scene['person'] {
  return (method, path, body) => callRest({ at: `${address}/api/board` }, [method, path], body);
}

const tasksAt = (address: string, query: Record<string, string> = {}) =>
  `${address}/api/mcp/tasks?${String(new URLSearchParams(query))}`;

export const WAYS: readonly Way[] = [
  {
    name: 'stdio alone',
    async open(engine) {
      const place = await freshSurroundings(engine);
      // The person looks in through a hub that stdio servers cannot find.
      const house = await openHouse(engine, 'private', place);
      return {
        connect: () => stdioClient(place.env, 'clawboo-mcp-tasks', {}),
        person: personAt(house.address),
      };
    },
  },
  {
    name: 'stdio beside a hub',
    async open(engine) {
      const { env, address } = await openHouse(engine, 'public');
      return { connect: () => stdioClient(env, 'clawboo-mcp-tasks', {}), person: personAt(address) };
    },
  },
  {
    name: 'HTTP with a session',
    async open(engine) {
      const { address } = await openHouse(engine, 'private');
      return { connect: () => legacyClient(tasksAt(address)), person: personAt(address) };
    },
  },
  {
    name: '2026-07-28 without anything',
    isStateless: true,
    async open(engine) {
      const { address } = await openHouse(engine, 'private');
      return { connect: async () => modernClient(tasksAt(address)), person: personAt(address) };
    },
  },
  {
    name: 'a token',
    isBound: true,
    async open(engine) {
      const { address, token } = await openHouse(engine, 'private');
      const mint = async (agent: string): Promise<string> => {
        const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
        const init = { method: 'POST', headers, body: JSON.stringify({ agent }) };
        return ((await (await fetch(`${address}/api/tokens`, init)).json()) as { token: string }).token;
      };
      const connect = async (agent?: string) =>
        modernClient(tasksAt(address), agent === undefined ? undefined : await mint(agent));
      return { connect, person: personAt(address) };
    },
  },
  {
    name: 'a signed URL',
    isBound: true,
    async open(engine) {
      const { address, home, env } = await openHouse(engine, 'private');
      const { sign } = createBindings(Buffer.from(signingKey(home, env)));
      const connect = async (agent?: string) => {
        const query =
          agent === undefined ? {} : Object.fromEntries(sign(new URLSearchParams({ scopeAgentId: agent })));
        return modernClient(tasksAt(address, query));
      };
      return { connect, person: personAt(address) };
    },
  },
  {
    name: 'unsigned parameters',
    isBound: true,
    async open(engine) {
      const { address } = await openHouse(engine, 'private');
      const connect = (agent?: string) =>
        legacyClient(tasksAt(address, agent === undefined ? {} : { scopeAgentId: agent }));
      return { connect, person: personAt(address) };
    },
  },
];
