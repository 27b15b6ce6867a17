import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const reporter = fileURLToPath(new URL('report.mjs', import.meta.url));
export const root = fileURLToPath(new URL('../', import.meta.url));

/** A program under measurement: its own CPU time is steadier than wall time on a shared machine. */
export interface Measured {
  readonly address: string;
  readonly pid: number;
  /** User and system time so far, in microseconds. */
  cpu(): Promise<number>;
  /** Resident memory in KB, after a collection. */
  memory(): Promise<number>;
  stop(): Promise<void>;
}

/** Starts a script that prints its address as the first line (plain or as JSON with `address`). */
export async function startMeasured(
  script: string,
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): Promise<Measured> {
  const child = spawn(
    process.execPath,
    ['--no-warnings', '--expose-gc', '--import', reporter, script, ...args],
    {
      env: { ...process.env, HOLDFAST_LOG: 'error', ...env },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    },
  );
  const line = await firstLine(child);
  const address = line.startsWith('{') ? (JSON.parse(line) as { address: string }).address : line;
  const ask = async (question: string): Promise<number> => {
    const answer = once(child, 'message') as Promise<[number]>;
    child.send(question);
    return (await answer)[0];
  };
  return {
    address,
    pid: child.pid!,
    cpu: () => ask('cpu'),
    memory: () => ask('memory'),
    async stop() {
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      await gone;
    },
  };
}

async function firstLine(child: ChildProcess): Promise<string> {
  let said = '';
  for await (const chunk of child.stdout!) {
    said += String(chunk);
    if (said.includes('\n')) break;
  }
  child.stdout!.resume();
  if (!said.includes('\n')) throw new Error('The program ended before it said where it listens.');
  return said.split('\n')[0]!;
}

export function startHub(
  env: NodeJS.ProcessEnv = {},
  script = `${root}dist/bin/holdfast.js`,
): Promise<Measured> {
  return startMeasured(script, ['up', '--json', '--port', '0'], { HOLDFAST_HOME: freshFolder(), ...env });
}

const folders: string[] = [];
process.on('exit', () => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

export function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'));
  folders.push(folder);
  return folder;
}

/** Private memory of a process by pid, in KB; 0 where the system does not tell. */
export function residentOf(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
