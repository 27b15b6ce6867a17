// What agents do with what they found. The last questions of each caller are remembered here, in this process, and
// nothing is written for a search. Who then takes one of the hits says what the question meant, and that is learnt.
import type { Log } from '../../kernel/log.ts';
import type { Principal } from '../../kernel/principal.ts';
import { redact } from '../../kernel/redact.ts';
import { seatOf } from '../../kernel/seat.ts';
import type { ItemUse } from '../../recall/recall.ts';
import { actorOf, callerOf } from '../../store/calls.ts';
import { createCoalesced } from '../../store/coalesced.ts';
import type { Database } from '../../store/database.ts';
import type { SearchAnswer } from './fact.ts';
import { memoryRecall } from './file-procedures.ts';
import { askerOf, type ScopeArgs, SPACE } from './rules.ts';
import { factsByIds } from './rows/facts.ts';

export interface Uses {
  asked(who: Principal, question: ScopeArgs & Readonly<{ query: string }>, answer: SearchAnswer): void;
  /** Somebody opened or replaced it. `id` as the search showed it; `number` is where its words are to go. */
  took(who: Principal, item: Taken): void;
  /** Somebody wrote something, and may have named in it what the search showed. */
  cited(who: Principal, written: Readonly<Record<string, unknown>>): void;
  flush(): Promise<void>;
  close(): Promise<void>;
}

type Taken = Readonly<{ id: string; number: number; author: string }>;

type Question = {
  readonly text: string;
  readonly sight: ItemUse['sight'];
  readonly shown: ReadonlySet<string>;
  /** The answer said itself that it was probably about something else, or there was none. */
  readonly isUnsure: boolean;
  readonly at: number;
  isAnswered: boolean;
};

/** How long a question may have to do with what is taken, and with the next question. */
const REMEMBERED_MS = 10 * 60_000;
const ASKED_AGAIN_MS = 2 * 60_000;
const PER_CALLER = 4;
const CALLERS = 1_000;
/** A longer text is a pasted log, from which nothing is learnt. */
const LONGEST = 400;
/** Facts that one text may name and mean. */
const MOST_NAMED = 3;
const FLUSH_MS = 2_000;

export function createUses({ db, log }: Readonly<{ db: Database; log: Log }>): Uses {
  const recent = new Map<string, readonly Question[]>();
  const learning = createCoalesced<ItemUse>({
    db,
    log,
    what: 'Words learnt from use',
    everyMs: FLUSH_MS,
    write: (tx, _key, use) => memoryRecall.learn(tx, use),
  });

  function took(who: Principal, { id, number, author }: Taken): void {
    const asked = answeredBy(recent.get(keyOf(who)) ?? [], id, db.elapsed());
    const by = userOf(who);
    // Nobody makes his own note known by opening it.
    if (asked.length === 0 || by === author) return;
    for (const question of asked) question.isAnswered = true;
    const questions = asked.map(({ text }) => text).filter((text) => redact(text) === text);
    if (questions.length === 0) return;
    learning.set(JSON.stringify([number, by, questions]), {
      number,
      questions,
      sight: asked[0]!.sight,
      by,
    });
  }

  return {
    asked(who, { query, ...scope }, { results, confident }) {
      if (query.length > LONGEST) return;
      const caller = keyOf(who);
      const question = {
        text: query,
        sight: askerOf(who, scope),
        shown: new Set(results.map(({ id }) => id)),
        isUnsure: results.length === 0 || confident === false,
        at: db.elapsed(),
        isAnswered: false,
      };
      const before = recent.get(caller) ?? [];
      // Taken out first, so that the callers stand in the order in which they asked last.
      recent.delete(caller);
      recent.set(caller, [...before.slice(1 - PER_CALLER), question]);
      if (recent.size > CALLERS) recent.delete(recent.keys().next().value!);
    },
    took,
    cited(who, written) {
      const asked = recent.get(keyOf(who));
      if (!asked || db.elapsed() - asked.at(-1)!.at > REMEMBERED_MS) return;
      const text = JSON.stringify(written, withoutLong);
      const shown = new Set(asked.flatMap((question) => [...question.shown]));
      const named = [...shown].filter((id) => text.includes(id));
      // Who names a whole list has chosen nothing.
      if (named.length === 0 || named.length > MOST_NAMED) return;
      void db
        .read((q) => factsByIds(q, { space: SPACE, ...asked.at(-1)!.sight }, named))
        .then((facts) => facts.forEach((fact) => took(who, fact)))
        .catch((error: unknown) => log.warn('nothing was learnt from what was cited', { error }));
    },
    flush: () => learning.flush(),
    close: () => learning.close(),
  };
}

/** A file that is written cites nobody, and reading all of it takes time. */
const LONG = 20_000;

function withoutLong(_key: string, value: unknown): unknown {
  return typeof value === 'string' && value.length > LONG ? '' : value;
}

/**
 * The last question that showed it, and those just before that were answered with nothing sure: the caller asked again in
 * other words, and this is what was meant.
 */
function answeredBy(questions: readonly Question[], id: string, now: number): readonly Question[] {
  const at = questions.findLastIndex(({ shown }) => shown.has(id));
  const last = questions[at];
  if (!last || now - last.at > REMEMBERED_MS) return [];
  const found = [last];
  for (const earlier of questions.slice(0, at).reverse()) {
    const isAskedAgain =
      earlier.isUnsure && !earlier.isAnswered && found.at(-1)!.at - earlier.at <= ASKED_AGAIN_MS;
    if (!isAskedAgain || !isSameSight(earlier, last)) break;
    found.push(earlier);
  }
  return found;
}

function isSameSight({ sight: a }: Question, { sight: b }: Question): boolean {
  return a.tenant === b.tenant && a.team === b.team && a.agent === b.agent;
}

/** The agent it acts as, under whatever connection; else the connection; else the principal. */
export function keyOf(who: Principal): string {
  const { kind, id, bound, name } = who;
  const agent = bound.agent ?? who.default?.agent ?? name;
  return JSON.stringify([kind, bound.tenant, bound.team, agent ?? seatOf(who) ?? id, agent === undefined]);
}

/** As authors are written down, so that both can be compared. */
function userOf(who: Principal): string {
  return actorOf(callerOf({ who, via: 'tool' })).id;
}
