// A repository of 2 GB on its way to a runner: what the hub and its git take meanwhile.
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { descendantsOf, readProcesses } from '../src/kernel/process/table.ts';
import { freshFolder, type Measured, residentOf } from './process.ts';

const FILES = 8;
const FILE_MB = 256;

/** Bytes that cannot be made smaller, so that nothing is saved on the way. */
export function largeRepository(): string {
  const folder = join(freshFolder(), 'large');
  mkdirSync(folder);
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', folder, ...SETTINGS, ...args], { stdio: 'pipe' });
  git('init', '-q');
  for (let i = 0; i < FILES; i += 1)
    execFileSync('sh', ['-c', `head -c ${FILE_MB}M /dev/urandom > ${folder}/${i}.bin`]);
  git('add', '-A');
  git('commit', '-q', '-m', 'much');
  return folder;
}

const SETTINGS = [
  ['user.name', 'ada'],
  ['user.email', 'ada@example.test'],
  ['core.compression', '0'],
  ['core.bigFileThreshold', '1m'],
].flatMap(([key, value]) => ['-c', `${key}=${value}`]);

/** In MB; `hub`: what it grew by. */
export type Carried = Readonly<{ hub: number; git: number; seconds: number; hubCpu: number }>;

export async function carry(hub: Measured, from: Readonly<{ url: string; token: string }>): Promise<Carried> {
  const into = join(freshFolder(), 'into.git');
  execFileSync('git', ['init', '-q', '--bare', into]);
  const began = { at: performance.now(), memory: residentOf(hub.pid), cpu: await hub.cpu() };
  const most = { hub: 0, git: 0 };
  const watching = setInterval(() => {
    const below = descendantsOf(hub.pid, readProcesses());
    most.hub = Math.max(most.hub, residentOf(hub.pid) - began.memory);
    most.git = Math.max(
      most.git,
      below.reduce((sum, { pid }) => sum + residentOf(pid), 0),
    );
  }, 50);
  const header = `http.extraHeader=Authorization: Bearer ${from.token}`;
  const url = `${hub.address}${from.url}`;
  await promisify(execFile)('git', ['-C', into, '-c', header, 'fetch', '-q', url, '+refs/*:refs/*']);
  clearInterval(watching);
  return {
    hub: most.hub / 1_024,
    git: most.git / 1_024,
    seconds: (performance.now() - began.at) / 1_000,
    hubCpu: ((await hub.cpu()) - began.cpu) / 1e6,
  };
}
