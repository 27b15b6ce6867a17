// What one can do with facts and procedures. Changes take a transaction, reads a snapshot; scopes bound
// both.
import { sha256 } from '../../kernel/digest.ts';
import type { ScopeTags } from '../../recall/recall.ts';
import { HubError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { Principal } from '../../kernel/principal.ts';
import { redact } from '../../kernel/redact.ts';
import type { Query, Tx } from '../../store/database.ts';
import type { Procedure } from './fact.ts';
import { fileProcedure, memoryRecall } from './filing.ts';
import { filingOf, holdsSince, scrubContent, scrubFact, seatOf, sightOf } from './rules.ts';
import type { FactText, FilingArgs, ScopeArgs } from './rules.ts';
import * as rows from './rows/facts.ts';
import * as procedureRows from './rows/procedures.ts';
import type { StoredFact } from './rows/facts.ts';

export type NewFact = ScopeArgs &
  FactText &
  Readonly<{
    episode?: string | undefined;
    source: string;
    validFrom?: number | undefined;
    /** The id of the version it takes the place of. */
    supersedes?: string | undefined;
  }>;

type NewProcedure = FilingArgs & Readonly<{ name: string; content: string; source: string }>;

export type SavedFact = Readonly<{ fact: StoredFact; duplicate: boolean; similar: readonly string[] }>;

/** Called in the transaction of a save, so that whatever follows from it cannot be lost. */
export type OnSaved = (tx: Tx, fact: StoredFact) => Promise<void>;

/** What one can do with facts and procedures. Changes take a transaction, reads a snapshot; the caller decides the scope. */
export interface Facts {
  save(tx: Tx, who: Principal, fact: NewFact): Promise<SavedFact>;
  /** Files a scrubbed fact under exactly these tags. */
  file(tx: Tx, who: Principal, tags: ScopeTags, fact: FiledFact): Promise<SavedFact>;
  /** What follows from a save, for a fact that comes back. */
  noteSaved(tx: Tx, fact: StoredFact): Promise<void>;
  saveProcedure(tx: Tx, who: Principal, procedure: NewProcedure): Promise<Procedure>;
  /** Is this what its newest version says already? */
  hasProcedure(tx: Tx, who: Principal, procedure: NewProcedure): Promise<boolean>;
  get(q: Query, who: Principal, id: string, args?: ScopeArgs): Promise<StoredFact>;
  browse(q: Query, who: Principal, page: BrowsePage): Promise<StoredFact[]>;
}

type BrowsePage = ScopeArgs & Readonly<{ limit: number; before?: string | undefined }>;

/** Greater than any id. */
const AFTER_ALL = '~';

export function createFacts({ onSaved }: Readonly<{ onSaved?: OnSaved }> = {}): Facts {
  const file: Facts['file'] = async (tx, who, tags, fact) => {
    const saved = await fileFact(tx, who, tags, fact);
    if (!saved.duplicate) await onSaved?.(tx, saved.fact);
    return saved;
  };
  return {
    file,
    noteSaved: async (tx, fact) => onSaved?.(tx, fact),
    save: (tx, who, fact) => file(tx, who, filingOf(who, fact), { ...fact, ...scrubFact(fact) }),
    async saveProcedure(tx, who, procedure) {
      const { row, team, newest } = await lookUpProcedure(tx, who, procedure);
      const id = newId();
      const version = (newest?.version ?? 0) + 1;
      await procedureRows.insertProcedure(tx, { id, version, ...row });
      await fileProcedure(tx, { id, ...row });
      tx.emit({ kind: 'procedure.saved', subject: id, realm: 'hub', ...teamOf(team), data: { version } });
      return (await procedureRows.procedureById(tx, sightOf(who, procedure), id))!;
    },
    async hasProcedure(tx, who, procedure) {
      const { row, newest } = await lookUpProcedure(tx, who, procedure);
      return newest?.content === row.content;
    },
    async get(q, who, id, args = {}) {
      const fact = await rows.factById(q, sightOf(who, args), id);
      if (!fact) throw notFound(id);
      return fact;
    },
    browse: (q, who, { limit, before, ...args }) =>
      rows.recentFacts(q, sightOf(who, args), { limit, before: before ?? AFTER_ALL }),
  };
}

/** Versions are gapless: from here on writers of one procedure take turns, and the unique index is the proof. */
async function lookUpProcedure(tx: Tx, who: Principal, { content, name, source, ...args }: NewProcedure) {
  const tags = filingOf(who, args);
  const scope = await memoryRecall.scope(tx, tags);
  const row = { scope, name: redact(name), content: scrubContent(content), source: redact(source) };
  await tx.lock(`procedure:${scope}:${row.name}`);
  return { row, team: tags.team, newest: await procedureRows.newestVersion(tx, scope, row.name) };
}

export function notFound(id: string): HubError {
  return new HubError('not_found', `not found: ${id}`, {
    id,
    hint: 'Search or browse for the ids you can see.',
  });
}

export function teamOf(team: string | null): { team?: string } {
  return team === null || team === '' ? {} : { team };
}

type FiledFact = FactText & Pick<NewFact, 'episode' | 'source' | 'validFrom' | 'supersedes'>;

/** The same fact filed twice is one fact. */
async function fileFact(tx: Tx, who: Principal, tags: ScopeTags, fact: FiledFact): Promise<SavedFact> {
  const digest = hashOf(fact);
  // Two that save the same fact at once take turns, so the second finds the first one's.
  await tx.lock(`fact:${digest}`);
  const filing = await rows.findFiling(tx, tags, digest);
  if (filing?.known)
    return { fact: (await rows.factById(tx, tags, filing.known))!, duplicate: true, similar: [] };
  const scope = filing?.scope ?? (await memoryRecall.scope(tx, tags));
  const id = newId();
  const { title, content, episode } = fact;
  const { number, similar } = await memoryRecall.add(tx, {
    id,
    scope,
    seat: seatOf(who),
    episode,
    title,
    content,
    tags: fact.tags,
  });
  const filed = await rows.insertFact(tx, tags, {
    id,
    number,
    scope,
    hash: digest,
    title,
    content,
    tags: fact.tags,
    source: redact(fact.source),
    validFrom: holdsSince(fact.validFrom, tx.now),
    supersedes: fact.supersedes ?? null,
  });
  tx.emit({ kind: 'memory.saved', subject: id, realm: 'hub', ...teamOf(tags.team) });
  return { fact: filed, duplicate: false, similar };
}

/** What a fact says, and nothing of when or by whom: the same text in the same scope is the same fact. */
export function hashOf({ title, content, tags }: FactText): string {
  return sha256(JSON.stringify([title, content, [...tags].sort()]), 'base64url').slice(0, 22);
}
