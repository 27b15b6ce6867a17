import { runCli } from '../cli/program.ts';
import { createLog, type Log, type LogLevel } from '../kernel/log.ts';
import { createStop } from './stop.ts';
import { lineWriter } from '../cli/screen.ts';

/** Connects the command line to this process. The hub itself is loaded only by the commands that need one. */
export async function main(args: readonly string[]): Promise<void> {
  const interrupt = new AbortController();
  const stop = createStop(interrupt, (code) => process.exit(code));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  const tell = lineWriter(process.stderr);
  process.exitCode = await runCli(args, {
    env: process.env,
    cwd: workingFolder(),
    stdin: process.stdin,
    print: lineWriter(process.stdout),
    tell,
    columns: process.stdout.isTTY ? process.stdout.columns : undefined,
    createHub: async (config, mode) => {
      const { createHub } = await import('../app.ts');
      return mode === 'private' ? createHub(config, mode, spokenLog(config.logLevel, tell)) : createHub(config, mode);
    },
    serveStdio: async (server, rest) => (await import('./stdio.ts')).serveStdio(server, rest),
    interrupted: interrupt.signal,
  });
}

/** A folder that was removed under the process has no name any more. */
function workingFolder(): string {
  try {
    return process.cwd();
  } catch {
    return '/';
  }
}

/** What a hub of one command's own has to say is said to a person: a sentence, without time and level. */
function spokenLog(level: LogLevel, tell: (line: string) => void): Log {
  const log = createLog(level);
  return level === 'info' ? { ...log, info: tell } : log;
}
