import type { Database } from '../../src/store/database.ts';
import { sql } from '../../src/store/sql.ts';
import type { Entry } from './worker.ts';

type TaskRow = { id: string; status: string; fence: number };
type EventRow = { seq: number; kind: string; subject: string; data: string | null };
type Facts = Readonly<{
  created: readonly string[];
  entries: readonly Entry[];
  journals?: readonly (readonly Entry[])[];
}>;

/** Every promise of the board, asked of the tables and the event log after the fact. */
export async function findViolations(
  db: Database,
  { created, entries, journals = [] }: Facts,
): Promise<{ violations: string[]; takeovers: number }> {
  const { tasks, events, comments, head } = await db.read(async (q) => ({
    tasks: await q.all<TaskRow>(sql`select id, status, fence from tasks`),
    events: await q.all<EventRow>(sql`select seq, kind, subject, data from events order by seq`),
    comments: await q.all<{ id: string }>(sql`select id from task_comments`),
    head: (await q.get<{ value: number }>(sql`select value from counters where name = 'events'`))!.value,
  }));
  const violations: string[] = [];
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const data = (event: EventRow) =>
    JSON.parse(event.data ?? '{}') as { fence?: number; to?: string; takeover?: boolean };

  for (const id of created) if (!byId.has(id)) violations.push(`an acknowledged task is missing: ${id}`);
  for (const task of tasks)
    if (task.status !== 'done') violations.push(`a task is stuck: ${task.id} is ${task.status}`);

  events.forEach((event, i) => {
    if (event.seq !== i + 1) violations.push(`the event log has a gap before ${event.seq}`);
  });
  if (head !== events.length) violations.push(`the head is ${head}, the log holds ${events.length} events`);

  const claims = new Map<string, number[]>();
  const finished = new Map<string, number[]>();
  for (const event of events) {
    if (event.kind === 'task.claimed') push(claims, event.subject, data(event).fence!);
    if (event.kind === 'task.status_changed' && data(event).to === 'done')
      push(finished, event.subject, data(event).fence!);
  }
  for (const [id, fences] of claims) {
    if (fences.some((fence, i) => i > 0 && fence <= fences[i - 1]!))
      violations.push(`fences of ${id} do not rise: ${fences.join(', ')}`);
  }
  for (const { id, fence } of tasks) {
    const by = finished.get(id) ?? [];
    if (by.length !== 1) violations.push(`${id} was finished ${by.length} times`);
    else if (by[0] !== claims.get(id)?.at(-1))
      violations.push(`${id} was finished under fence ${by[0]}, not under its last one ${fence}`);
  }

  const known = new Set(comments.map((comment) => comment.id));
  const acknowledged = new Map<string, Set<number>>();
  for (const entry of entries) {
    if (entry.op === 'commented' && !known.has(entry.commentId!))
      violations.push(`an acknowledged comment is missing: ${entry.commentId}`);
    if (entry.op === 'claimed' && !claims.get(entry.taskId)?.includes(entry.fence))
      violations.push(`an acknowledged claim is missing: ${entry.taskId}`);
    if (entry.op !== 'done') continue;
    acknowledged.set(entry.taskId, (acknowledged.get(entry.taskId) ?? new Set()).add(entry.fence));
    if (finished.get(entry.taskId)?.[0] !== entry.fence)
      violations.push(`${entry.taskId} was acknowledged as done under the stale fence ${entry.fence}`);
  }
  for (const [id, fences] of acknowledged)
    if (fences.size > 1) violations.push(`${id} was done by ${fences.size} holders`);
  for (const journal of journals) {
    const own = new Set(
      journal.filter(({ op }) => op === 'claimed').map(({ taskId, fence }) => `${taskId} ${fence}`),
    );
    for (const { op, taskId, fence } of journal)
      if (op === 'done' && !own.has(`${taskId} ${fence}`))
        violations.push(`${taskId} was finished by somebody who never held it`);
  }
  // Whoever moves a task away from its holder other than by its end shows here: nobody in a torture gives back or blocks.
  for (const event of events) {
    const to = data(event).to;
    const isMeddling =
      event.kind === 'task.released' || (event.kind === 'task.status_changed' && to !== 'done');
    if (isMeddling && (data(event) as { via?: string }).via !== 'lapse')
      violations.push(`${event.subject} was taken from its holder: ${event.kind} ${to ?? ''}`);
  }
  const takeovers = events.filter((event) => event.kind === 'task.claimed' && data(event).fence! > 1).length;
  return { violations, takeovers };
}

function push(map: Map<string, number[]>, key: string, value: number): void {
  map.set(key, [...(map.get(key) ?? []), value]);
}
