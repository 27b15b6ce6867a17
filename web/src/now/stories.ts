import type { Event as HubEvent } from '../../../src/kernel/event.ts';
import { folded, type Folded } from './folded.ts';
import { isBad, isTold, word } from './told.ts';

/** What happened to one task, to one run of none, or to one request: one entry that grows. Newest first. */
export type Story = Readonly<{
  key: string;
  /** The task; undefined for a request, and a run that belonged to none. */
  task: string | undefined;
  /** What its sentence is about: the end rather than the beginning, what went wrong rather than what went on. */
  lead: HubEvent;
  /** What came of it, to be said behind the sentence. */
  rest: string;
  events: readonly HubEvent[];
  isBad: boolean;
}>;

export type Entry = Readonly<{ at: number; seq: number }> &
  (Readonly<{ story: Story }> | Readonly<{ event: Folded }>);

/** `taskOf`: of a run. The events come newest first. */
export function entriesOf(
  events: readonly HubEvent[],
  taskOf: (run: string) => string | undefined,
): readonly Entry[] {
  const known = events.filter(isTold);
  const groups = Map.groupBy(known, (event) => keyOf(event, taskOf) ?? '');
  const told = new Set<HubEvent>();
  const stories: Entry[] = [];
  for (const [key, own] of groups) {
    // What happened once is a sentence, not a story.
    if (key === '' || own.length < 2) continue;
    for (const event of own) told.add(event);
    stories.push({ at: own[0]!.at, seq: own[0]!.seq, story: storyOf(key, own) });
  }
  const single = known.filter((event) => !told.has(event));
  const others = folded(single, events.at(-1)?.seq).map((event) => ({
    at: event.at,
    seq: event.seq,
    event,
  }));
  return [...stories, ...others].sort((a, b) => b.seq - a.seq);
}

function keyOf(
  { kind, subject, data }: HubEvent,
  taskOf: (run: string) => string | undefined,
): string | undefined {
  if (/^(task|review|approval)\./.test(kind)) return subject;
  if (kind.startsWith('run.')) return taskOf(subject) ?? subject;
  if (kind === 'landing.changed') return word(data?.['taskId']) || undefined;
  return undefined;
}

/** The first that is found is what the story is about. */
const LEADS: readonly ((event: HubEvent) => boolean)[] = [
  ({ kind, data }) => kind === 'landing.changed' && word(data?.['state']) === 'landed',
  ({ kind, data }) => kind === 'landing.changed' && /^(failed|conflict)$/.test(word(data?.['state'])),
  ({ kind, data }) =>
    kind === 'task.status_changed' && /^(done|in_review|blocked|cancelled)$/.test(word(data?.['to'])),
  ({ kind, data }) => kind === 'run.ended' && word(data?.['state']) !== 'done',
  ({ kind, data }) => kind === 'task.released' && data?.['via'] === 'lapse',
  ({ kind }) => kind === 'run.ended',
  ({ kind }) => kind === 'task.claimed',
  ({ kind }) => kind === 'run.started',
  ({ kind }) => kind === 'task.created',
  ({ kind }) => kind === 'approval.resolved',
  ({ kind }) => kind === 'approval.expired',
];

function storyOf(key: string, events: readonly HubEvent[]): Story {
  const found = LEADS.map((is) => events.find(is)).filter((event) => event !== undefined);
  // What is over is not told as news once it was taken up again.
  const newest = found.find((lead) => !isOvertaken(lead, events)) ?? events[0]!;
  const isOfTask = events.some(({ kind }) => /^(task|landing)\./.test(kind));
  return {
    key,
    task: isOfTask ? key : undefined,
    lead: newest,
    rest: restOf(newest, events),
    events,
    isBad: isBad(newest),
  };
}

function isOvertaken(lead: HubEvent, events: readonly HubEvent[]): boolean {
  if (/^(task\.(claimed|created)|run\.started)$/.test(lead.kind)) return false;
  return events.some(
    ({ kind, seq, data }) =>
      seq > lead.seq &&
      (kind === 'task.claimed' ||
        kind === 'run.started' ||
        kind === 'task.reopened' ||
        (kind === 'task.status_changed' && word(data?.['to']) === 'in_progress')),
  );
}

/** `in 14 min: 2 checks passed, 3 comments`. */
function restOf(lead: HubEvent, events: readonly HubEvent[]): string {
  const before = events.filter(({ seq }) => seq < lead.seq);
  const begun = before.find(({ kind }) => /^(task\.claimed|run\.started|approval\.requested)$/.test(kind));
  const isEnd = /^(run\.ended|task\.status_changed|landing\.changed|approval\.resolved)$/.test(lead.kind);
  const took = isEnd && begun && lead.at - begun.at >= 60_000 ? ` in ${minutes(lead.at - begun.at)}` : '';
  const evidence = events.filter(({ kind }) => kind === 'task.evidence_given');
  const passed = evidence.filter(({ data }) => data?.['passed'] === true).length;
  const failed = evidence.length - passed;
  const comments = events.filter(
    ({ kind, data }) => kind === 'task.commented' && data?.['authorType'] !== 'system',
  ).length;
  const facts = [
    many(passed, 'check', 'passed'),
    many(failed, 'check', 'failed'),
    many(comments, 'comment'),
    word(lead.data?.['to']) === 'in_review' ? 'waits for review' : '',
  ].filter((fact) => fact !== '');
  return `${took}${facts.length > 0 ? `: ${facts.join(', ')}` : ''}`;
}

const many = (count: number, what: string, how = '') =>
  count === 0 ? '' : `${count} ${what}${count === 1 ? '' : 's'}${how === '' ? '' : ` ${how}`}`;

function minutes(ms: number): string {
  return ms < 3_600_000
    ? `${Math.round(ms / 60_000)} min`
    : `${(ms / 3_600_000).toFixed(1).replace(/\.0$/, '')} h`;
}
