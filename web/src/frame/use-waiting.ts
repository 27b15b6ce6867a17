import { useMemo } from 'react';
import { useApprovals, type Approval } from '../approvals/queries.ts';
import { useCards, type Card } from '../board/cards.ts';
import { useLifeOf } from '../agents/queries.ts';
import { type LandingView, useLandings } from '../landing/queries.ts';
import { useMail } from '../mail/queries.ts';
import { useNow } from '../parts/clock.ts';
import { useRuns, type Run } from '../runs/queries.ts';
import { isOpen } from '../runs/state.tsx';
import { useSources } from '../sources/queries.ts';
import { isOf } from './of-project.ts';

const HELD: ReadonlySet<Card['status']> = new Set(['in_progress', 'in_review']);

/** What waits for a person, of one project or of all: one count, the same on every view. */
export type Waiting = Readonly<{
  approvals: readonly Approval[];
  /** Runs that asked something of whoever started them. */
  questions: readonly Run[];
  reviews: readonly Card[];
  /** Branches that only a person lets land. */
  landings: readonly LandingView[];
  /** Held by somebody whose lease ran out, or given to somebody who is not here to take it up. */
  stale: readonly Card[];
  /** Sources with tools that nobody has looked at: held back, or suspicious. */
  quarantined: readonly Readonly<{ name: string; count: number; flagged: readonly string[] }>[];
  /** Letters that nobody fetched in time, of the last day: who wrote them may still wait. */
  dead: number;
  count: number;
}>;

const DAY = 86_400_000;
/** Who was given a task has so long to take it up before a person is asked. */
const PATIENCE_MS = 5 * 60_000;

export function useWaiting(project: string | undefined): Waiting {
  const { data: pending } = useApprovals();
  const { data: cards } = useCards();
  const { data: mail } = useMail('expired');
  const { data: sources } = useSources();
  const { data: runs } = useRuns();
  const { data: landing } = useLandings();
  const lifeOf = useLifeOf();
  const now = useNow();
  return useMemo(() => {
    const isHere = ({ teamId }: { teamId: string | null }) => isOf(project, teamId);
    const approvals = (pending?.approvals ?? []).filter(isHere);
    const questions = (runs?.tasks ?? []).filter(
      (run) =>
        isOpen(run) &&
        run.reason === 'waiting_input' &&
        isOf(project, run.project, cards?.get(run.board_task ?? '')?.teamId),
    );
    const held = [...(cards?.values() ?? [])].filter((card) => HELD.has(card.status) && isHere(card));
    const landings = (landing?.landings ?? []).filter(
      (each) => each.state === 'waiting_person' && isHere({ teamId: each.project }),
    );
    // Letting it land is looking at it: one thing waits once.
    const asked = new Set(landings.map(({ task }) => task));
    const reviews = held.filter(({ id, status }) => status === 'in_review' && !asked.has(id));
    const stale = held.filter(
      ({ status, awaited, leaseUntil, assigneeAgentId, updatedAt }) =>
        status === 'in_progress' &&
        assigneeAgentId !== null &&
        (awaited
          ? now - updatedAt > PATIENCE_MS && lifeOf(assigneeAgentId) === 'gone'
          : leaseUntil !== null && leaseUntil <= now),
    );
    // A source belongs to no project.
    const quarantined = (project === undefined ? (sources?.sources ?? []) : [])
      .filter((each) => each.quarantined > 0 || each.flagged.length > 0)
      .map(({ name, quarantined: held, flagged }) => ({
        name,
        count: Math.max(held, flagged.length),
        flagged: flagged.map(({ tool, findings }) => `${tool}: ${findings.join(', ')}`),
      }));
    const dead = (mail?.messages ?? []).filter(
      ({ expires_at, from_team, to_team }) =>
        Date.now() - Date.parse(expires_at) < DAY && isOf(project, from_team, to_team),
    ).length;
    return {
      approvals,
      questions,
      reviews,
      landings,
      stale,
      quarantined,
      dead,
      count: [approvals, questions, reviews, landings, stale, quarantined].flat().length + (dead > 0 ? 1 : 0),
    };
  }, [pending, cards, mail, sources, runs, landing, lifeOf, now, project]);
}
