// Reading and searching memories. What an agent gets to see is noted, so that an outcome can be traced to
// it.
import { HubError } from '../../kernel/errors.ts';
import type { Principal } from '../../kernel/principal.ts';
import { effectiveScore, type Turn } from './credit.ts';
import {
  combine,
  type VaultMatch,
  meaningMatches,
  type Searchable,
  snippetOf,
  tierMatcher,
} from './tiers.ts';
import {
  type Credit,
  type Found,
  type VaultHit,
  type VaultMemory,
  type MemoryType,
  type Retrieved,
  round4,
  toIso,
} from './memory.ts';
import { actorFor } from '../../store/calls.ts';
import { type BrainParts, sessionOf } from './parts.ts';
import { creditOf, touchCredit } from './rows/credits.ts';
import { listProblems, memoryById } from './rows/memories.ts';
import { nextVersion } from './rows/vaults.ts';
import { notFound, pathOfId } from './rules.ts';
import { readDocument } from './vault/document.ts';
import { itemOf, recallOf } from './vault/index-documents.ts';
import { newId } from '../../kernel/ids.ts';
import type { Tx } from '../../store/database.ts';
import { extendTurn, insertTurn, turnsOfSession } from './rows/turns.ts';

export type MemoryQuery = Readonly<{ query: string; type: MemoryType | null; limit: number }>;

/** Reading for an agent: what it gets to see is noted, so that an outcome can be traced to it. */
export async function retrieve(parts: BrainParts, who: Principal, id: string): Promise<Retrieved> {
  const memory = await readMemory(parts, id);
  const { db, vault } = parts;
  const credit = await db.write(actorFor(who), async (tx) => {
    const version = await nextVersion(tx, vault.id);
    await touchCredit(tx, vault.id, { id, version });
    await recordTurn(tx, { vault: vault.id, ...sourceOf(who), retrieved: [{ id, rank: 1 }] });
    return creditOf(tx, vault.id, id);
  });
  if (!credit) throw notFound(id);
  return present(parts, memory, credit);
}

/** The same for a person: nothing is counted. */
export async function show(parts: BrainParts, id: string): Promise<Retrieved> {
  const memory = await readMemory(parts, id);
  const credit = await parts.db.read((q) => creditOf(q, parts.vault.id, id));
  if (!credit) throw notFound(id);
  return present(parts, memory, credit);
}

export async function search(parts: BrainParts, who: Principal, request: MemoryQuery): Promise<Found> {
  const found = await look(parts, request);
  const retrieved = found.results.map(({ id }, i) => ({ id, rank: i + 1 }));
  if (retrieved.length > 0) {
    await parts.db.write(actorFor(who), (tx) =>
      recordTurn(tx, { vault: parts.vault.id, ...sourceOf(who), retrieved }),
    );
  }
  return found;
}

/** The documented tiers over everything, and below them what recall finds for a question in natural words. */
export async function look(
  { db, vault, catalogue }: BrainParts,
  { query, type, limit }: MemoryQuery,
): Promise<Found> {
  const policy = await vault.policy();
  const { items, credits } = await catalogue.fresh();
  const now = db.now();
  const tier = tierMatcher(query);
  const prefix = itemOf(vault, '').length;
  const everything = { tenant: undefined, team: undefined, agent: undefined };
  const { hits } = await db.read((q) => recallOf(vault).search(q, { text: query, sight: everything }));
  const meant = meaningMatches(hits.map(({ id, score }) => ({ id: id.slice(prefix), score })));
  const matches: (Scored & { item: Searchable })[] = [];
  for (const item of items.values()) {
    const { id } = item.memory;
    if (type !== null && item.memory.type !== type) continue;
    const match = tier(item) ?? meant.get(id);
    const credit = match && credits.get(id);
    if (!match || !credit) continue;
    matches.push({
      item,
      ...score(match, round4(effectiveScore(credit, now, policy))),
      tie: meant.get(id)?.relevance ?? 0,
    });
  }
  matches.sort(
    (a, b) =>
      b.combined - a.combined ||
      b.relevance - a.relevance ||
      b.tie - a.tie ||
      (a.item.memory.id < b.item.memory.id ? -1 : 1),
  );
  return {
    results: matches.slice(0, limit).map((match) => toHit(match.item.memory, match, query)),
    total_matches: matches.length,
  };
}

type Scored = VaultMatch & Readonly<{ credit: number; combined: number; tie: number }>;

function score(match: VaultMatch, credit: number): Omit<Scored, 'tie'> {
  return { ...match, credit, combined: combine(match.relevance, credit) };
}

function toHit(memory: VaultMemory, match: Scored, query: string): VaultHit {
  return {
    id: memory.id,
    name: memory.name,
    type: memory.type,
    snippet: snippetOf(memory.body, query),
    credit_score: match.credit,
    relevance_score: match.relevance,
    combined_score: match.combined,
    matched: match.matched,
  };
}

/** From the file, because it is the truth; an index that is behind catches up first. */
async function readMemory(parts: BrainParts, id: string): Promise<VaultMemory> {
  const { db, vault } = parts;
  for (const isSecondLook of [false, true]) {
    if (isSecondLook) await vault.refresh();
    const known = await db.read((q) => memoryById(q, vault.id, id));
    const document = known && (await readDocument(vault.files, { path: known.path }, db.now()));
    if (document?.kind === 'memory' && document.memory.id === id) return document.memory;
  }
  throw await missing(parts, id);
}

/** A file that is there and cannot be read is not the same as none. */
async function missing({ db, vault }: BrainParts, id: string): Promise<HubError> {
  const path = pathOfId(id);
  const problem = (await db.read((q) => listProblems(q, vault.id))).find((each) => each.path === path);
  if (!problem) return notFound(id);
  return new HubError('conflict', `${problem.path} cannot be read: ${problem.reason}.`, {
    id,
    hint: 'Repair the file; it is picked up as soon as it is saved.',
  });
}

async function present({ db, vault }: BrainParts, memory: VaultMemory, credit: Credit): Promise<Retrieved> {
  const policy = await vault.policy();
  return {
    id: memory.id,
    type: memory.type,
    category: memory.category,
    name: memory.name,
    content: memory.body,
    tags: [...memory.tags],
    credit_score: round4(effectiveScore(credit, db.now(), policy)),
    access_count: credit.accessCount,
    created_at: toIso(memory.createdAt),
    last_accessed: toIso(credit.lastAccessed),
    pinned: memory.pinned,
    path: memory.path,
    updated_at: toIso(memory.updatedAt),
  };
}

function sourceOf(who: Principal): Readonly<{ session: string; agent: string | null }> {
  return { session: sessionOf(who), agent: who.bound.agent ?? null };
}

/** Retrievals of one session that follow each other are one turn, until an outcome is known or a pause ends it. */
const TURN_GAP_MS = 5 * 60_000;

type Seen = Readonly<{
  vault: string;
  session: string;
  agent: string | null;
  retrieved: Turn['retrieved'];
}>;

async function recordTurn(tx: Tx, { vault, session, agent, retrieved }: Seen): Promise<void> {
  if (retrieved.length === 0) return;
  // Two retrievals of one session at once must not open two turns.
  await tx.lock(`turn:${vault}:${session}`);
  const [last] = await turnsOfSession(tx, { vault, session }, 1);
  if (last && last.outcome === null && tx.now - last.lastAt <= TURN_GAP_MS) {
    await extendTurn(tx, { id: last.id, retrieved: joined(last.retrieved, retrieved) });
    return;
  }
  await insertTurn(tx, { id: newId(), vault, session, agent, retrieved });
}

/** A memory seen twice counts once, at its better rank. */
function joined(before: Turn['retrieved'], now: Turn['retrieved']): Turn['retrieved'] {
  const ranks = new Map(before.map(({ id, rank }) => [id, rank]));
  for (const { id, rank } of now) ranks.set(id, Math.min(rank, ranks.get(id) ?? rank));
  return [...ranks].map(([id, rank]) => ({ id, rank }));
}
