// What the board tells an agent that begins: what waits for it, what it held, what was done and answered meanwhile.
import { hasScope } from '../../kernel/principal.ts';
import type { Database } from '../../store/database.ts';
import { agoText, type AskBrief, nameIn, type BriefItem } from '../briefing/briefing.ts';
import { assignedTasks, begunTasks, type BriefTask, doneSince, lostTasks, saidSince } from './rows/brief.ts';

const MOST = 6;
const MOST_DONE = 10;

export function boardBrief(db: Database): AskBrief {
  return ({ caller, agents, team, since, now }) => {
    if (!hasScope(caller.who, 'board:read')) return Promise.resolve([]);
    return db.read(async (q): Promise<readonly BriefItem[]> => {
      const done = team === undefined ? [] : await doneSince(q, { team, since, most: MOST_DONE });
      const over = done.map((task) => toDone(task, now));
      if (agents.length === 0) return over;
      const scope = { team, agents, most: MOST };
      const assigned = await assignedTasks(q, scope);
      const begun = await begunTasks(q, scope);
      const lost = await lostTasks(q, { ...scope, since });
      const said = await saidSince(q, { ...scope, since });
      return [
        ...assigned.map(({ id, title, priority }): BriefItem => ({
          kind: 'task',
          id,
          words: title,
          says: `assigned to you and ready${priority > 0 ? `, priority ${priority}` : ''}`,
          about: `task ${id}`,
        })),
        ...begun.map((task): BriefItem => ({
          kind: 'held',
          id: task.id,
          words: task.title,
          says: standing(task, now),
        })),
        ...lost.map(({ id, title, assigneeAgentId }): BriefItem => ({
          kind: 'held',
          id,
          words: title,
          says:
            assigneeAgentId === null
              ? 'your claim is over; it is free'
              : `${nameIn(assigneeAgentId)} has it now`,
        })),
        ...over,
        ...said.map(({ taskId, body, by, at }): BriefItem => ({
          kind: 'answered',
          id: taskId,
          words: body,
          says: `said by ${by === null ? 'the person' : nameIn(by)}, ${agoText(now, at)}`,
        })),
      ];
    });
  };
}

function toDone({ id, title, assigneeAgentId, completedAt }: BriefTask, now: number): BriefItem {
  const by = assigneeAgentId === null ? '' : `by ${nameIn(assigneeAgentId)}, `;
  return {
    kind: 'done',
    id,
    words: title,
    says: `${by}${agoText(now, completedAt ?? now)}`,
    about: `task ${id}`,
  };
}

function standing({ status, fence, leaseUntil }: BriefTask, now: number): string {
  const isOver = leaseUntil !== null && leaseUntil <= now;
  return `${status}, fence ${fence}${isOver ? ', its lease is over: claim it again' : ''}`;
}
