// A server of MCP on its standard streams under measurement, whoever wrote it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { freshFolder, residentOf } from './process.ts';
import type { Call, Rival } from './rivals.ts';

const ANSWER_MS = 20_000;

export type Peer = Readonly<{
  /** From spawn to the list of its tools. */
  startMs: number;
  /** Characters of what a model is shown, by four. */
  tokens: number;
  tools: number;
  call(call: Call): Promise<void>;
  /** In milliseconds so far, of all its threads. */
  cpu(): number;
  memoryMb(): number;
  stop(): Promise<void>;
}>;

type Answer = Readonly<{ id?: number; result?: Record<string, unknown>; error?: { message: string } }>;
type Listed = Readonly<{ name: string; description?: string; inputSchema: object }>;

export async function openPeer({ script, args = [], env = {} }: Rival): Promise<Peer> {
  const begun = performance.now();
  const child = spawn(process.execPath, [script, ...args], {
    cwd: freshFolder(),
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const waiting = new Map<number, (answer: Answer) => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (!line.startsWith('{')) return;
    const answer = JSON.parse(line) as Answer;
    if (answer.id !== undefined) waiting.get(answer.id)?.(answer);
  });
  let last = 0;
  const ask = async (method: string, params: object): Promise<Record<string, unknown>> => {
    const id = ++last;
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    waiting.set(id, resolve);
    const late = setTimeout(() => reject(new Error(`no answer to ${method}`)), ANSWER_MS);
    child.once('exit', () => reject(new Error(`ended before it answered ${method}`)));
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    const { result, error } = await promise.finally(() => {
      clearTimeout(late);
      waiting.delete(id);
      child.removeAllListeners('exit');
    });
    if (error || !result || result['isError'] === true)
      throw new Error(`${method}: ${JSON.stringify(error ?? result).slice(0, 200)}`);
    return result;
  };
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
  try {
    const clientInfo = { name: 'bench', version: '0' };
    await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    const tools = (await ask('tools/list', {}))['tools'] as Listed[];
    const startMs = performance.now() - begun;
    const shown = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    return {
      startMs,
      tools: tools.length,
      tokens: Math.round(JSON.stringify(shown).length / 4),
      call: async (call) => void (await ask('tools/call', call)),
      cpu: () => cpuOf(child.pid!),
      memoryMb: () => residentOf(child.pid!) / 1024,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

const TICK_MS = 10;

function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
