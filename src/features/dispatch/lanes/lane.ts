import type { LineSplitter } from '../../../kernel/byte-lines.ts';
import type { Agent } from '../agents/agents.ts';
import type { HubAttachment } from '../agents/families.ts';
import type { Common, Usage } from '../frames/common.ts';
import { createSeamMask } from '../../../kernel/redact-stream.ts';
import type { RunWriter } from '../stream/run-writer.ts';
import type { Exit, Launch, Started } from '../../../kernel/process/start.ts';
import type { Limit } from '../quota/limit.ts';
import type { Reason, Run, RunError } from '../run.ts';
import { splitLines } from '../stream/lines.ts';

/** What a lane needs to run one process for one run. */
export type LaneParts = Readonly<{
  run: Run;
  agent: Agent;
  launch: Launch;
  writer: RunWriter;
  /** Aborts when the run is to stop, whatever the reason. */
  stopping: AbortSignal;
  /** The process stands. */
  started(child: Started): void;
  /** Something was said, in whatever form. */
  heard(common: Common | undefined): void;
  /** The agent's own session stands: it can be gone on with, whatever becomes of this hub. */
  session(id: string): Promise<void>;
  /** Usage of this run so far, as the agent tells it. */
  spent(usage: Usage): void;
}>;

/** How the process ended, by its own word. */
export type LaneOutcome = Readonly<{
  isDone: boolean;
  text: string;
  error: RunError | null;
  /** What its model said that it takes no more, in an error of the client. */
  limit?: Limit;
  exit: Exit | undefined;
  sessionId: string | undefined;
  usage: Usage | undefined;
}>;

/** Speaks ACP for a run; handed in, because most hubs never need it. */
export type RunAcp = (parts: LaneParts, more: AcpMore) => Promise<LaneOutcome>;
export type AcpMore = Readonly<{
  hub: HubAttachment | undefined;
  sessionId: string | undefined;
  /** What the session had cost before this run. */
  costBefore: number;
  setReason(reason: Reason): Promise<void>;
  /** What it is told where the old session cannot be opened again; without it that is the end. */
  startOver?: string;
  /** What came for the agent while it worked: its next prompt, when its turn is over. */
  news(): Promise<string | undefined>;
}>;

/** Between TERM and KILL. */
export const PATIENCE_MS = 3_000;
/** After its last word a process may tidy up for so long. */
export const FAREWELL_MS = 10_000;

/** More is kept than is shown, so that it is masked before it is cut. */
const MOST_KEPT = 20_000;

type Tail = Readonly<{ add(line: string): void; text(): string }>;

/** The last lines a process said on stderr: often the only reason there is. */
export function createTail(most = 2_000): Tail {
  const kept: string[] = [];
  let size = 0;
  return {
    add(given) {
      const line = given.slice(0, MOST_KEPT);
      kept.push(line);
      size += line.length + 1;
      while (size > MOST_KEPT && kept.length > 1) size -= kept.shift()!.length + 1;
    },
    text() {
      const shown: string[] = [];
      const mask = createSeamMask<undefined>('lines', (line) => shown.push(line));
      for (const line of kept) mask.add(line, undefined);
      mask.flush();
      return shown.join('\n').slice(-most).trim();
    },
  };
}

/** What a process says on stderr: shown as notices, and kept for when it fails. */
export function hearComplaints({ heard, writer }: LaneParts, complaints: Tail): LineSplitter {
  return splitLines((line) => {
    heard(undefined);
    complaints.add(line.text);
    writer.frame('stderr', line, { type: 'notice', text: line.text.slice(0, 2_000) });
  });
}
