import { useMemo } from 'react';
import { useApprovals, type Approval } from '../approvals/queries.ts';
import { useCards, type Card } from '../board/cards.ts';
import { useMail } from '../mail/queries.ts';
import { useSources } from '../sources/queries.ts';

/** What waits for a person, of one project or of all: one count, the same on every view. */
export type Waiting = Readonly<{
  approvals: readonly Approval[];
  reviews: readonly Card[];
  quarantined: readonly { name: string; count: number }[];
  /** Letters that nobody fetched in time, of the last day: who wrote them may still wait. */
  dead: number;
  count: number;
}>;

const DAY = 86_400_000;

export function useWaiting(project: string | undefined): Waiting {
  const { data: pending } = useApprovals();
  const { data: cards } = useCards();
  const { data: mail } = useMail('expired');
  const { data: sources } = useSources();
  return useMemo(() => {
    const isHere = ({ teamId }: { teamId: string | null }) =>
      project === undefined || teamId === null || teamId === project;
    const approvals = (pending?.approvals ?? []).filter(isHere);
    const reviews = [...(cards?.values() ?? [])].filter(
      (card) => card.status === 'in_review' && isHere(card),
    );
    const quarantined = (sources?.sources ?? [])
      .filter((each) => each.quarantined > 0)
      .map((each) => ({ name: each.name, count: each.quarantined }));
    const dead = (mail?.messages ?? []).filter(
      ({ expires_at }) => Date.now() - Date.parse(expires_at) < DAY,
    ).length;
    return {
      approvals,
      reviews,
      quarantined,
      dead,
      count: approvals.length + reviews.length + quarantined.length + (dead > 0 ? 1 : 0),
    };
  }, [pending, cards, mail, sources, project]);
}
