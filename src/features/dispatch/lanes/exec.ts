import { type FrameReader, NO_USAGE, type Usage, type Verdict } from '../frames/common.ts';
import { type ClientFailure, readFailure } from '../quota/limit.ts';
import { type Exit, startProcess } from '../../../kernel/process/start.ts';
import { splitLines } from '../stream/lines.ts';
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

  const verdict = isPlain ? plainVerdict(exit, said, complaints.text()) : reader.verdict();
  return {
    isDone: verdict?.ok === true,
    text: verdict?.ok ? verdict.text : said,
    ...(verdict?.ok
      ? { error: null }
      : failureOf(verdict ?? silentEnd(exit, complaints.text()), complaints.text())),
    exit,
    sessionId: reader.sessionId(),
    usage: usageOf(reader, isPlain),
  };
}

/** What a script says that may be asked again later, as `sysexits.h` has it. */
const TEMPORARY_FAILURE = 75;

function plainVerdict({ code, signal }: Exit, said: string, stderr: string): Verdict {
  if (code === 0) return { ok: true, text: said };
  if (code === TEMPORARY_FAILURE) {
    const text = stderr === '' ? 'it exited with code 75: not now' : stderr.slice(-500);
    return { ok: false, class: 'rate_limit', text, limit: { kind: 'rate', text } };
  }
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

/** A process that left without a word of its family. */
function silentEnd({ code, signal }: Exit, stderr: string): ClientFailure {
  const how = signal === null ? `with code ${code}` : `by ${signal}`;
  const last = stderr.split('\n').at(-1) ?? '';
  const text = `it ended ${how} without a result${last === '' ? '' : `: ${last.slice(0, 300)}`}`;
  if (stderr === '') return { class: 'crash', text };
  const failure = readFailure({ text: stderr });
  return { ...failure, class: failure.class === 'api' ? 'crash' : failure.class, text };
}

function failureOf(failure: ClientFailure, stderr: string): Pick<LaneOutcome, 'error' | 'limit'> {
  const { limit, class: kind, text } = failure;
  return {
    error: { class: kind, text, ...(stderr !== '' && { stderr }) },
    ...(limit && { limit }),
  };
}
