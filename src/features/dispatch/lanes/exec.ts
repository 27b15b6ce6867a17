import { classify, type FrameReader, NO_USAGE, type Usage, type Verdict } from '../frames/common.ts';
import { type Exit, startProcess } from '../../../kernel/process/start.ts';
import { splitLines } from '../stream/lines.ts';
import type { RunError } from '../run.ts';
import {
  createTail,
  FAREWELL_MS,
  hearComplaints,
  type LaneParts,
  type LaneOutcome,
  PATIENCE_MS,
} from './lane.ts';

/** So much of what a plain command said is its result. */
const MOST_RESULT = 256 * 1024;

/**
 * One process, one prompt, lines until it ends. Its own terminal frame decides; a plain command has only its
 * exit code.
 */
export async function runExec(parts: LaneParts, reader: FrameReader): Promise<LaneOutcome> {
  const { run, launch, writer, stopping } = parts;
  const complaints = createTail();
  const isPlain = run.family === 'command';
  let said = '';
  let farewell: NodeJS.Timeout | undefined;
  const child: { end?(): void } = {};

  const out = splitLines((line) => {
    const common = line.lost > 0 ? undefined : reader.read(line.text);
    parts.heard(common);
    writer.frame('stdout', line, common);
    const usage = reader.usage();
    if (usage) parts.spent(usage);
    const sessionId = reader.sessionId();
    if (sessionId !== undefined) void parts.session(sessionId);
    if (isPlain && said.length < MOST_RESULT)
      said += `${said === '' ? '' : '\n'}${line.text.slice(0, MOST_RESULT)}`;
    // A result is the end, also when its process does not leave.
    if (reader.verdict() && farewell === undefined) farewell = setTimeout(() => child.end?.(), FAREWELL_MS);
  });
  const err = hearComplaints(parts, complaints);

  const started = await startProcess(launch, { stdout: out.push, stderr: err.push });
  const end = () => void started.tree.end(PATIENCE_MS);
  child.end = end;
  parts.started(started);
  if (stopping.aborted) end();
  else stopping.addEventListener('abort', end, { once: true });
  const exit = await started.exited;
  stopping.removeEventListener('abort', end);
  clearTimeout(farewell);
  out.end();
  err.end();

  const verdict = isPlain ? plainVerdict(exit, said) : reader.verdict();
  return {
    isDone: verdict?.ok === true,
    text: verdict?.ok ? verdict.text : said,
    error: verdict?.ok ? null : errorOf(verdict, exit, complaints.text()),
    exit,
    sessionId: reader.sessionId(),
    usage: usageOf(reader, isPlain),
  };
}

function plainVerdict({ code, signal }: Exit, said: string): Verdict {
  if (code === 0) return { ok: true, text: said };
  return {
    ok: false,
    class: 'crash',
    text: signal === null ? `it exited with code ${code}` : `it was ended by ${signal}`,
  };
}

/** An agent that was broken off before it told its usage has used something all the same. */
function usageOf(reader: FrameReader, isPlain: boolean): Usage | undefined {
  const usage = reader.usage();
  if (usage || isPlain) return usage;
  return { ...NO_USAGE, basis: 'lower_bound' };
}

function errorOf(verdict: Verdict | undefined, { code, signal }: Exit, stderr: string): RunError {
  const about = stderr === '' ? {} : { stderr };
  if (verdict && !verdict.ok) return { class: verdict.class, text: verdict.text, ...about };
  const how = signal === null ? `with code ${code}` : `by ${signal}`;
  const last = stderr.split('\n').at(-1) ?? '';
  const text = `it ended ${how} without a result${last === '' ? '' : `: ${last.slice(0, 300)}`}`;
  const known = stderr === '' ? 'api' : classify(stderr);
  return { class: known === 'api' ? 'crash' : known, text, ...about };
}
