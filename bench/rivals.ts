// Servers of others that can be had from the package registry, installed on demand into a folder that goes with the run; no install
// script of theirs is run. What cannot be installed or does not answer is said and left out.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freshFolder, root } from './process.ts';

export type Rival = Readonly<{
  name: string;
  script: string;
  args?: readonly string[];
  env?: NodeJS.ProcessEnv;
  /** How it keeps one thing and finds things again; without, only its start, its list and its memory are compared. */
  keeps?: Readonly<{ save(i: number, text: string): Call; find(query: string): Call }>;
}>;
export type Call = Readonly<{ name: string; arguments: object }>;

const asGraph: NonNullable<Rival['keeps']> = {
  save: (i, text) => ({
    name: 'create_entities',
    arguments: { entities: [{ name: `note ${i}`, entityType: 'note', observations: [text] }] },
  }),
  find: (query) => ({ name: 'search_nodes', arguments: { query } }),
};

const ON_DEMAND = [
  { name: '@itseasy21/mcp-knowledge-graph', version: '1.0.7' },
  { name: 'mcp-memory-keeper', version: '0.14.1' },
  { name: 'mcp-shrimp-task-manager', version: '1.0.21' },
  { name: 'task-master-ai', version: '0.43.1' },
];
const INSTALL_MS = 120_000;

function ownServer(bin: string): Rival {
  return {
    name: 'holdfast',
    script: `${root}dist/bin/${bin}.js`,
    env: { HOLDFAST_HOME: freshFolder(), HOLDFAST_EMBEDDING: 'none', HOLDFAST_LOG: 'error' },
  };
}

/** Its notes are tasks, and what it finds is the next one to claim. */
export function ownTasks(): Rival {
  return {
    ...ownServer('clawboo-mcp-tasks'),
    keeps: {
      save: (i) => ({ name: 'create_task', arguments: { title: `task ${i}` } }),
      find: () => ({ name: 'claim_next_task', arguments: { assigneeAgentId: 'bench' } }),
    },
  };
}

export function ownMemory(): Rival {
  return {
    ...ownServer('clawboo-mcp-memory'),
    keeps: {
      save: (i, text) => ({ name: 'memory_save', arguments: { title: `note ${i}`, content: text } }),
      find: (query) => ({ name: 'memory_search', arguments: { query } }),
    },
  };
}

export function referenceServer(): Rival {
  return {
    name: 'server-memory',
    script: `${root}node_modules/@modelcontextprotocol/server-memory/dist/index.js`,
    env: { MEMORY_FILE_PATH: join(freshFolder(), 'memory.jsonl') },
    keeps: asGraph,
  };
}

/** Answers those that are there, and says which are not. */
export async function installRivals(): Promise<readonly Rival[]> {
  const found: Rival[] = [];
  for (const { name, version } of ON_DEMAND) {
    const folder = await installPackage(name, version);
    if (folder === undefined) continue;
    found.push({ name, script: binOf(folder, name), args: [], env: { DATA_DIR: folder, HOME: folder } });
  }
  return found;
}

/** Into a folder that goes with the run; undefined where it cannot be had, which is said. */
export async function installPackage(name: string, version: string): Promise<string | undefined> {
  const folder = freshFolder();
  try {
    await install(folder, `${name}@${version}`);
    return folder;
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    console.log(`  ${name}@${version} could not be installed: ${problem}`);
    return undefined;
  }
}

async function install(folder: string, wanted: string): Promise<void> {
  const args = ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', wanted];
  const child = spawn('npm', args, { stdio: ['ignore', 'ignore', 'pipe'], timeout: INSTALL_MS });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  if (code === 0) return;
  const why = /npm error (?:code )?(.*)/.exec(said)?.[1];
  throw new Error(signal === null ? (why ?? 'no reason given') : 'it took too long');
}

function binOf(folder: string, name: string): string {
  const home = join(folder, 'node_modules', name);
  const { bin } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as {
    bin: string | Record<string, string>;
  };
  const own = typeof bin === 'string' ? bin : (bin[name] ?? Object.values(bin)[0]!);
  return join(home, own);
}
