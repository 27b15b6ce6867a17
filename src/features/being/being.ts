// The Beings of this hub, and the way to one of them: every call comes by here, and here it is said who may.
import { HubError } from '../../kernel/errors.ts';
import { hubTokenHint, isOperator, type Principal } from '../../kernel/principal.ts';
import type { Call, Caller } from '../../store/calls.ts';
import type { Query, Tx } from '../../store/database.ts';
import type { Access } from '../access/access.ts';
import { createBeing, type NewBeing, removeBeing } from './life.ts';
import type { Pick, Reached } from './memories.ts';
import { type Mind, mindOf, type Parts, requireBeing } from './parts.ts';
import type { Patrol } from './patrol/patrol.ts';
import type { BeingRecord } from './record.ts';
import { listBeings } from './rows/beings.ts';
import { held, type Seen } from './rows/whose.ts';
import { exportBeing, importBeing } from './transfer.ts';
import { presentBeing } from './view.ts';

export type Being = ReturnType<typeof presentBeing>;

export type BeingsParts = Parts & Readonly<{ patrol: Patrol; pick: Pick; oauth: Access['oauth'] }>;
export type Beings = ReturnType<typeof createBeings>;
export type BeingsView = ReturnType<Beings['at']>;
export type BeingsDesk = ReturnType<Beings['in']>;

export function createBeings(parts: BeingsParts) {
  const { db, acting, recalling, sealing, log, patrol, pick, oauth } = parts;
  const beings = {
    patrol,
    now: () => db.now(),
    all: async (q: Query): Promise<Being[]> => (await listBeings(q)).map(presentBeing),
    at(q: Query, { who }: Caller) {
      return {
        async list() {
          admitOperator(who);
          return beings.all(q);
        },
        now: db.now(),
        /** A Being, for its owner and for itself. */
        one: (id: string): Seen => ({ q, being: admit(who, id) }),
        async records(id: string): Promise<BeingRecord[]> {
          admitOperator(who);
          return exportBeing({ q, being: id }, sealing);
        },
        async tokens(id: string) {
          admitOperator(who);
          return [...(await oauth.listTokens(q, id))];
        },
        async consents(id: string) {
          admitOperator(who);
          return [...(await oauth.listConsents(q, id))];
        },
      };
    },
    in(tx: Tx, { who }: Caller) {
      const hold = (id: string): Mind => mindOf(parts, held(tx, id));
      return {
        one: (id: string): Mind => hold(admit(who, id)),
        /** A Being, for its owner alone. */
        owned(id: string): Mind {
          admitOperator(who);
          return hold(id);
        },
        /** Its tokens first: from then on nobody is let in. */
        async remove(id: string) {
          admitOperator(who);
          await requireBeing(hold(id));
          await oauth.forgetBeing(tx, id);
          await removeBeing(hold(id));
        },
        async create(request: NewBeing) {
          admitOperator(who);
          const being = presentBeing(await createBeing(tx, request));
          const { text } = await oauth.createToken(tx, { being: being.id, scope: 'full' });
          return { being, token: text };
        },
        async read(records: readonly BeingRecord[]): Promise<string> {
          admitOperator(who);
          return importBeing(parts, tx, records);
        },
        oauth,
        noteOnKey: patrol.noteOn,
      };
    },
    /** One Being for a caller, for what opens transactions of its own. */
    reach(call: Omit<Call, 'name'>, being: string): Reached {
      const named = { ...call, name: 'being' };
      return {
        being: call.via === 'route' ? admit(call.who, being) : being,
        look: (unit) => acting.look(named, (q) => unit({ q, being })),
        change: (unit) => acting.change(named, (tx) => unit(mindOf(parts, held(tx, being)))),
        recalling,
        pick,
        log,
      };
    },
  };
  return beings;
}

/** The operator, and a Being for itself. An agent may hold every scope there is and is still neither. */
function admit(who: Principal, being: string): string {
  if (who.kind === 'being' && who.bound.being === being) return being;
  admitOperator(who);
  return being;
}

function admitOperator(who: Principal): void {
  if (isOperator(who)) return;
  if (who.kind === 'local') {
    throw new HubError('unauthorized', 'Beings need the hub token, or a token of the Being.', {
      hint: hubTokenHint(who),
    });
  }
  throw new HubError('forbidden', 'Beings are for the operator of the hub, and each for itself.');
}
