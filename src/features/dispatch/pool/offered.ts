// Agents that only runners and other hubs have: they can be called although this machine has none of them.
import type { Family } from '../../../kernel/agent-settings.ts';
import type { Database } from '../../../store/database.ts';
import { type Agent, plainSettings } from '../agents/agents.ts';
import { isNamed } from '../agents/families.ts';
import { ATTEMPT_LEASE_MS } from '../rows/attempts.ts';
import { listHubs, listRunners } from './rows.ts';

/** What is here comes first; what another one has that was heard just now follows. */
export async function withOffered(
  db: Pick<Database, 'read' | 'now'>,
  own: readonly Agent[],
): Promise<Agent[]> {
  const known = await db.read(async (q) => [...(await listHubs(q)), ...(await listRunners(q))]);
  const alive = known.filter(({ seenAt }) => db.now() - seenAt < ATTEMPT_LEASE_MS);
  const offered = new Map(
    alive.flatMap(({ agents }) => agents.map((each) => [each.instance, each] as const)),
  );
  const here = own.map((agent) =>
    agent.status === 'binary-missing' && offered.has(agent.instance)
      ? { ...agent, callable: true, status: 'callable' as const, reason: undefined, program: undefined }
      : agent,
  );
  const names = new Set(own.map(({ instance }) => instance));
  const others = [...offered.values()]
    .filter(({ instance }) => !names.has(instance))
    .map(({ instance, family, lane }): Agent => ({
      instance,
      family: family as Family,
      lane,
      callable: true,
      status: 'callable',
      reason: undefined,
      program: undefined,
      acpArgs: undefined,
      own: undefined,
      configured: false,
      settings: isNamed(family as Family)
        ? plainSettings(family as never)
        : { ...plainSettings('claude'), family: family as Family },
    }));
  return [...here, ...others];
}
