// What happened to a task, a line each, as `board show` tells it.
import type { Api } from '../../features/api.ts';
import { calledByPerson } from '../../kernel/person-name.ts';
import { shortId } from '../short-id.ts';
import { printable } from '../terminal/table.ts';
import { localTime } from '../terminal/when.ts';

export type HistoryLine = Api['GET /api/board/tasks/:taskId/history']['answer']['events'][number];

const SHOWN = 30;

/** What was said and shown stands in sections of its own. */
const ELSEWHERE = new Set(['task.commented', 'task.evidence_given']);

export function renderTimeline(events: readonly HistoryLine[]): Readonly<{ title: string; lines: string[] }> {
  const told = events.filter(({ kind }) => !ELSEWHERE.has(kind));
  const shown = told.slice(-SHOWN);
  return {
    title: told.length > shown.length ? `timeline (newest ${shown.length} of ${told.length})` : 'timeline',
    lines: shown.map((event) => `${localTime(event.at)}  ${printable(sentenceOf(event))}`),
  };
}

function sentenceOf(event: HistoryLine): string {
  const { kind, actor, data = {} } = event;
  const who = calledByPerson(actor.id);
  const agent = calledByPerson(String(data['agentId'] ?? actor.id));
  const sentence = SENTENCES[kind];
  if (sentence === undefined) return `${who}: ${kind.replace(/^task\./, '').replaceAll('_', ' ')}`;
  return sentence({ who, agent, data });
}

type Facts = Readonly<{ who: string; agent: string; data: NonNullable<HistoryLine['data']> }>;

const SENTENCES: Readonly<Record<string, (facts: Facts) => string>> = {
  'task.created': ({ who }) => `${who} added it`,
  'task.imported': ({ who }) => `${who} imported it`,
  'task.claimed': ({ agent, data }) =>
    data['takeover'] === true ? `${agent} took it over: the lease had run out` : `${agent} claimed it`,
  'task.assigned': ({ who, agent }) => `${who} gave it to ${agent}`,
  'task.taken_up': ({ agent }) => `${agent} took it up`,
  'task.released': ({ agent, data }) =>
    data['via'] === 'lapse' ? `the lease of ${agent} ran out` : `${agent} gave it back`,
  'task.status_changed': ({ who, data }) =>
    `${who} moved it from ${String(data['from'])} to ${String(data['to'])}`,
  'task.updated': ({ who, data }) => `${who} edited ${String(data['fields'] ?? 'it').replaceAll(',', ', ')}`,
  'task.linked': ({ who, data }) => `${who} made it wait for ${shortId(String(data['dependsOnTaskId']))}`,
  'task.unlinked': ({ who, data }) =>
    `${who} let it wait no more for ${shortId(String(data['dependsOnTaskId']))}`,
  'task.check_added': ({ who }) => `${who} added a check`,
  'task.overridden': ({ who }) => `${who} accepted it against its checks`,
  'task.overdue': ({ data }) => `it was due on ${String(data['due'])}`,
  'task.labelled': ({ who }) => `${who} labelled it`,
  'task.placed': ({ who }) => `${who} moved it among others`,
  'task.archived': ({ who }) => `${who} archived it`,
  'task.unarchived': ({ who }) => `${who} brought it back into sight`,
  'task.reopened': ({ who, data }) => `${who} reopened it; it was ${String(data['from'])}`,
  'task.undone': ({ who }) => `${who} took back a change`,
  'task.dropped': ({ who }) => `${who} took it off the board`,
};
