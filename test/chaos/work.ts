// Somebody who works with a hub that may go away at any moment: what was answered for certain is told at once, so that it counts
// also where whoever was told is killed in the next moment.
import { pause } from '../../src/kernel/clock.ts';
import { modernCall } from '../fixtures/modern-call.ts';
import type { Entry } from '../torture/worker.ts';

export type Told =
  | Entry
  | Readonly<{ op: 'remembered'; id: string }>
  | Readonly<{ op: 'posted'; text: string }>
  | Readonly<{ op: 'forwarded'; is: 'right' | 'refused' | 'wrong' }>;

export type Agent = Readonly<{
  name: string;
  addresses: readonly string[];
  token: string;
  isOver(): boolean;
  tell(what: Told): void;
}>;

type Answer = Readonly<{ isError?: boolean; structuredContent?: any; content?: readonly { text: string }[] }>;
const AGAIN = new Set(['unavailable', 'busy', 'internal', 'timeout', 'rate_limited']);

/** Takes tasks and finishes them, remembers something, says something and asks a server behind the hub, until it is told to stop. */
export async function work({ name, addresses, token, isOver, tell }: Agent): Promise<void> {
  let serial = 0;
  while (!isOver()) {
    const { task } = await certainly('tasks', 'claim_next_task', { assigneeAgentId: name });
    if (task) await finish({ taskId: task.id, fence: task.fence });
    const word = `${name} ${(serial += 1)}`;
    const fact = { title: word, content: `What ${word} found out is ${Math.random()}.` };
    tell({ op: 'remembered', id: granted(await certainly('memory', 'memory_save', fact)).fact.id });
    const post = { text: word, authorAgentId: name, teamId: 'chaos' };
    granted(await certainly('teamchat', 'team_chat_post', post));
    tell({ op: 'posted', text: word });
    tell({ op: 'forwarded', is: await forward(word) });
    await pause(30 + Math.random() * 120);
  }

  async function finish(mine: Readonly<{ taskId: string; fence: number }>): Promise<void> {
    tell({ op: 'claimed', ...mine });
    const done = await certainly('tasks', 'update_task_status', { ...mine, status: 'done' });
    tell({ op: done.code ? 'lost' : 'done', ...mine });
  }

  /** Nothing here is asked for that could be refused. */
  function granted(told: any): any {
    if (told.code) throw new Error(`${name} was refused: ${JSON.stringify(told)}`);
    return told;
  }

  /** Under one key until it is answered for certain. */
  async function certainly(room: string, tool: string, args: object): Promise<any> {
    const idempotencyKey = `${name}-${tool}-${(serial += 1)}`;
    const path = `/api/mcp/${room}?profile=extended`;
    for (;;) {
      const told = await ask(path, tool, { ...args, idempotencyKey }).catch(() => undefined);
      if (told && !(told.isError && AGAIN.has(told.structuredContent?.code))) return told.structuredContent;
      await pause(20 + Math.random() * 100);
    }
  }

  /** It may be away, as the hub may; what it answers is what it was asked. */
  async function forward(text: string): Promise<'right' | 'refused' | 'wrong'> {
    const told = await ask('/mcp?profile=full', `${SOURCE}__echo`, { text }).catch(() => undefined);
    if (told === undefined || told.isError) return 'refused';
    return told.content?.[0]?.text.includes(text) ? 'right' : 'wrong';
  }

  async function ask(path: string, tool: string, args: object): Promise<Answer> {
    const address = addresses[Math.floor(Math.random() * addresses.length)]!;
    const signal = AbortSignal.timeout(15_000);
    const response = await modernCall(`${address}${path}`, { name: tool, args, signal, token });
    return ((await response.json()) as { result: Answer }).result;
  }
}

/** The server behind every hub here. */
export const SOURCE = 'echo';
