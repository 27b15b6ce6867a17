import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const MOST_GROWTH_MB = 64;

/** What is held when nobody asks, and whether it is still that much later. The hub is in this process. */
export async function watchMemory(): Promise<() => Promise<string[]>> {
  const before = await atRest();
  return async () => {
    const after = await atRest();
    const line = `${Math.round(before)} MB of heap before, ${Math.round(after)} MB after`;
    process.stdout.write(`${line}\n`);
    return after - before > MOST_GROWTH_MB ? [`memory did not come back: ${line}`] : [];
  };
}

async function atRest(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let i = 0; i < 3; i += 1) {
    collect();
    await sleep(300);
  }
  return process.memoryUsage().heapUsed / 2 ** 20;
}
