import type { Database } from '../../../store/database.ts';
import type { Usage } from '../frames/common.ts';
import { usageOfSession } from '../rows/runs.ts';
import type { Run } from '../run.ts';

/** What the agent's session had used before this run: some agents count from its beginning. */
export async function usageBefore(
  db: Pick<Database, 'read'>,
  { id, sessionId }: Run,
): Promise<Usage | undefined> {
  if (sessionId === null) return undefined;
  const all = await db.read((q) => usageOfSession(q, sessionId, id));
  return all.reduce<Usage | undefined>(
    (sum, each) => (each && sum ? addUsage(sum, each) : (each ?? sum)),
    undefined,
  );
}

function addUsage(a: Usage, b: Usage): Usage {
  const sum = (one: number | null, other: number | null) =>
    one === null && other === null ? null : (one ?? 0) + (other ?? 0);
  return {
    inputUncached: a.inputUncached + b.inputUncached,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    output: a.output + b.output,
    reasoning: a.reasoning + b.reasoning,
    costUsd: sum(a.costUsd, b.costUsd),
    turns: a.turns + b.turns,
    basis: a.basis === 'lower_bound' ? a.basis : b.basis,
  };
}
