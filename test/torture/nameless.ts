import { openSync, writeSync } from 'node:fs';
import { pause } from '../../src/kernel/clock.ts';
import { legacyPeer, stdioPeer } from './peer.ts';
import type { Entry } from './worker.ts';

/**
 * One agent that knows only what the documents say: no fence, no key, and a name that all of its kind share. When it
 * loses a race it does what was seen in the wild, and tries to finish the winner's task all the same.
 */
type Setup = Readonly<{ address?: string; bin?: string; journal: string }>;

const setup = JSON.parse(process.argv[2]!) as Setup;
const journal = openSync(setup.journal, 'a');
const call = setup.address ? legacyPeer(`${setup.address}/api/mcp/tasks`) : stdioPeer(setup.bin!, 'worker');

for (;;) {
  const page = await answered('list_tasks', { ready: true });
  const ready: { id: string }[] = page.tasks ?? [];
  if (ready.length === 0) {
    await pause(50 + Math.random() * 100);
    continue;
  }
  const taskId = ready[Math.floor(Math.random() * Math.min(5, ready.length))]!.id;
  const claimed = await answered('claim_task', { taskId, assigneeAgentId: 'worker' });
  if (claimed.code) {
    await meddle(taskId);
    continue;
  }
  const mine = { taskId, fence: claimed.fence as number };
  write({ op: 'claimed', ...mine });
  await pause(Math.random() * 10);
  const done = await answered('update_task_status', { taskId, status: 'done' });
  write({ op: done.code ? 'lost' : 'done', ...mine });
}

/** Refused while somebody holds it; once it is over there is nothing left to steal. */
async function meddle(taskId: string): Promise<void> {
  const before = await answered('get_task', { taskId });
  if (before.task?.status !== 'in_progress') return;
  await answered('update_task_status', { taskId, status: 'done' });
  await answered('release_task', { taskId });
  await answered('block_task', { taskId });
}

function write(entry: Entry): void {
  writeSync(journal, `${JSON.stringify(entry)}\n`);
}

/** Again until somebody answers. Without a key a change may have happened: asking again finds it done already. */
async function answered(tool: string, args: object): Promise<any> {
  for (;;) {
    try {
      const { isError, structuredContent } = await call(tool, args);
      if (!isError || !['unavailable', 'busy', 'internal'].includes(structuredContent?.code))
        return structuredContent;
    } catch {
      // The hub is away: it comes back on the same address.
    }
    await pause(20 + Math.random() * 80);
  }
}
