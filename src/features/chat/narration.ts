import type { Event } from '../../kernel/event.ts';
import { calledByOthers } from '../../kernel/person-name.ts';
import type { Query, Tx } from '../../store/database.ts';
import type { Chat } from './chat.ts';
import { HUB_AUTHOR, roomOf } from './rules.ts';

/** What happened on the board, and who waits for a person, said in the team's room by the hub, whatever surface it happened on. */
export type Narrator = Readonly<{
  want(event: Event): boolean;
  /** In the transaction that moves the consumer on: every change is told once. */
  handle(tx: Tx, event: Event): Promise<void>;
}>;

/** Undefined when the task is gone; its id is then all there is to say. */
export type TitleOf = (q: Query, taskId: string) => Promise<string | undefined>;

export function createNarrator(chat: Chat, titleOf: TitleOf): Narrator {
  return {
    want: (event) => teamToTell(event) !== undefined && sentenceFor(event, '') !== undefined,
    async handle(tx, event) {
      const team = teamToTell(event);
      const text = sentenceFor(event, isOfTask(event) ? await nameOf(tx, event.subject) : '');
      if (team === undefined || text === undefined) return;
      await chat.post(tx, {
        roomId: roomOf(team),
        teamId: team,
        author: HUB_AUTHOR,
        kind: 'system',
        text,
        isBound: false,
        asserted: false,
      });
    },
  };

  /** Titles are written by agents: cut, on one line, and inside a quote that the envelope quotes once more. */
  async function nameOf(q: Query, taskId: string): Promise<string> {
    const title = await titleOf(q, taskId);
    return title === undefined ? `task ${taskId}` : `“${onOneLine(title)}” (task ${taskId})`;
  }
}

function isOfTask({ kind }: Event): boolean {
  return kind.startsWith('task.');
}

/** Who asks for approval without a binding is told of in the room of its project. */
function teamToTell({ team, kind, data }: Event): string | undefined {
  const toldIn = kind === 'approval.requested' ? data?.['toldIn'] : undefined;
  return team ?? (typeof toldIn === 'string' ? toldIn : undefined);
}

const SHOWN_TITLE = 120;

function onOneLine(text: string): string {
  const line = text.replace(/\s+/gu, ' ').trim();
  return line.length > SHOWN_TITLE ? `${line.slice(0, SHOWN_TITLE).toWellFormed()}…` : line;
}

/** Undefined for what the room need not hear. */
function sentenceFor({ kind, subject, data = {}, actor }: Event, task: string): string | undefined {
  const by = calledByOthers(actor.id);
  const agent = calledByOthers(String(data['agentId'] ?? actor.id));
  switch (kind) {
    case 'task.created':
      return `${by} put ${task} on the board.`;
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
      return `${by} moved ${task} from ${String(data['from'])} to ${String(data['to'])}.`;
    case 'task.dropped':
      return `${by} took ${task} off the board.`;
    case 'approval.requested':
      return `${onOneLine(agent)} waits for approval of ${onOneLine(String(data['tool']))} (approval ${subject}).`;
    default:
      return undefined;
  }
}
