import { spawn } from 'node:child_process';
import { linesFrom } from '../../../kernel/byte-lines.ts';
import { HubError } from '../../../kernel/errors.ts';
import { ripgrepProgram } from '../../../kernel/ripgrep.ts';

/**
 * ripgrep, the one engine of Grep and Glob. It runs as a process of its own, so that no pattern of a caller
 * and no ignore file of a stranger holds the hub up: its expressions never backtrack, its memory and its time
 * are bounded.
 */
export type RipgrepRun = Readonly<{
  cwd: string;
  args: readonly string[];
  separator: number;
  signal: AbortSignal;
}>;

export const LINES = 0x0a;
export const NULS = 0;

const MOST_MS = 20_000;
const MOST_RECORD = 64 * 1024 * 1024;

/** Its output piece by piece. Whoever has enough stops asking, and the process ends. */
export async function* runRipgrep({
  cwd,
  args,
  separator,
  signal,
}: RipgrepRun): AsyncGenerator<Buffer, void> {
  const deadline = AbortSignal.timeout(MOST_MS);
  const [program, ...first] = await ripgrepProgram();
  const child = spawn(program, [...first, ...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let complaint = '';
  child.stderr.on(
    'data',
    (chunk: Buffer) => (complaint = (complaint + chunk.toString('utf8')).slice(0, 2_000)),
  );
  const closed = new Promise<number | null>((resolve, reject) =>
    child.once('error', reject).once('close', resolve),
  );
  closed.catch(() => undefined);
  const stop = () => void child.kill('SIGKILL');
  const ending = AbortSignal.any([deadline, signal]);
  ending.addEventListener('abort', stop, { once: true });
  let given = 0;
  try {
    for await (const { head, lost } of linesFrom(child.stdout, { most: MOST_RECORD, kept: 0, separator })) {
      if (lost > 0) throw new HubError('too_large', 'A line of what was found is too long.');
      given += 1;
      yield head;
    }
    const code = await closed;
    signal.throwIfAborted();
    if (deadline.aborted) throw tooSlow();
    // 0 found something, 1 did not; 2 after a finding is one file of many that could not be read.
    if (code !== 0 && code !== 1 && given === 0) throw notSearched(complaint);
  } finally {
    ending.removeEventListener('abort', stop);
    stop();
  }
}

function tooSlow(): HubError {
  return new HubError('unavailable', `The search did not end within ${MOST_MS / 1_000} s and was given up.`, {
    denied: 'finding:slow',
    hint: 'Search a smaller folder.',
  });
}

function notSearched(complaint: string): HubError {
  const said = complaint.trim();
  const [first = ''] = said.split('\n');
  if (/regex parse error|error parsing regex|regex exceeds size/.test(said))
    return new HubError('invalid', `The pattern is not a regular expression: ${said}`, {
      denied: 'grep:pattern',
    });
  if (/glob/.test(said))
    return new HubError('invalid', `The pattern is not a glob: ${first}`, { denied: 'glob:pattern' });
  const what = first === '' ? 'ripgrep ended early' : first;
  return new HubError('invalid', `Nothing was searched: ${what}`, { denied: 'finding:failed' });
}
