// One run of one check in a tree that is laid out: how it ended, what it said last, which tests failed.
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { realOf } from '../../../kernel/git/place.ts';
import { isInside } from '../../../kernel/folders.ts';
import { CappedOutput } from '../../../kernel/shell/output.ts';
import { launch } from '../../../kernel/shell/process.ts';
import { checkShell, type Confinement } from '../../../kernel/shell/sandbox.ts';
import { redact } from '../../../kernel/redact.ts';
import { failingIn, MOST_REPORT } from './junit.ts';
import type { Failing } from '../landing-shapes.ts';

export type CheckRun = Readonly<{
  command: string;
  tree: string;
  network: 'none' | 'open';
  timeoutMs: number;
  junit?: string | undefined;
  confinement: Confinement;
  env: Readonly<Record<string, string>>;
  hidden: readonly string[];
  signal: AbortSignal;
}>;

export type CheckEnd = Readonly<{ exit: number; ms: number; tail: string; failing: readonly Failing[] }>;

/** What a shell answers for what was ended at its time. */
const TIMED_OUT = 124;
const MOST_TAIL = 8_000;
/** Of a flood only the beginning and the end are kept while it runs. */
const KEPT_OUTPUT = 64 * 1024;

export async function runCheck(run: CheckRun): Promise<CheckEnd> {
  const { command, tree, network, timeoutMs, confinement, env, hidden, signal } = run;
  signal.throwIfAborted();
  const output = new CappedOutput(KEPT_OUTPUT);
  const shell = await checkShell(confinement, {
    command,
    tree,
    network,
    env: { ...env, CI: 'true' },
    hidden,
  });
  const running = launch(
    shell,
    { stdout: (chunk) => output.add(chunk), stderr: (chunk) => output.add(chunk) },
    timeoutMs,
  );
  signal.addEventListener('abort', () => running.kill(), { once: true });
  const { exitCode, timedOut, durationMs } = await running.ended;
  signal.throwIfAborted();
  const exit = timedOut ? TIMED_OUT : exitCode < 0 ? 137 : exitCode;
  const said = redact(output.text()).slice(-MOST_TAIL);
  const tail = timedOut ? `${said}\n[ended after ${Math.round(timeoutMs / 1_000)} s]` : said;
  const report = exit === 0 || run.junit === undefined ? '' : await readReport(tree, run.junit);
  return { exit, ms: durationMs, tail, failing: failingIn(report) };
}

/** Written by the code under test: a link, a device or a giant in its place is no report. */
async function readReport(tree: string, name: string): Promise<string> {
  const path = join(tree, name);
  if (!isInside(await realOf(tree), await realOf(path))) return '';
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW).catch(
    () => undefined,
  );
  if (!file) return '';
  try {
    const facts = await file.stat();
    if (!facts.isFile() || facts.size > MOST_REPORT) return '';
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}
