import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { elapsed } from '../../kernel/clock.ts';
import type { Config } from '../../kernel/config.ts';
import { type HubAnnouncement, runningHub } from '../../kernel/discovery.ts';
import { HubError } from '../../kernel/errors.ts';
import { isThere } from '../../kernel/process/signal.ts';
import { logPath } from './log-file.ts';
import type { World } from '../world.ts';

/** The hub of a database as a process: which one, ending it, and starting one that stays when the terminal goes. */
const PATIENCE_MS = 30_000;
const LOOK_MS = 50;

/** Resolves when it is gone: its port, its lock and its process. */
export async function endHub({ pid }: HubAnnouncement): Promise<void> {
  try {
    process.kill(pid, 'SIGTERM');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ESRCH') return;
    throw new HubError('forbidden', `The hub, process ${pid}, cannot be stopped (${code}).`, {
      pid,
      hint: 'It belongs to another user: stop it as that user.',
    });
  }
  for (const end = elapsed() + PATIENCE_MS; elapsed() < end; await sleep(LOOK_MS))
    if (!isThere(pid) || isEnded(pid)) return;
  throw new HubError('busy', `The hub, process ${pid}, is still there after ${PATIENCE_MS / 1000} s.`, {
    pid,
    hint: `It may be finishing long work. \`kill -9 ${pid}\` ends it at once; nothing that was answered is lost.`,
  });
}

/** The hub that somebody else starts in the place of this one. */
export async function successorOf({ pid }: HubAnnouncement, config: Config): Promise<HubAnnouncement> {
  for (const end = elapsed() + PATIENCE_MS; elapsed() < end; await sleep(LOOK_MS)) {
    const announced = await runningHub(config);
    if (announced && announced.pid !== pid) return announced;
  }
  throw new HubError('unavailable', `No hub came back within ${PATIENCE_MS / 1000} s.`, {
    hint: 'Look with `holdfast logs`.',
  });
}

/** A process that ended keeps its number until its parent looks; it holds nothing any more. */
function isEnded(pid: number): boolean {
  try {
    return /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** Answers when the new hub can be used; what keeps it from starting is said here and not in a log. */
export async function startApart(
  world: World,
  config: Config,
  args: readonly string[],
): Promise<HubAnnouncement> {
  const [command, ...own] = world.self;
  // Its working folder is nobody's: a folder that is removed or unmounted later must not be held by the hub.
  const child = spawn(command!, [...own, 'up', ...args], {
    cwd: '/',
    detached: true,
    env: world.env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  let ended = false;
  child.once('exit', () => (ended = true));
  child.once('error', (error) => {
    said += error.message;
    ended = true;
  });
  for (const end = elapsed() + PATIENCE_MS; elapsed() < end && !ended; await sleep(LOOK_MS)) {
    const announced = await runningHub(config);
    if (announced?.pid !== child.pid) continue;
    child.stderr.destroy();
    child.unref();
    return announced!;
  }
  if (!ended) child.kill();
  throw new HubError('unavailable', `The hub did not start.\n${said.trim()}`, {
    hint: `Run \`holdfast doctor\`; its log is ${logPath(config.home)}.`,
  });
}
