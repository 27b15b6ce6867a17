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
import type { Database } from '../../store/database.ts';
import { type AskBrief, type Brief, type BriefAsker, composeBrief } from './brief.ts';
import { briefedAt, dropBriefedBefore, lastHere, noteBriefed, noteSeen } from './rows.ts';

export { agoText, type AskBrief, BRIEF_KINDS, type BriefItem, nameIn } from './brief.ts';

export interface Briefings {
  /** For who asks. */
  of(call: Readonly<{ who: Principal; via: 'tool' | 'route' }>): Promise<Brief>;
  /** Beside the first answer of a connection. */
  readonly postscript: AskPostscript;
  /** For a hook; undefined: it was told, or there is nothing to tell. */
  hook(hooked: Hooked): Promise<string | undefined>;
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
  /** Names of the connections of a team that live now. */
  living(team: string): Promise<readonly string[]>;
}>;

const DAY = 86_400_000;
const KEPT_MS = 30 * DAY;
/** How far back is told to who was never here. */
const FIRST_MS = 7 * DAY;
/** A credential without a connection begins again after so long. */
const AGAIN_MS = DAY / 2;
const LIVING_MS = 90_000;
const UNASKED = 1_200;
const REMEMBERED = 5_000;

export function createBriefings({ db, tokens, rooms, living }: BriefingParts): Briefings {
  /** By the raw seat, so that nothing is hashed for a call of who was told. */
  const told = new BoundedMap<string, number>(REMEMBERED);

  async function compose(
    asked: Omit<BriefAsker, 'since' | 'now'>,
    key: string,
    seat: string | null,
  ): Promise<Brief> {
    const now = db.now();
    const { team, agents } = asked;
    const presence = { team: team ?? '', agents, key, seat, livingSince: now - LIVING_MS };
    const since = (await db.read((q) => lastHere(q, presence))) ?? now - FIRST_MS;
    const asker = { ...asked, since, now };
    const lines = [];
    for (const ask of rooms()) lines.push(...(await ask(asker)));
    const { project } = asked.caller.who;
    return composeBrief(lines, { project: project ?? team, tokens: tokens === 0 ? UNASKED : tokens });
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

  async function namesOf({ beside, agent, client, team }: Hooked): Promise<readonly string[]> {
    if (beside) return [beside.name];
    if (agent !== undefined) return [agent];
    // The name that its connection will be given, unless somebody who is here has it.
    const name = clientSlug(client);
    return team === undefined || (await living(team)).includes(name) ? [] : [name];
  }

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
        // BriefItem on one of its two ways, it is told on the other.
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
