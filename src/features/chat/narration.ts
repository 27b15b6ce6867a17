import type { Event } from '../../kernel/event.ts';
import type { Query, Tx } from '../../store/database.ts';
import type { Chat } from './chat.ts';
import { HUB_AUTHOR, roomOf } from './rules.ts';

/** What happened on the board, said in the team's room by the hub, whatever surface it happened on. */
export type Narrator = Readonly<{
  want(event: Event): boolean;
  /** In the transaction that moves the consumer on: every change is told once. */
  handle(tx: Tx, event: Event): Promise<void>;
}>;

/** Undefined when the task is gone; its id is then all there is to say. */
export type TitleOf = (q: Query, taskId: string) => Promise<string | undefined>;

export function createNarrator(chat: Chat, titleOf: TitleOf): Narrator {
  return {
    want: (event) => event.team !== undefined && sentenceFor(event, '') !== undefined,
    async handle(tx, event) {
      const title = await titleOf(tx, event.subject);
      const text = sentenceFor(event, nameOf(event.subject, title));
      if (text === undefined) return;
      await chat.post(tx, {
        roomId: roomOf(event.team!),
        teamId: event.team!,
        author: HUB_AUTHOR,
        kind: 'system',
        text,
        isBound: false,
        asserted: false,
      });
    },
  };
}

const SHOWN_TITLE = 120;

/** Titles are written by agents: cut, on one line, and inside a quote that the envelope quotes once more. */
function nameOf(taskId: string, title: string | undefined): string {
  if (title === undefined) return `task ${taskId}`;
  const line = title.replace(/\s+/gu, ' ').trim();
  const shown = line.length > SHOWN_TITLE ? `${line.slice(0, SHOWN_TITLE).toWellFormed()}…` : line;
  return `“${shown}” (task ${taskId})`;
}

/** Undefined for what the room need not hear. */
function sentenceFor({ kind, data = {}, actor }: Event, task: string): string | undefined {
  const agent = String(data['agentId'] ?? actor.id);
  switch (kind) {
    case 'task.created':
      return `${actor.id} put ${task} on the board.`;
    case 'task.claimed':
      return data['takeover'] === true
        ? `${agent} took over ${task}: the former lease had run out.`
        : `${agent} claimed ${task}.`;
    case 'task.released':
      return data['via'] === 'lapse'
        ? `The lease of ${agent} ran out; ${task} is free again.`
        : `${agent} released ${task}.`;
    case 'task.status_changed':
      // A claim says it already.
      if (data['to'] === 'in_progress' && data['from'] === 'todo') return undefined;
      return `${actor.id} moved ${task} from ${String(data['from'])} to ${String(data['to'])}.`;
    case 'task.dropped':
      return `${actor.id} took ${task} off the board.`;
    default:
      return undefined;
  }
}
