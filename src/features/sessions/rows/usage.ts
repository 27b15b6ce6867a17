// SQL of what sessions used, and when that was read: tokens and cost of a session are told as sums, so what came between two looks is what
// was used by the end of the second.
import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import type { Owner } from '../owner.ts';
import { isOwn } from './sessions.ts';
import type { StoredSession } from './tables.ts';

type Sums = Pick<StoredSession, 'tokensIn' | 'tokensOut' | 'costUsd'>;
type Grown = Readonly<{ id: string; before: Sums | undefined; now: Sums; at: number }>;

export async function noteUsage(tx: Tx, { id, before, now, at }: Grown): Promise<void> {
  const tokens = tokensOf(now) - (before ? tokensOf(before) : 0);
  const cost = (now.costUsd ?? 0) - (before?.costUsd ?? 0);
  // Some clients count anew when a session is compacted.
  if (tokens <= 0 && cost <= 0) return;
  await tx.run(sql`
    insert into transcript_usage (session, at, tokens, cost_usd)
    values (${id}, ${at}, ${Math.max(0, tokens)}, ${Math.max(0, cost)})
    on conflict (session, at) do update
    set tokens = transcript_usage.tokens + excluded.tokens, cost_usd = transcript_usage.cost_usd + excluded.cost_usd`);
}

const tokensOf = ({ tokensIn, tokensOut }: Sums): number => (tokensIn ?? 0) + (tokensOut ?? 0);

type UsageRow = Readonly<{ client: string; sessionId: string; at: number; tokens: number; dollars: number }>;

/** What sessions that are no run of a hub used since then. */
export function usageSince(q: Query, own: Owner, since: number): Promise<UsageRow[]> {
  return q.all<UsageRow>(sql`
    select transcripts.client as client, transcripts.client_id as "sessionId", used.at as at,
      used.tokens as tokens, used.cost_usd as dollars
    from transcript_usage as used
    join transcripts on transcripts.id = used.session
    where used.at > ${since} and transcripts.run is null and ${isOwn(own)}`);
}
