import { canonicalJson } from '../kernel/canonical-json.ts';
import { sha256 } from '../kernel/digest.ts';
import { redact } from '../kernel/redact.ts';
import { HubError } from '../kernel/errors.ts';
import { type Actor, isPerson, type Principal, systemPrincipal } from '../kernel/principal.ts';
import { seatOf } from '../kernel/seat.ts';
import type { Database, Once, Query, Tx } from './database.ts';

/**
 * The one way to act: who makes a call, under which idempotency key, in which snapshot or transaction. Every tool and
 * route comes through here; services take the transaction and the caller, and decide the rest.
 */
export interface Acting {
  look<T>(call: Call, unit: (q: Query, caller: Caller) => Promise<T>): Promise<T>;
  change<T>(call: Call, unit: (tx: Tx, caller: Caller) => Promise<T>): Promise<T>;
}

export type Call = Readonly<{
  who: Principal;
  /** Over MCP, or over REST: only the latter can be a person's. */
  via: 'tool' | 'route';
  /** Its name. Part of the idempotency key: the same key for another tool is another request. */
  name: string;
  args?: Readonly<Record<string, unknown>>;
  /** Who the call says it is, and which claim it holds. */
  agentId?: string | undefined;
  fence?: number | undefined;
  /** Whom a nameless caller's change is attributed to: the agent as which its seat made the claim it is about. */
  attribute?(q: Query, caller: Caller): Promise<string | undefined>;
}>;

/** Who makes a call, as far as credential, connection and arguments tell. */
export type Caller = Readonly<{
  who: Principal;
  /** The agent it acts as; undefined when nothing names one. */
  agent: string | undefined;
  /** Why that agent: its credential says so, an argument does, or its connection was given the name. */
  known: 'bound' | 'asserted' | 'automatic' | 'unnamed';
  /** A digest, since a seat may be a session id, which is as good as a key. Null for a caller without connection or credential. */
  seat: string | null;
  fence: number | undefined;
  /** The operator or the owner of this machine, on REST, the command line or the page, who names no agent. */
  isPerson: boolean;
}>;

export function createActing(db: Database): Acting {
  return {
    look: async (call, unit) => {
      const caller = callerOf(call);
      return db.read((q) => unit(q, caller));
    },
    async change(call, unit) {
      const caller = callerOf(call);
      const attributed = await attributionOf(call, caller);
      const isNamed = attributed === undefined || caller.known === 'asserted';
      const known: Caller = isNamed ? caller : { ...caller, agent: attributed, known: 'asserted' };
      return db.write(actorOf(caller, attributed), (tx) => unit(tx, known), onceOf(caller, call));
    },
  };

  async function attributionOf({ attribute }: Call, caller: Caller): Promise<string | undefined> {
    if (!attribute || caller.known === 'bound' || caller.seat === null) return undefined;
    return db.read((q) => attribute(q, caller));
  }
}

/** A call as a tool or a route hands it on. */
export function byTool(who: Principal, name: string, args: Call['args'] = {}): Call {
  return { who, via: 'tool', name, args };
}

export function byRoute(who: Principal, name: string, args: Call['args'] = {}): Call {
  return { who, via: 'route', name, args };
}

/** The same of an operation that opens transactions of its own. */
export function callOf({ who, via }: Pick<Call, 'who' | 'via'>, name: string): Call {
  return { who, via, name };
}

/** A credential beats an argument: a bound agent that names another one is refused, not renamed. */
export function callerOf({
  who,
  via,
  agentId: named,
  fence,
}: Pick<Call, 'who' | 'via' | 'agentId' | 'fence'>): Caller {
  const { agent: bound } = who.bound;
  // A name that an argument gives is kept with whatever it did.
  const agentId = named === undefined ? undefined : redact(named);
  if (bound !== undefined && agentId !== undefined && agentId !== bound) throw notYou(bound, agentId);
  const agent = bound ?? agentId ?? who.default?.agent;
  return {
    who,
    agent,
    known:
      bound !== undefined
        ? 'bound'
        : agentId !== undefined
          ? 'asserted'
          : agent === undefined
            ? 'unnamed'
            : 'automatic',
    seat: seatOf(who),
    fence,
    isPerson: via === 'route' && agent === undefined && isPerson(who),
  };
}

/** The hub itself, which is nobody's agent: for what it does of its own accord. */
export const hubCaller: Caller = callerOf({ who: systemPrincipal, via: 'tool' });

function notYou(bound: string, named: string): HubError {
  return new HubError(
    'forbidden',
    `This connection belongs to the agent ${bound} and cannot act as ${named}.`,
    {
      boundAgentId: bound,
      hint: 'Leave the agent out, or name your own.',
    },
  );
}

/** The bound agent, else the one whose claim this seat made, else the one the call names, else the given name, else the principal. */
export function actorOf(
  { who, agent, known }: Pick<Caller, 'who' | 'agent' | 'known'>,
  attributed?: string,
): Actor {
  if (known === 'bound') return { id: agent!, asserted: false };
  const named = attributed ?? agent ?? who.name;
  return named === undefined ? { id: who.id, asserted: false } : { id: redact(named), asserted: true };
}

/** For long processes that open their own transactions: what they change is attributed as any other call is. */
export function actorFor(who: Principal): Actor {
  return actorOf(callerOf({ who, via: 'tool' }));
}

/**
 * One caller, one tool, one key: one change. A name the hub gave is no part of it: it may be another one after a restart.
 * The hash tells a repetition from another request under the same key, so that only the first of two equal requests does
 * anything and a different one is refused.
 */
function onceOf({ who, agent, known }: Caller, { name, args = {} }: Call): Once | undefined {
  const { idempotencyKey, ...rest } = args;
  if (typeof idempotencyKey !== 'string') return undefined;
  const { kind, id, bound } = who;
  const owner = [kind, id, bound.team ?? '', bound.tenant ?? '', known === 'automatic' ? '' : (agent ?? '')];
  return { key: sha256(JSON.stringify([...owner, name, idempotencyKey])), hash: sha256(canonicalJson(rest)) };
}
