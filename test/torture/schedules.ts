// Hubs on one PostgreSQL that plan and start the same schedules while they are killed: afterwards every time has fired
// once, and each has one task and one run.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** A minute takes half a second: what is missed stays below what is caught up with. */
const FASTER = 120;
/** Two seconds of ours. */
export const LEASE_MS = 2_000 * FASTER;

export function fastClock(base: number) {
  const now = () => base + Math.round((Date.now() - base) * FASTER);
  return { now, elapsed: () => performance.now() * FASTER };
}

type SchedulePlan = Readonly<{ location: string; schema: string; base: number; hubs: number }>;

const HUB = fileURLToPath(new URL('schedules-hub.ts', import.meta.url));

/** So many hubs; `kill` ends one after the other and starts another in its place. */
export async function tortureSchedules({ location, schema, base, hubs }: SchedulePlan) {
  let count = 0;
  const start = async (): Promise<ChildProcess> => {
    count += 1;
    const args = ['--no-warnings', HUB, location, schema, String(base), `hub-${count}`];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    return child;
  };
  const running = await Promise.all(Array.from({ length: hubs }, start));
  return {
    async kill(kills: number) {
      for (let i = 0; i < kills; i += 1) {
        await sleep(200 + Math.random() * 600);
        running.shift()!.kill('SIGKILL');
        running.push(await start());
      }
    },
    end: () => running.forEach((child) => child.kill('SIGKILL')),
  };
}
