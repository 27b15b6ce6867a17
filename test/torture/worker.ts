import { openSync, writeSync } from 'node:fs';
import { pause } from '../../src/kernel/clock.ts';
import { modernCall } from '../fixtures/modern-call.ts';
import { stdioPeer, type Answer, type Peer } from './peer.ts';

/**
 * One agent: claims the next task, comments on it, finishes it, again and again. What was acknowledged goes to a
 * journal at once, so that it survives when this process is killed.
 */
export type Entry = Readonly<{
  op: 'claimed' | 'commented' | 'done' | 'lost';
  taskId: string;
  fence: number;
  commentId?: string;
}>;

type Setup = Readonly<{ name: string; address?: string; bin?: string; journal: string }>;

const setup = JSON.parse(process.argv[2]!) as Setup;
const journal = openSync(setup.journal, 'a');
const call = setup.address ? overHttp(setup.address) : stdioPeer(setup.bin!, setup.name);
let serial = 0;

for (;;) {
  const { task } = await certainly('claim_next_task', { assigneeAgentId: setup.name });
  if (task === null) {
    await pause(50 + Math.random() * 100);
    continue;
  }
  const mine = { taskId: task.id as string, fence: task.fence as number };
  write({ op: 'claimed', ...mine });
  await pause(Math.random() * 10);
  const comment = await certainly('add_comment', {
    ...mine,
    body: `${setup.name} works under fence ${mine.fence}`,
    authorAgentId: setup.name,
  });
  if (comment.code) {
    write({ op: 'lost', ...mine });
    continue;
  }
  write({ op: 'commented', ...mine, commentId: comment.id as string });
  const done = await certainly('update_task_status', { ...mine, status: 'done' });
  write({ op: done.code ? 'lost' : 'done', ...mine });
}

function write(entry: Entry): void {
  writeSync(journal, `${JSON.stringify(entry)}\n`);
}

/** Repeats a call under one key until it is answered for certain: a hub that died in between must not make it happen twice. */
async function certainly(tool: string, args: object): Promise<any> {
  const idempotencyKey = `${setup.name}-${process.pid}-${++serial}`;
  for (;;) {
    try {
      const { isError, structuredContent } = await call(tool, { ...args, idempotencyKey });
      if (!isError || !['unavailable', 'busy', 'internal'].includes(structuredContent?.code))
        return structuredContent;
    } catch {
      // The hub is away: it comes back on the same address.
    }
    await pause(20 + Math.random() * 80);
  }
}

function overHttp(address: string): Peer {
  return async (name, args = {}) => {
    const signal = AbortSignal.timeout(20_000);
    const response = await modernCall(`${address}/api/mcp/tasks?profile=extended`, { name, args, signal });
    return ((await response.json()) as { result: Answer }).result;
  };
}
