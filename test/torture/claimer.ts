import { stdioPeer } from './peer.ts';

/** Claims as fast as it can from the moment it is told to, and tells what it got. */
export type Haul = Readonly<{ ids: string[]; refusals: string[]; ms: number }>;

const call = stdioPeer(process.argv[2]!, process.argv[3]!);
await call('list_tasks', { limit: 1 });
process.once('message', () => void claimAll());
process.send!('ready');

async function claimAll(): Promise<void> {
  const ids: string[] = [];
  const refusals: string[] = [];
  const started = performance.now();
  for (;;) {
    const { isError, structuredContent } = await call('claim_next_task', {
      assigneeAgentId: process.argv[3],
    });
    if (isError) refusals.push(structuredContent.code as string);
    else if (structuredContent.task === null) break;
    else ids.push(structuredContent.task.id as string);
  }
  process.send!({ ids, refusals, ms: performance.now() - started } satisfies Haul, () => process.exit(0));
}
