import { startBin } from '../fixtures/started-bin.ts';

/** A hub in a process of its own, for torture: killed hard, started again on the same home. */
export async function startTorturedHub(env: NodeJS.ProcessEnv) {
  const { child, address, stop } = await startBin(['holdfast', 'up', '--json', '--port', '0'], env);
  return { address, pid: child.pid!, kill: async () => void (await stop('SIGKILL')) };
}
