// What is written down of living branches and their collisions, with who is told: one transaction for each look at a repository.
import { newId } from '../../../kernel/ids.ts';
import type { Tx } from '../../../store/database.ts';
import type { Chat } from '../../chat/chat.ts';
import { COLLISION_SUBJECT } from './collision.ts';
import {
  type BranchMark,
  collisionsOf,
  dropBranch,
  dropCollision,
  putBranch,
  putCollision,
  type StoredBranch,
  type StoredCollision,
} from './rows.ts';
import { hasNews } from './rules.ts';
import { endWords, mailWords, roomWords } from './tell.ts';
import type { TriedPair } from './try-merges.ts';

export type Looked = Readonly<{
  repository: string;
  /** All that live now. */
  living: readonly StoredBranch[];
  /** Of these the ones that are not as they were written down. */
  changed: readonly StoredBranch[];
  moved: ReadonlySet<string>;
  gone: readonly BranchMark[];
  found: readonly TriedPair<StoredBranch>[];
  /** Those that somebody else holds now. */
  taken: readonly StoredBranch[];
}>;

export async function bookLook(tx: Tx, chat: Chat, looked: Looked): Promise<void> {
  const { repository, living, changed, moved, gone, found } = looked;
  for (const branch of changed) await putBranch(tx, branch);
  for (const { branch } of gone) await dropBranch(tx, repository, branch);
  const there = new Map(living.map((each) => [each.branch, each]));
  const known = await collisionsOf(tx, repository);
  const isOf = ({ a, b }: StoredCollision, pair: TriedPair<StoredBranch>) =>
    [a, b].includes(pair.a.branch) && [a, b].includes(pair.b.branch);
  for (const old of known) {
    const isLooked = moved.has(old.a) || moved.has(old.b) || !there.has(old.a) || !there.has(old.b);
    if (isLooked && !found.some((pair) => isOf(old, pair))) await end(tx, chat, { old, there });
  }
  for (const pair of found) {
    const old = known.find((each) => isOf(each, pair));
    await keep(tx, chat, { old, pair });
  }
  for (const old of known) {
    const [a, b] = [there.get(old.a), there.get(old.b)];
    const isOpen = a && b && !(moved.has(old.a) || moved.has(old.b));
    if (isOpen) await tellNewHolders(tx, chat, { pair: { a, b, files: old.files }, taken: looked.taken });
  }
}

type Told = Readonly<{ pair: TriedPair<StoredBranch>; taken: readonly StoredBranch[] }>;

/** Who takes work over takes its conflicts over. */
async function tellNewHolders(tx: Tx, chat: Chat, { pair, taken }: Told): Promise<void> {
  const letters = lettersFor(pair).filter(({ side }) => taken.includes(side));
  await chat.announce(tx, { team: pair.a.project, letters });
}

function lettersFor(pair: TriedPair<StoredBranch>) {
  return [pair.a, pair.b].flatMap((side) =>
    side.agent === null ? [] : [{ side, to: side.agent, text: mailWords(pair, side === pair.a) }],
  );
}

type Ending = Readonly<{ old: StoredCollision; there: ReadonlyMap<string, StoredBranch> }>;

async function end(tx: Tx, chat: Chat, { old, there }: Ending): Promise<void> {
  const { id, project, a, b } = old;
  await dropCollision(tx, id);
  const isSolved = there.has(a) && there.has(b);
  tx.emit({ kind: 'collision.ended', ...aboutPair({ id, project, a: there.get(a), b: there.get(b) }) });
  if (isSolved) await chat.announce(tx, { team: project, text: endWords(a, b), letters: [] });
}

type Keeping = Readonly<{ old: StoredCollision | undefined; pair: TriedPair<StoredBranch> }>;

/** Told once for every file: who commits again and again into the same conflict has heard of it. */
async function keep(tx: Tx, chat: Chat, { old, pair }: Keeping): Promise<void> {
  const { a, b, files } = pair;
  const { project, repository } = a;
  const id = old?.id ?? newId();
  const createdAt = old?.createdAt ?? tx.now;
  const sides = { a: a.branch, b: b.branch };
  await putCollision(tx, { id, project, repository, ...sides, files, createdAt, updatedAt: tx.now });
  const about = aboutPair({ id, project, a, b });
  tx.emit(old ? { kind: 'collision.changed', ...about } : { kind: 'collision.found', ...about });
  if (old && !hasNews(old.files, files)) return;
  const letters = lettersFor(pair);
  const isOneHolder = a.agent !== null && a.agent === b.agent;
  await chat.announce(tx, {
    team: project,
    text: roomWords(pair),
    letters: isOneHolder ? letters.slice(1) : letters,
  });
}

type Emitted = Readonly<{
  id: string;
  project: string;
  a: BranchMark | undefined;
  b: BranchMark | undefined;
}>;

function aboutPair({ id, project, a, b }: Emitted) {
  const data = { collisionId: id, a: a?.taskId ?? null, b: b?.taskId ?? null };
  return { subject: COLLISION_SUBJECT, realm: 'hub', team: project, data } as const;
}
