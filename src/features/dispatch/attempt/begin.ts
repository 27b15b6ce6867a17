// The beginning of an attempt, in one transaction: the claim, its row, a token that dies with it, the word about it.
import { hubCaller } from '../../../store/calls.ts';
import type { Tx } from '../../../store/database.ts';
import type { Access } from '../../access/access.ts';
import type { Agent } from '../agents/agents.ts';
import { insertAttempt } from '../rows/attempts.ts';
import { claimRun } from '../rows/queue.ts';
import { changeRun } from '../rows/runs.ts';
import { RUN_SCOPES } from '../rules.ts';
import type { Attempt, Run } from '../run.ts';
import { appendState, tellRun } from '../stream/events.ts';

/** Who makes it. */
export type Taker = Pick<Attempt, 'runner' | 'holder' | 'machine'> & Readonly<{ hub: string }>;
export type Begun = Readonly<{ run: Run; token: string }>;
type BeginningAgent = Pick<Agent, 'instance' | 'family' | 'lane'>;
type Beginning = Readonly<{ taker: Taker; agent: BeginningAgent; cwd?: string }>;

/** Undefined when somebody else has it, or nobody may. */
export type BeginAttempt = (tx: Tx, now: Run, beginning: Beginning) => Promise<Begun | undefined>;

type BeginParts = Readonly<{
  access: Access;
  /** Its token is made: from here on it and the agent that shows the token are one. */
  seated(tx: Tx, before: Run, run: Run): Promise<void>;
}>;

const HOUR = 3_600_000;

export function createBeginAttempt({ access, seated }: BeginParts): BeginAttempt {
  /** Another agent of the same attempt may have it already. */
  async function claim(tx: Tx, now: Run, taker: Taker): Promise<Run | undefined> {
    if (now.state === 'active') return now.reason === 'cancelling' ? undefined : now;
    const claimed = await claimRun(tx, now.id, taker);
    if (claimed) await insertAttempt(tx, claimed, { ...taker, queuedAt: now.queuedAt });
    return claimed;
  }

  return async (tx, now, { taker, agent: { instance, family, lane }, cwd }) => {
    const held = await claim(tx, now, taker);
    if (!held) return undefined;
    const desk = access.in(tx, hubCaller);
    const { text, token } = await desk.createToken({
      agent: held.agent,
      ...(held.team !== null && { team: held.team }),
      scopes: [...RUN_SCOPES],
      expiresAt: tx.now + held.limits.minutes * 60_000 + HOUR,
      label: `run ${held.id}`,
    });
    if (now.tokenId !== null) await desk.revokeToken(now.tokenId);
    const changed = await changeRun(tx, held.id, {
      state: 'active',
      reason: 'starting',
      instance,
      family,
      lane,
      tokenId: token.id,
      startedAt: held.startedAt ?? tx.now,
      ...(cwd !== undefined && { cwd }),
    });
    if (!changed) return undefined;
    await seated(tx, now, changed);
    await appendState(tx, changed, 'task');
    tellRun(tx, changed, { kind: 'run.started' });
    return { run: changed, token: text };
  };
}
