/**
 * What clients wrote about their sessions, read with the person's consent, found again. Every look is one of an owner: the user who
 * runs this hub, on this machine.
 */
import type { Environment } from '../../kernel/config.ts';
import { HubError } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { systemActor } from '../../kernel/principal.ts';
import { excerpt } from '../../kernel/redact.ts';
import { createTurns } from '../../kernel/turns.ts';
import type { Database, Tx } from '../../store/database.ts';
import type { ProjectsService } from '../projects/projects.ts';
import { momentsOf } from './find/moments.ts';
import { matchTurns } from './find/pattern.ts';
import { readQuestion } from './find/question.ts';
import { searchTurns } from './find/search.ts';
import { clientStateOf, followClient, HURRY, type Pace } from './follow/follow.ts';
import { sessionIdOf } from './follow/keep.ts';
import { followRuns, type RunParts } from './follow/runs.ts';
import { createLocate } from './follow/whereabouts.ts';
import { adoptLessons, dropLessonsOf } from './lessons/rows.ts';
import { marks } from './marks.ts';
import { type Owner, ownerHere } from './owner.ts';
import { resumeLine } from './resume.ts';
import { filesOf } from './rows/files.ts';
import {
  adoptAll,
  adoptFolder,
  dropSession,
  homelessFolders,
  keepForgotten,
  listSessions,
  sessionById,
  sessionsEndedBefore,
  sessionsFrom,
  type SessionSight,
} from './rows/sessions.ts';
import { dropTurns, refillTurns, remark, turnsOf } from './rows/turns.ts';
import type { StoredSession } from './rows/tables.ts';
import type { ClientState, SessionMoment, ClientSession, SessionPage, SessionTurn } from './session.ts';
import { CLIENTS, type SessionClient, type SessionSettings } from './settings.ts';
import { type AskedPlace, type Seeing, sightOf } from './sight.ts';
import { blame, type Blamed, turnsBehind } from './why.ts';
import { presentSession, presentTurn } from './views.ts';

export type ClientSessionsParts = Readonly<{
  db: Database;
  projects: ProjectsService;
  /** Undefined: nobody said yes. */
  settings: SessionSettings | undefined;
  env: Environment;
  log: Log;
  own?: Owner;
  /** The hub's own runs; absent: none are read. */
  runs?: RunParts['dispatch'];
}>;

type SearchAnswer = Readonly<{
  moments: SessionMoment[];
  /** What to know about the answer: words left out, how far back it got. */
  notes: string[];
}>;

type ListPage = Readonly<{
  client?: string | undefined;
  since?: number | undefined;
  cursor?: string | undefined;
  limit: number;
}>;

export interface ClientSessions {
  readonly isOn: boolean;
  /** Reads to the end; what all clients have written is known then. */
  sync(): Promise<ClientState[]>;
  /** The same in the background: little by little, or until the signal. */
  follow(pace: Pace): Promise<ClientState[]>;
  /** As it stands, without reading. */
  states(): Promise<ClientState[]>;
  list(
    seeing: Seeing,
    asked: AskedPlace & ListPage,
  ): Promise<Readonly<{ sessions: ClientSession[]; nextCursor: string | null }>>;
  search(
    seeing: Seeing,
    asked: AskedPlace & Readonly<{ query: string; limit: number }>,
  ): Promise<SearchAnswer>;
  show(seeing: Seeing, asked: Readonly<{ id: string; from: number; most: number }>): Promise<SessionPage>;
  /** The last words of both sides, looked for in its last turns. */
  ending(seeing: Seeing, asked: Readonly<{ id: string; most: number }>): Promise<Ending>;
  why(seeing: Seeing, asked: Readonly<{ file: string; line: number; limit: number }>): Promise<WhyAnswer>;
  forget(seeing: Seeing, ids: readonly string[]): Promise<string[]>;
  /** What a caller may see of sessions, and of what is made of them. */
  sight(seeing: Seeing, asked: AskedPlace): Promise<SessionSight>;
  /** What is older than `keep` goes. */
  tidy(): Promise<void>;
}

type Ending = Readonly<{ person: string | undefined; agent: string | undefined }>;
type WhyAnswer = Readonly<{ commit: Blamed['commit']; text: string; moments: SessionMoment[] }>;

const TURNS_AT_ONCE = 500;

export function createSessions({
  db,
  projects,
  settings,
  env,
  log,
  own = ownerHere(),
  runs,
}: ClientSessionsParts): ClientSessions {
  const exclude = settings?.exclude ?? { folders: [], projects: [] };
  const locate = createLocate((folder) => projects.find(folder), { exclude });
  const watch = { workplaces: projects.workplaces, locate };
  /** One reader at a time in this hub; another hub's is told by the position. */
  const reading = createTurns();
  let background = new AbortController();

  async function readAll(pace: Pace): Promise<ClientState[]> {
    if (!settings) throw off();
    pace.begin();
    const states: ClientState[] = [];
    for (const client of settings.from)
      states.push(await followClient({ db, own, settings, locate, env, log }, client, pace));
    if (runs && !pace.signal?.aborted)
      await followRuns({ db, own, locate, resultBytes: settings.resultBytes, dispatch: runs });
    await adopt();
    await db.flush();
    return states;
  }

  /** Folders that became projects since: their sessions belong to them from now on. */
  async function adopt(): Promise<void> {
    for (const folder of await db.read((q) => homelessFolders(q, own))) {
      const project = await locate.projectOf(folder);
      if (project === null) continue;
      const ids = await db.write(systemActor, (tx) => adoptFolder(tx, own, { folder, project }));
      const add = marks.project(project);
      for (const id of ids)
        for (let after: number | undefined = 0; after !== undefined;) {
          const from: number = after;
          after = await db.writeSoon(systemActor, (tx) =>
            remark(tx, id, { add, after: from, most: TURNS_AT_ONCE }),
          );
        }
    }
  }

  async function require(seeing: Seeing, id: string): Promise<StoredSession> {
    const sight = await sightOf(seeing, {}, watch);
    const found = await db.read(async (q) => {
      const exact = await sessionById(q, own, id);
      return exact ? [exact] : id.length < 4 ? [] : sessionsFrom(q, own, id);
    });
    const seen = found.filter(
      ({ ground, project }) =>
        (sight.ground === undefined && sight.project === undefined) ||
        (sight.ground !== undefined && ground === sight.ground) ||
        (sight.project !== undefined && project === sight.project),
    );
    if (seen.length === 1) return seen[0]!;
    const what = seen.length === 0 ? 'There is no session' : 'There is more than one session';
    throw new HubError('not_found', `${what} ${excerpt(id, 60)}.`, {
      hint: '`holdfast sessions list` shows the ids.',
    });
  }

  async function drop(session: StoredSession): Promise<void> {
    for (let gone = 1; gone > 0;)
      gone = await db.write(systemActor, (tx) => dropTurns(tx, session.id, TURNS_AT_ONCE));
    await db.write(systemActor, async (tx) => {
      await dropLessonsOf(tx, session.id);
      await dropSession(tx, session.id);
    });
  }

  return {
    isOn: settings !== undefined,
    sync() {
      // Whoever waits does not wait for somebody who rests.
      background.abort();
      return reading.take(() => readAll(HURRY));
    },
    follow(pace) {
      background = new AbortController();
      const ends = [background.signal, ...(pace.signal ? [pace.signal] : [])];
      return reading.take(() => readAll({ ...pace, signal: AbortSignal.any(ends) }));
    },

    async states() {
      const clients: readonly SessionClient[] = settings?.from ?? [];
      return db.read(async (q) => {
        const states: ClientState[] = [];
        for (const client of CLIENTS.filter((each) => clients.includes(each)))
          states.push(clientStateOf(client, await filesOf(q, own, client), null));
        return states;
      });
    },

    async list(seeing, { cursor, limit, ...asked }) {
      const sight = await sightOf(seeing, asked, watch);
      const before = cursor === undefined ? undefined : readCursor(cursor);
      const { client, since } = asked;
      const rows = await db.read((q) =>
        listSessions(q, own, { ...sight, client, since, before, limit: limit + 1 }),
      );
      const page = rows.slice(0, limit);
      const last = page.at(-1);
      const nextCursor = rows.length > limit && last ? `${last.endedAt}.${last.id}` : null;
      return { sessions: page.map(presentSession), nextCursor };
    },

    async search(seeing, { query, limit, ...asked }) {
      const question = readQuestion(query, db.now());
      const sight = await sightOf(
        seeing,
        { ...asked, project: asked.project ?? allowedProject(seeing, question.project) },
        watch,
      );
      const asking = { own, sight, question, limit };
      const found = question.pattern
        ? await matchTurns((unit) => db.read(unit), asking)
        : await db.read((q) => searchTurns(q, asking));
      const words = [...question.words, ...question.names.flat(), ...question.phrases];
      const moments = await db.read((q) => momentsOf(q, own, { turns: found.turns, words }));
      const notes = [
        ...(found.isPartly ? ['No turn has all of the words; these have some.'] : []),
        ...(found.until === undefined
          ? []
          : [`Two seconds were over: looked back as far as ${new Date(found.until).toISOString()}.`]),
        ...question.problems.map(({ says, meant }) =>
          meant === undefined ? says : `${says} Did you mean ${meant}?`,
        ),
      ];
      return { moments, notes };
    },

    async show(seeing, { id, from, most }) {
      const session = await require(seeing, id);
      const turns = await db.read((q) => turnsOf(q, session.id, { from, most: most + 1 }));
      return {
        session: presentSession(session),
        resume: resumeLine(session),
        turns: turns.slice(0, most).map(presentTurn),
        nextTurn: turns.length > most ? turns[most]!.turn : null,
      };
    },

    async ending(seeing, { id, most }) {
      const session = await require(seeing, id);
      const from = Math.max(1, session.turns - most + 1);
      const turns = await db.read((q) => turnsOf(q, session.id, { from, most }));
      const lastOf = (kind: SessionTurn['kind']) => turns.findLast((turn) => turn.kind === kind)?.text;
      return { person: lastOf('person'), agent: lastOf('agent') };
    },

    async why(seeing, { file, line, limit }) {
      const blamed = await blame(file, line);
      const folder = file.slice(0, file.lastIndexOf('/')) || '/';
      const sight = await sightOf(seeing, { folder }, watch);
      return db.read(async (q) => {
        const turns = await turnsBehind(q, { own, sight, limit }, blamed);
        return {
          commit: blamed.commit,
          text: blamed.line,
          moments: await momentsOf(q, own, { turns, words: [blamed.line.trim()] }),
        };
      });
    },

    async forget(seeing, ids) {
      const gone: StoredSession[] = [];
      for (const id of ids) gone.push(await require(seeing, id));
      for (const session of gone) {
        await db.write(systemActor, (tx) =>
          keepForgotten(tx, own, sessionIdOf(own, session.client, session.clientId)),
        );
        await drop(session);
      }
      return gone.map(({ id }) => id);
    },

    sight: (seeing, asked) => sightOf(seeing, asked, watch),

    async tidy() {
      if (!settings || settings.keepMs === 0) return;
      const before = db.now() - settings.keepMs;
      for (;;) {
        const old = await db.read((q) => sessionsEndedBefore(q, own, before));
        if (old.length === 0) return;
        for (const session of old) await drop(session);
      }
    },
  };
}

/** Sessions that came with a file belong to whoever read it in; their words are made again. */
export async function takeOver(tx: Tx, own: Owner = ownerHere()): Promise<void> {
  await adoptAll(tx, own);
  await adoptLessons(tx, own);
  for (let from: number | undefined = 0; from !== undefined;)
    from = await refillTurns(tx, from, TURNS_AT_ONCE);
}

/** A person may ask for any project in the question itself; for an agent it only narrows. */
function allowedProject({ via }: Seeing, project: string | undefined): string | undefined {
  return via === 'tool' ? project : undefined;
}

function readCursor(text: string): Readonly<{ endedAt: number; id: string }> {
  const [, at, id] = /^(-?\d{1,16})\.([0-9a-f]{1,64})$/.exec(text) ?? [];
  if (at === undefined || id === undefined)
    throw new HubError('invalid', 'That is no cursor of this list.', {
      hint: 'Use nextCursor of the page before.',
    });
  return { endedAt: Number(at), id };
}

function off(): HubError {
  return new HubError('unavailable', 'Sessions are not read here: nobody has said yes.', {
    hint: '`holdfast setup` asks; or `sessions: { from: [claude-code, codex, gemini, opencode] }` in config.yaml.',
  });
}
