import { runCli } from '../cli/program.ts';
import { createStop } from './stop.ts';
import { lineWriter } from '../cli/screen.ts';

/** Connects the command line to this process. The hub itself is loaded only by the commands that need one. */
export async function main(args: readonly string[]): Promise<void> {
  const interrupt = new AbortController();
  const stop = createStop(interrupt, (code) => process.exit(code));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  process.exitCode = await runCli(args, {
    env: process.env,
    stdin: process.stdin,
    print: lineWriter(process.stdout),
    tell: lineWriter(process.stderr),
    columns: process.stdout.isTTY ? process.stdout.columns : undefined,
    createHub: async (config, mode) => (await import('../app.ts')).createHub(config, mode),
    serveStdio: async (server, rest) => (await import('./stdio.ts')).serveStdio(server, rest),
    interrupted: interrupt.signal,
  });
}
