/**
 * Memory without being asked: moments of sessions that look like lessons are offered to the person whose sessions they are.
 * Nothing is remembered that was not accepted, and what was rejected is not offered again, wherever it is said next.
 */
import { sha256 } from '../../../kernel/digest.ts';
import { HubError } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import type { Log } from '../../../kernel/log.ts';
import { type Principal, systemActor } from '../../../kernel/principal.ts';
import { excerpt } from '../../../kernel/redact.ts';
import type { Database } from '../../../store/database.ts';
import type { Memory } from '../../memory/memory.ts';
import type { Owner } from '../owner.ts';
import { resumeLine } from '../resume.ts';
import { turnsOf } from '../rows/turns.ts';
import type { ClientSessions } from '../sessions.ts';
import type { AskedPlace, Seeing } from '../sight.ts';
import { findLessons } from './find.ts';
import type { Lesson } from './lesson.ts';
import type { Proposal } from './proposal.ts';
import * as rows from './rows.ts';
import type { Word } from './model-words.ts';

export type ProposalsParts = Readonly<{
  db: Database;
  own: Owner;
  sessions: Pick<ClientSessions, 'sight' | 'isOn'>;
  memory: Memory;
  /** Undefined: no model was named. */
  word: Word | undefined;
  log: Log;
}>;

export interface Proposals {
  /** Looks through what was said lately and not looked at yet, for so long at most. */
  scan(mostMs: number): Promise<void>;
  list(seeing: Seeing, asked: AskedPlace & Readonly<{ limit: number }>): Promise<Proposal[]>;
  accept(seeing: Seeing, asked: Accepting): Promise<Readonly<{ id: string; factId: string }>>;
  reject(seeing: Seeing, id: string): Promise<string>;
}

type Accepting = Readonly<{ id: string; title?: string | undefined; text?: string | undefined }>;

/** What was said longer ago is found by searching, and not offered any more. */
const LATELY_MS = 30 * 86_400_000;
const AT_ONCE = 500;
/** Rules look back so far. */
const LOOK_BACK = 45;
const MOST_OPEN = 500;
const MOST_WORDED = 10;
const SCAN_MS = 2_000;

export function createProposals({ db, own, sessions, memory, word, log }: ProposalsParts): Proposals {
  async function scanOne(): Promise<boolean> {
    const found = await db.read(async (q) => {
      const session = await rows.nextToScan(q, own, db.now() - LATELY_MS);
      if (!session) return undefined;
      const scanned = await rows.scannedOf(q, session.id);
      const from = Math.max(1, scanned + 1 - LOOK_BACK);
      const turns = await turnsOf(q, session.id, { from, most: AT_ONCE + LOOK_BACK });
      return { session, scanned, turns };
    });
    if (!found) return false;
    const { session, scanned, turns } = found;
    const first = turns.findIndex(({ turn }) => turn > scanned);
    const lessons = first < 0 ? [] : findLessons(turns, first);
    const until = first < 0 ? session.turns : turns.at(-1)!.turn;
    await db.write(systemActor, async (tx) => {
      let count = 0;
      for (const lesson of lessons) count += await rows.offer(tx, rowOf(lesson, session.id, tx.now));
      await rows.putScan(tx, session.id, until);
      // Of no team: what is offered is the person's, and its agents need not know of it.
      if (count > 0) tx.emit({ kind: 'lesson.offered', subject: session.id, realm: 'hub', data: { count } });
    });
    return true;
  }

  async function scan(mostMs: number): Promise<void> {
    const end = performance.now() + mostMs;
    while (performance.now() < end && (await scanOne()));
  }

  function rowOf({ turn, kind, title, text }: Lesson, session: string, at: number): rows.StoredLesson {
    const digest = digestOf(text);
    const open = { state: 'open', isWorded: false, at, decidedAt: null, fact: null } as const;
    return { id: newId(), ...own, session, turn, kind, title, text, digest, ...open };
  }

  /** What is shown is worded first, where there is a model; one that fails leaves the extract. */
  async function worded(offered: rows.OfferedLesson): Promise<rows.OfferedLesson> {
    const { lesson, session } = offered;
    if (!word || lesson.isWorded) return offered;
    try {
      const from = Math.max(1, lesson.turn - 2);
      const before = await db.read((q) => turnsOf(q, session.id, { from, most: lesson.turn - from }));
      const said = await word(lesson, before.map(({ kind, text }) => `${kind}: ${text}`).join('\n'));
      if (!said) return offered;
      const change = { ...said, isWorded: true };
      await db.write(systemActor, (tx) => rows.changeLesson(tx, lesson, change));
      return { session, lesson: { ...lesson, ...change } };
    } catch (error) {
      log.debug('a lesson was not worded', { error });
      return offered;
    }
  }

  async function open(seeing: Seeing, asked: AskedPlace, most: number): Promise<rows.OfferedLesson[]> {
    const sight = await sessions.sight(seeing, asked);
    return db.read((q) => rows.openLessons(q, own, { sight, most }));
  }

  async function require(seeing: Seeing, id: string): Promise<rows.OfferedLesson> {
    const all = await open(seeing, {}, MOST_OPEN);
    const found = all.filter(({ lesson }) => lesson.id === id || (id.length >= 4 && lesson.id.endsWith(id)));
    if (found.length === 1) return found[0]!;
    const what = found.length === 0 ? 'There is no proposal' : 'There is more than one proposal';
    throw new HubError('not_found', `${what} ${excerpt(id, 60)}.`, {
      hint: '`holdfast memory proposals` shows those that are open.',
    });
  }

  return {
    scan,
    async list(seeing, { limit, ...asked }) {
      if (sessions.isOn) await scan(SCAN_MS);
      const offered = await open(seeing, asked, limit);
      const first = await Promise.all(offered.slice(0, MOST_WORDED).map(worded));
      return [...first, ...offered.slice(MOST_WORDED)].map(present);
    },

    async accept(seeing, { id, title, text }) {
      const { lesson, session } = await require(seeing, id);
      const saved = await memory.via('route').save(seeing.who, {
        title: title ?? lesson.title,
        content: text ?? lesson.text,
        tags: ['lesson'],
        source: `session ${session.client}`,
        ...(session.project !== null && { scopeTeamId: session.project }),
        // Killed between the two, it is the same fact the second time.
        idempotencyKey: `lesson ${lesson.id}`,
      });
      const factId = saved.fact!.id;
      await decide(seeing.who, lesson, { state: 'accepted', fact: factId });
      return { id: lesson.id, factId };
    },

    async reject(seeing, id) {
      const { lesson } = await require(seeing, id);
      await decide(seeing.who, lesson, { state: 'rejected' });
      return lesson.id;
    },
  };

  /** Of what was decided nothing stays but that it was: the words are in memory, or nowhere. */
  async function decide(
    who: Principal,
    lesson: rows.StoredLesson,
    change: Readonly<{ state: 'accepted' | 'rejected'; fact?: string }>,
  ): Promise<void> {
    await db.write({ id: who.id, asserted: false }, async (tx) => {
      const decided = { ...change, title: '', text: '', decidedAt: tx.now };
      // Somebody else may have decided meanwhile.
      if ((await rows.changeLesson(tx, lesson, decided)) === 0) return;
      const about = { subject: lesson.id, realm: 'hub' } as const;
      tx.emit(
        change.state === 'accepted'
          ? { kind: 'lesson.accepted', ...about }
          : { kind: 'lesson.rejected', ...about },
      );
    });
  }
}

function present({ lesson, session }: rows.OfferedLesson): Proposal {
  const { id, kind, title, text, isWorded, at, turn } = lesson;
  const { client, project, folder } = session;
  const moment = { sessionId: session.id, turn, client, project, folder, resume: resumeLine(session) };
  return { id, kind, title, text, isWorded, at, ...moment };
}

/** The same said again: letters and words, whatever stands between them. */
function digestOf(text: string): string {
  const plain = text
    .toLowerCase()
    .replace(/\d+/g, '0')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  return sha256(`lesson ${plain}`).slice(0, 40);
}
