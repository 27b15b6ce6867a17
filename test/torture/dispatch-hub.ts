import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** A hub in a process of its own, for torture: killed hard, started again on the same home. */
export async function startTorturedHub(holdfast: string, env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, [holdfast, 'up', '--json', '--port', '0'], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const gone = once(child, 'exit');
  let said = '';
  for await (const chunk of child.stdout) {
    said += String(chunk);
    if (said.includes('\n')) break;
  }
  child.stdout.resume();
  const { address } = JSON.parse(said) as { address: string };
  return {
    address,
    pid: child.pid!,
    async kill() {
      child.kill('SIGKILL');
      await gone;
    },
  };
}
