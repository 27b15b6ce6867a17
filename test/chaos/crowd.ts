// The agents: processes that are killed now and then, each followed by another one under another name.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { end } from '../torture/torture.ts';
import type { Agent, Told } from './work.ts';

export type Crowd = Readonly<{
  killOne(): Promise<void>;
  /** Lets each finish what it has begun. Answers everything that any of them was told. */
  goHome(): Promise<readonly Told[]>;
}>;

const SCRIPT = fileURLToPath(new URL('agent.ts', import.meta.url));

export function openCrowd(count: number, common: Pick<Agent, 'addresses' | 'token'>): Crowd {
  const told: Told[] = [];
  const complaints: string[] = [];
  let serial = 0;
  const closings: Promise<unknown>[] = [];
  const launch = (): ChildProcess => {
    const name = `agent-${(serial += 1)}`;
    const setup = JSON.stringify({ ...common, name });
    const child = spawn(process.execPath, ['--no-warnings', SCRIPT, setup], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    closings.push(once(child, 'close'));
    let rest = '';
    child.stdout.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk.toString()).split('\n');
      rest = lines.pop()!;
      told.push(...lines.map((line) => JSON.parse(line) as Told));
    });
    child.stderr.on('data', (chunk: Buffer) => complaints.push(`${name}: ${chunk.toString()}`));
    return child;
  };
  const agents = Array.from({ length: count }, launch);
  return {
    async killOne() {
      const slot = Math.floor(Math.random() * agents.length);
      await end(agents[slot]!);
      agents[slot] = launch();
    },
    async goHome() {
      for (const agent of agents) agent.kill('SIGTERM');
      await Promise.all(closings);
      if (complaints.length > 0) throw new Error(complaints.join('\n'));
      return told;
    },
  };
}
