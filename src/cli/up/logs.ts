import { Command } from 'commander';
import { createReadStream, statSync, watch } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { HubError } from '../../kernel/errors.ts';
import { logPath } from './log-file.ts';
import { configFrom, type Options, withDatabase } from '../options.ts';
import type { World } from '../world.ts';

export function logsCommand(world: World): Command {
  return withDatabase(new Command('logs').description('what the hub said last'))
    .option('-f, --follow', 'and what it says from now on, until Ctrl-C')
    .option('-n, --lines <number>', 'how many of the last lines', '100')
    .action((options: Options) => logs(world, options));
}

/** The last megabyte is enough for any number of lines that a person reads. */
const TAIL = 1024 * 1024;

async function logs(world: World, options: Options): Promise<void> {
  const { home } = await configFrom(world, { database: options['database'] });
  const path = logPath(home);
  const count = linesOf(options['lines']);
  const say = (line: string) => world.print(options['json'] ? JSON.stringify({ line }) : line);
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size === undefined && !options['follow'])
    throw new HubError('not_found', `There is no log at ${path} yet.`, {
      hint: '`holdfast up` starts a hub, which writes one.',
    });
  const last =
    size === undefined ? [] : (await readFrom(path, Math.max(0, size - TAIL))).split('\n').slice(0, -1);
  for (const line of count === 0 ? [] : last.slice(-count)) say(line);
  if (options['follow']) await follow(path, size ?? 0, { say, signal: world.interrupted });
}

function linesOf(given: unknown): number {
  if (typeof given === 'string' && /^\d{1,6}$/.test(given)) return Number(given);
  throw new HubError('invalid', `--lines must be a whole number; got ${JSON.stringify(given)}.`);
}

function readFrom(path: string, start: number): Promise<string> {
  return text(createReadStream(path, { start }));
}

type Following = Readonly<{ say(line: string): void; signal: AbortSignal }>;

/** Also over a turn of the log: a file that is shorter than what was read of it is a new one, read from its start. */
async function follow(path: string, from: number, { say, signal }: Following): Promise<void> {
  let at = from;
  let rest = '';
  let wake: () => void = () => undefined;
  const watcher = statSync(dirname(path), { throwIfNoEntry: false }) && watch(dirname(path), () => wake());
  signal.addEventListener('abort', () => wake());
  while (!signal.aborted) {
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (size < at) at = 0;
    if (size > at) {
      const fresh = await slice(path, at, size);
      at += fresh.length;
      const lines = (rest + fresh.toString()).split('\n');
      rest = lines.pop()!;
      lines.forEach(say);
      continue;
    }
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, 1_000);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
  watcher?.close();
}

async function slice(path: string, from: number, to: number): Promise<Buffer> {
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(to - from, TAIL)), { position: from });
  return buffer.subarray(0, bytesRead);
}
