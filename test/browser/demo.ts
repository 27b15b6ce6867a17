import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { builtBin } from '../fixtures/built.ts';

/** The demo as a process of its own; its agents stay still, so that what is seen is what was told. */
export async function startDemo(): Promise<Readonly<{ address: string; stop(): Promise<void> }>> {
  const { PATH, HOME } = process.env;
  const line = [builtBin('holdfast'), 'demo', '--still', '--json', '--port', '0'];
  const child = spawn(process.execPath, line, { env: { PATH, HOME }, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  let said = '';
  for await (const chunk of child.stdout) {
    said += String(chunk);
    if (said.includes('\n')) break;
  }
  child.stdout.resume();
  const { address } = JSON.parse(said) as { address: string };
  return {
    address,
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
