// Somebody who works with a hub that may go away at any moment: what was answered for certain is written down.
import { pause } from '../../src/kernel/clock.ts';
import { modernCall } from '../fixtures/modern-call.ts';
import type { Entry } from '../torture/worker.ts';

export type Done = Readonly<{
  entries: readonly Entry[];
  facts: readonly string[];
  posts: readonly string[];
}>;

type Told = Readonly<{ isError?: boolean; structuredContent: any }>;
const AGAIN = new Set(['unavailable', 'busy', 'internal', 'timeout', 'rate_limited']);

/** Takes tasks and finishes them, remembers something and says something, until it is told to stop. */
export async function work(name: string, addresses: readonly string[], isOver: () => boolean): Promise<Done> {
  const entries: Entry[] = [];
  const facts: string[] = [];
  const posts: string[] = [];
  let serial = 0;
  while (!isOver()) {
    const { task } = await certainly('tasks', 'claim_next_task', { assigneeAgentId: name });
    if (task) await finish({ taskId: task.id, fence: task.fence });
    const word = `${name} ${(serial += 1)}`;
    const fact = { title: word, content: `What ${word} found out is ${Math.random()}.` };
    facts.push(granted(await certainly('memory', 'memory_save', fact)).fact.id);
    const post = { text: word, authorAgentId: name, teamId: 'chaos' };
    granted(await certainly('teamchat', 'team_chat_post', post));
    posts.push(word);
    await pause(30 + Math.random() * 120);
  }
  return { entries, facts, posts };

  async function finish(mine: Readonly<{ taskId: string; fence: number }>): Promise<void> {
    entries.push({ op: 'claimed', ...mine });
    const done = await certainly('tasks', 'update_task_status', { ...mine, status: 'done' });
    entries.push({ op: done.code ? 'lost' : 'done', ...mine });
  }

  /** Nothing here is asked for that could be refused. */
  function granted(told: any): any {
    if (told.code) throw new Error(`${name} was refused: ${JSON.stringify(told)}`);
    return told;
  }

  /** Under one key until it is answered for certain. */
  async function certainly(room: string, tool: string, args: object): Promise<any> {
    const idempotencyKey = `${name}-${tool}-${(serial += 1)}`;
    for (;;) {
      const told = await ask(room, tool, { ...args, idempotencyKey }).catch(() => undefined);
      if (told && !(told.isError && AGAIN.has(told.structuredContent?.code))) return told.structuredContent;
      await pause(20 + Math.random() * 100);
    }
  }

  async function ask(room: string, tool: string, args: object): Promise<Told> {
    const address = addresses[Math.floor(Math.random() * addresses.length)]!;
    const url = `${address}/api/mcp/${room}?profile=extended`;
    const response = await modernCall(url, { name: tool, args, signal: AbortSignal.timeout(15_000) });
    return ((await response.json()) as { result: Told }).result;
  }
}
