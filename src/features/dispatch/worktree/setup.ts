// The operator's own script, in a folder that was just made; what it says is part of the run, and it ends with it.
import { HubError } from '../../../kernel/errors.ts';
import { startProcess } from '../../../kernel/process/start.ts';
import { attemptMark } from '../attempt/launch.ts';
import type { Run } from '../run.ts';
import { splitLines } from '../stream/lines.ts';
import type { RunWriter } from '../stream/run-writer.ts';

/** As for the agent itself. */
const PATIENCE_MS = 3_000;

type WorktreeSetup = Readonly<{
  run: Run;
  script: string;
  writer: Pick<RunWriter, 'notice'>;
  stopping: AbortSignal;
}>;

export async function runSetup({ run, script, writer, stopping }: WorktreeSetup): Promise<void> {
  const lines = splitLines(({ text }) => writer.notice(`setup: ${text.slice(0, 2_000)}`));
  const launch = {
    program: '/bin/sh',
    args: ['-c', script],
    cwd: run.cwd,
    env: plainEnvironment(),
    mark: attemptMark(run),
    input: '',
  };
  const child = await startProcess(launch, { stdout: lines.push, stderr: lines.push });
  const end = () => void child.tree.end(PATIENCE_MS);
  if (stopping.aborted) end();
  else stopping.addEventListener('abort', end, { once: true });
  const { code } = await child.exited;
  stopping.removeEventListener('abort', end);
  lines.end();
  stopping.throwIfAborted();
  if (code !== 0)
    throw new HubError('unavailable', `The setup script ended with code ${code}.`, { retryable: false });
}

function plainEnvironment(): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME };
}
