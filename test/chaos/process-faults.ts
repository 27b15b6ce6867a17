// What a machine does to a process it runs, by its id: each lasts a while and is over then, unless the process died of it.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { pause } from '../../src/kernel/clock.ts';

const FEW_FILES = 64;
const LITTLE_MEMORY = 4 * 1024 * 1024;
const SLOW_SYNC_US = 150_000;

/** As a laptop is that goes to sleep. */
export async function freeze(pid: number, ms: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  await pause(ms);
  process.kill(pid, 'SIGCONT');
}

/** With fewer files and connections than it wants. */
export async function starve(pid: number, ms: number): Promise<void> {
  const [most] = limitOf(pid, 'nofile');
  limit(pid, `--nofile=${FEW_FILES}:`);
  await pause(ms);
  limit(pid, `--nofile=${most}:`);
}

/** Hardly more memory than it has: what wants more fails, and may end it. No picture of it is left on the disk. */
export async function squeeze(pid: number, ms: number): Promise<void> {
  const held = Number(/^VmData:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
  limit(pid, '--core=0:');
  limit(pid, `--data=${held + LITTLE_MEMORY}:`);
  await pause(ms);
  if (existsSync(`/proc/${pid}/status`)) limit(pid, '--data=unlimited:');
}

/** Undefined: what slows it down is installed and allowed here. */
export function whyNoSlowSyncs(): string | undefined {
  const { status } = spawnSync('strace', ['-o', '/dev/null', '-e', 'trace=fsync', 'true']);
  return status === 0 ? undefined : 'strace is not installed, or may not follow others';
}

/** Each sync of a file takes as long as on a disk that is worn out. */
export async function slowSyncs(pid: number, ms: number): Promise<void> {
  const calls = 'fsync,fdatasync';
  const inject = `inject=${calls}:delay_enter=${SLOW_SYNC_US}`;
  const tracer = spawn(
    'strace',
    ['-f', '-q', '-p', `${pid}`, '-o', '/dev/null', '-e', `trace=${calls}`, '-e', inject],
    {
      stdio: 'ignore',
    },
  );
  const gone = once(tracer, 'exit');
  await pause(ms);
  tracer.kill('SIGINT');
  await gone;
}

function limitOf(pid: number, what: string): string[] {
  return prlimit(pid, '--raw', '--noheadings', '--output=SOFT,HARD', `--${what}`).trim().split(/\s+/);
}

/** The upper limit stays, so that it can be lifted again. */
function limit(pid: number, what: string): void {
  prlimit(pid, what);
}

function prlimit(pid: number, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('prlimit', ['--pid', String(pid), ...args], {
    encoding: 'utf8',
  });
  // Whoever has died meanwhile has no limits any more.
  if (status !== 0 && existsSync(`/proc/${pid}/status`)) throw new Error(`prlimit failed: ${stderr}`);
  return stdout;
}
