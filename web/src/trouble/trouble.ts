import { useQuery } from '@tanstack/react-query';
import { useMemo, useSyncExternalStore } from 'react';
import type { Api } from '../../../src/features/api.ts';
import { ask } from '../api/call.ts';
import { useCards } from '../board/cards.ts';
import { runOf } from '../approvals/own-call.ts';
import { gist } from '../approvals/request.ts';
import { useOfLive, type Live } from '../live/live.ts';
import type { HubEvent } from '../live/stream.ts';
import { useMayRun, useRuns, type Run } from '../runs/queries.ts';
import { isOf } from '../frame/of-project.ts';
import { whyFailed } from '../runs/failure.ts';

/**
 * What went wrong and ended there: a call that was kept from running, a run that failed or was lost. Nobody has to decide it,
 * and somebody should know.
 */
export type Trouble = Readonly<{
  id: string;
  kind: 'refused' | 'failed' | 'lost';
  at: number;
  agent: string;
  /** The tool of a refused call. */
  tool: string;
  /** The beginning of what it wanted, or the error. */
  what: string;
  why: string;
  task: string | undefined;
  run: string | undefined;
  team: string | null;
  /** How often the same was tried. */
  times: number;
}>;

type Refused = Api['GET /api/tools/refused']['answer']['refused'][number];

const WEEK = 7 * 86_400_000;

/** All of the last week, newest first. */
export function useTroubles(): readonly Trouble[] {
  const { data: refused } = useQuery({
    queryKey: ['refused'],
    queryFn: () => ask('GET /api/tools/refused', { since: Date.now() - WEEK, limit: 100 }),
  });
  const { data: runs } = useRuns();
  const ended = useOfLive(badEnds);
  const mayRun = useMayRun();
  return useMemo(() => {
    const known = new Map((runs?.tasks ?? []).map((run) => [run.task_id, run]));
    const ends = mayRun ? [...known.values()].flatMap(ofRun) : ended.map(ofEvent);
    const since = Date.now() - WEEK;
    return [...folded((refused?.refused ?? []).map((row) => ofCall(row, known))), ...ends]
      .filter(({ at }) => at > since)
      .sort((a, b) => b.at - a.at);
  }, [refused, runs, ended, mayRun]);
}

/** Those that nobody has called seen, of one project or of all. */
export function useUnseen(project: string | undefined): readonly Trouble[] {
  const all = useTroubles();
  const { data: cards } = useCards();
  const seen = useSyncExternalStore(watchSeen, seenUntil);
  return useMemo(() => {
    const teamOf = ({ team, task }: Trouble) => team ?? (task && cards?.get(task)?.teamId) ?? null;
    return all.filter((each) => each.at > seen && isOf(project, teamOf(each)));
  }, [all, cards, seen, project]);
}

const SEEN = 'trouble seen';
const watchers = new Set<() => void>();

/** All there is by now was seen; in every tab of this browser. */
export function markSeen(): void {
  localStorage.setItem(SEEN, String(Date.now()));
  for (const changed of watchers) changed();
}

function seenUntil(): number {
  return Number(localStorage.getItem(SEEN) ?? 0);
}

function watchSeen(changed: () => void): () => void {
  watchers.add(changed);
  addEventListener('storage', changed);
  return () => (watchers.delete(changed), removeEventListener('storage', changed));
}

function ofCall(row: Refused, runs: ReadonlyMap<string, Run>): Trouble {
  // What an agent asks inside its run is known by the run.
  const run = runOf(row);
  return {
    id: row.callId,
    kind: 'refused',
    at: row.createdAt,
    agent: row.agentId ?? row.principal,
    tool: row.toolName,
    what: gist(row),
    why: whyRefused(row.reason ?? ''),
    task: row.taskId ?? (run === undefined ? undefined : runs.get(run)?.board_task),
    run,
    team: row.teamId,
    times: 1,
  };
}

function ofRun(run: Run): readonly Trouble[] {
  if (run.status !== 'failed' && run.status !== 'expired') return [];
  const end = {
    kind: run.status === 'failed' ? ('failed' as const) : ('lost' as const),
    at: Date.parse(run.closed_at ?? run.created_at),
    what: whyFailed(run) ?? run.last_message ?? '',
  };
  const { task_id: id, agent, board_task: task, project } = run;
  return [{ id, agent, tool: '', why: '', task, run: id, team: project ?? null, times: 1, ...end }];
}

let lastEnds: readonly HubEvent[] = [];

/** The same list as long as the same runs are in it. */
function badEnds({ events }: Live): readonly HubEvent[] {
  const ends = events.filter(
    ({ kind, data }) => kind === 'run.ended' && /^(failed|expired)$/.test(String(data?.['state'])),
  );
  if (ends.length !== lastEnds.length || ends.at(-1) !== lastEnds.at(-1)) lastEnds = ends;
  return lastEnds;
}

/** Whoever has not signed in hears that a run ended badly, and no more. */
function ofEvent({ subject, at, team, data }: HubEvent): Trouble {
  const isFailed = data?.['state'] === 'failed';
  const task = typeof data?.['task'] === 'string' ? data['task'] : undefined;
  const agent = typeof data?.['agent'] === 'string' ? data['agent'] : 'an agent';
  const end = { kind: isFailed ? ('failed' as const) : ('lost' as const), what: '', why: '' };
  return { id: subject, at, agent, tool: '', task, run: subject, team: team ?? null, times: 1, ...end };
}

/** The same again, by the same: told once, with how often. */
function folded(all: readonly Trouble[]): readonly Trouble[] {
  const groups = Map.groupBy(all, ({ agent, tool, what, why, task }) =>
    JSON.stringify([agent, tool, what, why, task]),
  );
  return [...groups.values()].map((group) => ({ ...group[0]!, times: group.length }));
}

/** The code of a refusal, as somebody would say it. */
function whyRefused(reason: string): string {
  const [by = '', ...rest] = reason.split(':');
  const what = rest.at(-1)?.replaceAll('-', ' ') ?? '';
  if (by === 'security') return `it looks dangerous: ${what}`;
  if (by === 'policy') return `a rule forbids it: ${rest.join(':')}`;
  if (by === 'scope') return 'it is not for this caller';
  if (reason === 'approval:unattended') return 'nobody could be asked';
  if (reason === 'approval:too-long') return 'nobody could have read all of it';
  return reason;
}
