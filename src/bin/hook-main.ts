import { join } from 'node:path';
import { type HookHub, readHookEvent, runHook } from '../cli/hooks/run.ts';
import type { HookAnswer } from '../features/attach/hooks/hear.ts';
import { isHookClient } from '../features/attach/hooks/moments.ts';
import type { Environment } from '../kernel/config.ts';
import { runningHub } from '../kernel/discovery.ts';
import type { HubAddress } from '../kernel/hub-link.ts';
import { readFileSync } from 'node:fs';
import { DEFAULT_SCHEMA, homeOf, isPostgresUrl, locateDatabase } from '../kernel/site.ts';
import { postSmall } from '../kernel/small-request.ts';

/**
 * `holdfast hooks run` beside a hub that runs: the short way. True when it was gone to its end; whatever is unusual (no hub, other
 * options, a refusal) is left to the long one, which says what is wrong.
 */
export async function runHookShortly(args: readonly string[], input: string): Promise<boolean> {
  const { env } = process;
  const options = readOptions(args.slice(1));
  const [client = ''] = args;
  if (!options || !isHookClient(client) || env['HOLDFAST_TOKEN']) return false;
  const { agent, team, isNew, database } = options;
  try {
    const event = readHookEvent(input, { client, agent, team, isNew, env, cwd: process.cwd() });
    if (!event) return true;
    const hub = await findHub(database, env);
    if (!hub) return false;
    await runHook(hubAt(hub), event, (line) => void process.stdout.write(`${line}\n`));
    return true;
  } catch {
    return false;
  }
}

type HookOptions = Readonly<{
  agent?: string | undefined;
  team?: string | undefined;
  database?: string | undefined;
  isNew: boolean;
}>;

/** The options that packs are printed with; undefined when there is any other. */
function readOptions(args: readonly string[]): HookOptions | undefined {
  const found: { agent?: string; team?: string; database?: string; isNew: boolean } = { isNew: false };
  for (let i = 0; i < args.length; i += 1) {
    const [word, value] = [args[i], args[i + 1]];
    if (word === '--new') found.isNew = true;
    else if (value !== undefined && (word === '--agent' || word === '--team' || word === '--database')) {
      found[word.slice(2) as 'agent' | 'team' | 'database'] = value;
      i += 1;
    } else return undefined;
  }
  return found;
}

/** Undefined as well where config.yaml says more about the database than its place. */
async function findHub(flag: string | undefined, env: Environment): Promise<HubAddress | undefined> {
  const home = homeOf(env['HOLDFAST_HOME']);
  const named = databaseIn(readText(join(home, 'config.yaml')) ?? '');
  if (!named) return undefined;
  const database = locateDatabase({ flag, env, file: named.database, home });
  if (isPostgresUrl(database) && env['HOLDFAST_DATABASE_SCHEMA']) return undefined;
  const announced = await runningHub({ home, database, databaseSchema: DEFAULT_SCHEMA });
  const token = announced && readText(announced.tokenFile ?? join(home, 'token'))?.trim();
  return token ? { address: announced.address, token } : undefined;
}

/** What a line of its own says about the database, without the time that YAML takes; undefined for anything less plain. */
function databaseIn(config: string): Readonly<{ database?: string }> | undefined {
  const lines = config.split('\n').filter((line) => line.includes('database'));
  if (lines.length === 0) return {};
  const [, , database] = /^database: *(["']?)([^\s"'#&*!|>{}[\]]+)\1\s*$/.exec(lines[0]!) ?? [];
  return lines.length === 1 && database !== undefined ? { database } : undefined;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined; // then the long way says what is wrong with it
  }
}

function hubAt(hub: HubAddress): HookHub {
  const post = async <T>(path: string, body: unknown): Promise<T> => {
    const answer = await postSmall(hub, path, body);
    if (answer.status !== 200) throw new Error(`the hub answered ${answer.status}`);
    return JSON.parse(answer.text) as T;
  };
  return {
    hear: (event) => post<HookAnswer>('/api/hooks/event', event),
    ack: ({ peerId, ...ids }) => post(`/v1/peers/${encodeURIComponent(peerId)}/messages/ack`, ids),
  };
}
