/**
 * Who is told, and when. What must stay true: a connection is told once, whether its hook or its first call came first, also
 * when the hub was restarted in between (`briefings`); a call of who was told costs a look into a map and nothing more.
 */
import { BoundedMap } from '../../kernel/bounded-map.ts';
import { clientSlug } from '../../kernel/client-name.ts';
import { type Principal, systemActor } from '../../kernel/principal.ts';
import { digestOfSeat, seatOf } from '../../kernel/seat.ts';
import type { AskPostscript } from '../../mcp/postscript.ts';
import { type Caller, callerOf } from '../../store/calls.ts';
import type { Database, Query } from '../../store/database.ts';
import { type AskBrief, type Brief, type BriefAsker, composeBrief } from './brief.ts';
import { briefedAt, dropBriefedBefore, lastTold, noteBriefed, noteSeen } from './rows.ts';

export { agoText, type AskBrief, BRIEF_KINDS, type BriefItem, nameIn } from './brief.ts';

export interface Briefings {
  /** For who asks. */
  of(call: Readonly<{ who: Principal; via: 'tool' | 'route' }>): Promise<Brief>;
  /** Beside the first answer of a connection. */
  readonly postscript: AskPostscript;
  /** For a hook; undefined: it was told, or there is nothing to tell. */
  hook(hooked: Hooked): Promise<string | undefined>;
  /** What the session of a hook goes by; none: nothing tells who it is. */
  namesOf(hooked: Pick<Hooked, 'beside' | 'agent' | 'client' | 'team'>): Promise<readonly string[]>;
  /** The session of a hook is over. */
  left(hooked: Pick<Hooked, 'client' | 'session'>): Promise<void>;
  tidy(): Promise<unknown>;
}

type Hooked = Readonly<{
  who: Principal;
  client: string;
  session: string;
  folder: string;
  team: string | undefined;
  /** The connection of the same client, where it has one. */
  beside: Readonly<{ seat: string; name: string }> | undefined;
  /** Who it was said to be. */
  agent: string | undefined;
  /** It begins, or begins again with nothing in mind. */
  isStart: boolean;
}>;

type BriefingParts = Readonly<{
  db: Database;
  /** 0: nobody is told without asking. */
  tokens: number;
  rooms: () => readonly AskBrief[];
  /** Who is here, and who was. */
  seats: Readonly<{
    living(q: Query, team: string): Promise<readonly Readonly<{ name: string }>[]>;
    lastHere(
      q: Query,
      asked: Readonly<{ teamId: string; names: readonly string[]; but: string | null }>,
    ): Promise<number | undefined>;
  }>;
}>;

const DAY = 86_400_000;
const KEPT_MS = 30 * DAY;
/** How far back is told to who was never here. */
const FIRST_MS = 7 * DAY;
/** A credential without a connection begins again after so long. */
const AGAIN_MS = DAY / 2;
const UNASKED = 1_200;
const REMEMBERED = 5_000;

export function createBriefings({ db, tokens, rooms, seats }: BriefingParts): Briefings {
  /** By the raw seat, so that nothing is hashed for a call of who was told. */
  const told = new BoundedMap<string, number>(REMEMBERED);

  async function compose(
    asked: Omit<BriefAsker, 'since' | 'now'>,
    key: string,
    seat: string | null,
  ): Promise<Brief> {
    const now = db.now();
    const asker = { ...asked, since: (await lastHere(asked, key, seat)) ?? now - FIRST_MS, now };
    const lines = [];
    for (const ask of rooms()) lines.push(...(await ask(asker)));
    const { project } = asked.caller.who;
    const brief = composeBrief(lines, {
      project: project ?? asked.team,
      tokens: tokens === 0 ? UNASKED : tokens,
    });
    const isTold = new Set(brief.lines.map(({ kind, id }) => `${kind} ${id}`));
    for (const { kind, id, onTold } of lines) if (isTold.has(`${kind} ${id}`)) onTold?.();
    return brief;
  }

  /** Undefined: never, as far as is known. */
  async function lastHere(
    { team = '', agents }: Pick<BriefAsker, 'team' | 'agents'>,
    key: string,
    seat: string | null,
  ): Promise<number | undefined> {
    if (agents.length === 0) return undefined;
    const [told, heard] = await db.read(async (q) => [
      await lastTold(q, { team, agents, key }),
      await seats.lastHere(q, { teamId: team, names: agents, but: seat }),
    ]);
    return told === undefined || heard === undefined ? (told ?? heard) : Math.max(told, heard);
  }

  async function namesHere(team: string): Promise<readonly string[]> {
    return (await db.read((q) => seats.living(q, team))).map(({ name }) => name);
  }

  async function wasTold(key: string, againMs = Infinity): Promise<boolean> {
    const at = await db.read((q) => briefedAt(q, key));
    return at !== undefined && db.now() - at < againMs;
  }

  async function note(
    keys: readonly string[],
    { team, agents }: Pick<BriefAsker, 'team' | 'agents'>,
  ): Promise<void> {
    await db.write(systemActor, async (tx) => {
      for (const key of keys)
        await noteBriefed(tx, { key, team: team ?? '', agent: agents[0] ?? '', at: tx.now });
    });
  }

  const namesOf: Briefings['namesOf'] = async ({ beside, agent, client, team }) => {
    if (beside) return [beside.name];
    if (agent !== undefined) return [agent];
    // The name that its connection will be given, unless somebody who is here has it.
    const name = clientSlug(client);
    return team === undefined || (await namesHere(team)).includes(name) ? [] : [name];
  };

  return {
    async of({ who, via }) {
      const caller = callerOf({ who, via });
      const key = keyOf(who);
      const asked = { caller, via, ...whereaboutsOf(caller) };
      const brief = await compose(asked, key ?? '', seatOf(who));
      if (key !== undefined && asked.agents.length > 0) {
        told.set(rawOf(who), db.elapsed());
        if (brief.lines.length > 0) await note([key], asked);
      }
      return brief;
    },

    async postscript(who, _tool, server) {
      if (tokens === 0 || server !== 'hub') return undefined;
      const raw = rawOf(who);
      const againMs = who.seat === '' ? AGAIN_MS : Infinity;
      if (db.elapsed() - (told.get(raw) ?? -Infinity) < againMs) return undefined;
      told.set(raw, db.elapsed());
      const caller = callerOf({ who, via: 'tool' });
      const { agents, team } = whereaboutsOf(caller);
      const key = keyOf(who);
      if (key === undefined || team === undefined || agents.length === 0) return undefined;
      if (await wasTold(key, againMs)) return undefined;
      const brief = await compose({ caller, via: 'tool', agents, team }, key, seatOf(who));
      if (brief.lines.length === 0) return undefined;
      await note([key], { agents, team });
      return { field: '_brief', value: marked(brief), text: brief.text };
    },

    async hook(hooked) {
      if (tokens === 0) return undefined;
      const { who, session, folder, team, beside, isStart } = hooked;
      const key = keyOfSession(hooked);
      const keys = [key, ...(beside ? [beside.seat] : [])];
      if (!isStart) {
        const known = await Promise.all(keys.map((each) => wasTold(each)));
        const isKnown = known.some(Boolean);
        // Who was told on one of its two ways was told on the other.
        if (isKnown && known.includes(false)) await note(keys, { team, agents: await namesOf(hooked) });
        if (isKnown) return undefined;
      }
      const agents = await namesOf(hooked);
      const [agent] = agents;
      const taken = { ...(team !== undefined && { team }), ...(agent !== undefined && { agent }) };
      const caller = callerOf({ who: { ...who, default: taken }, via: 'tool' });
      const asked = { caller, via: 'route', agents, team, folder, session } as const;
      const brief = await compose(asked, key, beside?.seat ?? null);
      await note(keys, asked);
      return brief.lines.length === 0 ? undefined : brief.text;
    },

    namesOf,

    async left(hooked) {
      await db.write(systemActor, (tx) => noteSeen(tx, keyOfSession(hooked)));
    },

    tidy: () => db.write(systemActor, (tx) => dropBriefedBefore(tx, tx.now - KEPT_MS)),
  };
}

/** No tool declares it, so it brings the mark of others' words itself. */
function marked({ lines, ...brief }: Brief): object {
  const isOfOthers = { untrusted: true };
  return { ...brief, lines: lines.map((line) => ({ ...line, ...isOfOthers })), ...isOfOthers };
}

function whereaboutsOf({ who, agent }: Caller): Pick<BriefAsker, 'agents' | 'team'> {
  return {
    agents: agent === undefined ? [] : [agent],
    team: who.bound.team ?? who.default?.team,
  };
}

const rawOf = ({ seat, credential, id, bound }: Principal): string =>
  seat === '' ? JSON.stringify([credential ?? id, bound.team, bound.agent]) : seat;

/** The connection; where there is none, what its claims know it by. */
function keyOf(who: Principal): string | undefined {
  return who.seat === '' ? (seatOf(who) ?? undefined) : digestOfSeat(who.seat);
}

const keyOfSession = ({ client, session }: Pick<Hooked, 'client' | 'session'>): string =>
  digestOfSeat(`session:${client}:${session}`);
