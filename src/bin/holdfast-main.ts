import { Readable } from 'node:stream';
import { runCli } from '../cli/program.ts';
import type { Hub } from '../kernel/hub.ts';
import { VERSION } from '../kernel/version.ts';
import { createLog, type Log, type LogLevel } from '../kernel/log.ts';
import type { Config } from '../kernel/config.ts';
import { logPath, openLogFile } from '../cli/up/log-file.ts';
import { keepCompiled } from './compiled.ts';
import { createStop } from './stop.ts';
import { isColored, type When } from '../cli/terminal/color.ts';
import { pagerOf, rowsOf, showInPager } from '../cli/terminal/pager.ts';
import { knowsUtf8, lineWriter, onBrokenPipe } from '../cli/terminal/screen.ts';

/** Connects the command line to this process. The hub itself is loaded only by the commands that need one. */
export async function main(args: readonly string[], input?: string, called?: string): Promise<void> {
  const interrupt = new AbortController();
  const stop = createStop(interrupt, (code) => process.exit(code));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  onBrokenPipe(process.stdout, () => interrupt.abort());
  onBrokenPipe(process.stderr, () => undefined);
  const { env } = process;
  let when: When = 'auto';
  const painting = (isTTY: boolean | undefined) => () => isColored(when, { isTTY: isTTY === true, env });
  const isUtf8 = knowsUtf8(env);
  const tell = lineWriter(process.stderr, { isColored: painting(process.stderr.isTTY), isUtf8 });
  const held: string[] = [];
  const pager = process.stdout.isTTY && process.stdin.isTTY ? pagerOf(env) : undefined;
  let isHolding = false;
  const print = lineWriter(
    {
      isTTY: process.stdout.isTTY,
      write: (text) => (isHolding ? held.push(text) : process.stdout.write(text)),
    },
    { isColored: painting(process.stdout.isTTY), isUtf8 },
  );
  process.exitCode = await runCli(args, {
    env,
    ...(called !== undefined && { called }),
    cwd: workingFolder(),
    stdin: input === undefined ? process.stdin : Readable.from([input]),
    print,
    tell,
    columns: process.stdout.isTTY ? process.stdout.columns : undefined,
    self: [process.execPath, ...process.argv.slice(1, 2)],
    color: (wanted) => void (when = wanted),
    pager: (isWanted) => void (isHolding = isWanted && pager !== undefined),
    createHub: async (config, mode) => {
      if (mode === 'private') {
        keepCompiled(config.home);
        const { createHub } = await import('../app.ts');
        return createHub(config, mode, spokenLog(config.logLevel, tell));
      }
      const { boundNursery, giveBackAtRest, optimiseLater } = await import('./give-back.ts');
      // Before what is compiled is looked for: it lies under the flags it was compiled with.
      keepCompiled(config.home, optimiseLater());
      const { createHub } = await import('../app.ts');
      const hub = await keepLog(config, (log) => createHub(config, mode, log));
      giveBackAtRest();
      boundNursery();
      return hub;
    },
    async rest() {
      const { giveBackAtRest, GROWN_BY_A_RUN } = await import('./give-back.ts');
      giveBackAtRest(GROWN_BY_A_RUN);
    },
    serveStdio: async (server, rest) => (await import('./stdio.ts')).serveStdio(server, rest),
    interrupted: interrupt.signal,
  });
  await show(held.join(''), pager);
}

async function show(text: string, pager: string | undefined): Promise<void> {
  // A terminal that does not know its own size says 0.
  const { rows, columns } = process.stdout;
  const isLong = pager !== undefined && rows > 0 && rowsOf(text, columns || 80) > rows;
  if (isLong && (await showInPager(text, pager, process.env))) return;
  if (text !== '') process.stdout.write(text);
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

/** What a hub that stays has to say is on the terminal and in its file; that it came and went, in the file alone. */
async function keepLog(config: Config, open: (log: Log) => Promise<Hub>): Promise<Hub> {
  const keep = openLogFile(logPath(config.home));
  const log = createLog(config.logLevel, (line) => {
    process.stderr.write(line);
    keep(line);
  });
  const diary = createLog('info', keep);
  const hub = await open(log);
  diary.info(`Holdfast ${VERSION} is up at ${hub.address}, process ${process.pid}.`);
  return {
    ...hub,
    async close() {
      await hub.close();
      diary.info('Stopped.');
    },
  };
}
