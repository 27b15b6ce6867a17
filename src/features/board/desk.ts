import type { Principal } from '../../kernel/principal.ts';
import type { Database, Query, Tx } from '../../store/database.ts';
import type { Board } from './board.ts';
import { actorOf, identify, onceOf, type Caller, type Claims } from './identity.ts';

/** Where a call of any surface becomes one snapshot or one transaction, with its caller and its actor. */
export interface Desk {
  look<T>(who: Principal, claims: Claims, unit: (q: Query, caller: Caller) => Promise<T>): Promise<T>;
  change<T>(call: Call, unit: (tx: Tx, caller: Caller) => Promise<T>): Promise<T>;
}

export type Call = Readonly<{
  who: Principal;
  /** Part of the idempotency key: the same key for another tool is another request. */
  tool: string;
  args: Readonly<Record<string, unknown>>;
  claims: Claims;
  /** The task it is about; a seat that claimed it need not name its agent again. */
  taskId?: string | undefined;
}>;

export function createDesk(db: Database, board: Board): Desk {
  async function seatAgentOf(caller: Caller, taskId: string | undefined): Promise<string | undefined> {
    if (taskId === undefined || caller.seat === null || caller.who.bound.agent !== undefined) return undefined;
    return db.read((q) => board.agentOfSeat(q, caller, taskId));
  }

  return {
    async look(who, claims, unit) {
      const caller = identify(who, claims);
      board.greet(caller);
      return db.read((q) => unit(q, caller));
    },
    async change({ who, tool, args, claims, taskId }, unit) {
      const caller = identify(who, claims);
      board.greet(caller);
      const seatAgent = await seatAgentOf(caller, taskId);
      const known = { ...caller, agent: caller.agent ?? seatAgent };
      return db.write(actorOf(caller, seatAgent), (tx) => unit(tx, known), onceOf(caller, tool, args));
    },
  };
}
