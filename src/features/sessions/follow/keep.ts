// What was read becomes rows, in the transaction that also moves the position of its file.
import { sha256 } from '../../../kernel/digest.ts';
import { redact } from '../../../kernel/redact.ts';
import type { Tx } from '../../../store/database.ts';
import { marks } from '../marks.ts';
import type { Owner } from '../owner.ts';
import { isForgotten, putSession, sessionOfClient } from '../rows/sessions.ts';
import type { StoredSession, TurnRow } from '../rows/tables.ts';
import { noteUsage } from '../rows/usage.ts';
import { insertTurns, replaceTurn, turnsByKey } from '../rows/turns.ts';
import type { SessionFacts } from '../readers/reader.ts';
import type { Shaped } from './shape.ts';

/** Where a session was: found before the transaction, since files are looked at. */
export type SessionGround = Readonly<{ ground: string; project: string | null }>;

export type NewPart = Readonly<{
  own: Owner;
  client: string;
  clientId: string;
  facts: SessionFacts;
  where: SessionGround;
  turns: readonly Shaped[];
  /** The time of the file, for turns that tell none. */
  at: number;
}>;

export const sessionIdOf = ({ host, owner }: Owner, client: string, clientId: string): string =>
  sha256(JSON.stringify([host, owner, client, clientId])).slice(0, 24);

/** Answers how many turns are new. */
export async function keepPart(tx: Tx, part: NewPart): Promise<number> {
  const { own, client, clientId, facts, where } = part;
  const id = sessionIdOf(own, client, clientId);
  if (await isForgotten(tx, own, id)) return 0;
  const before = await sessionOfClient(tx, own, { client, clientId });
  if (!before && part.turns.length === 0) return 0;
  const known = Map.groupBy(
    await turnsByKey(
      tx,
      part.turns.map(({ key }) => key),
    ),
    ({ key }) => key,
  );
  const seen = new Set<string>();
  const fresh: Omit<TurnRow, 'no'>[] = [];
  let at = before?.endedAt ?? facts.startedAt ?? part.at;
  let turn = before?.turns ?? 0;
  const place = [
    marks.ground(before?.ground ?? where.ground),
    ...projectMark(before?.project ?? where.project),
  ].join(' ');
  let started =
    before?.startedAt ?? facts.startedAt ?? part.turns.find((each) => each.at !== undefined)?.at ?? part.at;
  let ended = before?.endedAt ?? started;
  // A message that is written again within one slice: the last form counts.
  const latest = new Map(part.turns.map((each) => [each.key, each]));
  for (const { key } of part.turns) {
    if (seen.has(key)) continue;
    seen.add(key);
    const shaped = latest.get(key)!;
    at = shaped.at ?? at;
    const row = { ...shaped, at, session: id, marks: `${shaped.marks} ${place}` };
    const [same, isCopy] = findSame(known.get(key) ?? [], row);
    if (isCopy) continue;
    started = Math.min(started, at);
    ended = Math.max(ended, at);
    if (same) {
      if (isGrown(same, row)) await replaceTurn(tx, { ...row, no: same.no, turn: same.turn });
      continue;
    }
    turn += 1;
    fresh.push({ ...row, turn });
  }
  const now = sessionOf(part, before);
  await putSession(tx, { ...now, id, startedAt: started, endedAt: ended, turns: turn });
  await noteUsage(tx, { id, before, now, at: ended });
  await insertTurns(tx, fresh);
  return fresh.length;
}

const projectMark = (project: string | null): readonly string[] =>
  project === null ? [] : [marks.project(project)];

/** The same turn of this session, or a copy of one in another: forks and resumed sessions repeat what was before. */
function findSame(
  known: readonly TurnRow[],
  row: Pick<TurnRow, 'session' | 'text'>,
): readonly [same: TurnRow | undefined, isCopy: boolean] {
  const same = known.find(({ session }) => session === row.session);
  return [same, same === undefined && known.some(({ text }) => text === row.text)];
}

function isGrown(before: TurnRow, now: Omit<TurnRow, 'no' | 'turn'>): boolean {
  return before.text !== now.text || before.args !== now.args || before.isError !== now.isError;
}

const MOST_TITLE = 200;

function sessionOf(
  { own, client, clientId, facts, where, turns }: NewPart,
  before: StoredSession | undefined,
): Omit<StoredSession, 'id' | 'startedAt' | 'endedAt' | 'turns'> {
  const first = turns.find(({ kind }) => kind === 'person')?.text;
  const title = facts.title ?? before?.title ?? first;
  const masked = (text: string | undefined): string | undefined =>
    text === undefined ? undefined : redact(text.replaceAll('\0', '').toWellFormed()).slice(0, 1000);
  return {
    ...own,
    client,
    clientId,
    ground: before?.ground ?? where.ground,
    project: before?.project ?? where.project,
    folder: before?.folder ?? masked(facts.folder) ?? null,
    branch: masked(facts.branch) ?? before?.branch ?? null,
    model: masked(facts.model) ?? before?.model ?? null,
    title: masked(title?.replace(/\s+/g, ' ').trim())?.slice(0, MOST_TITLE).toWellFormed() ?? null,
    parent: masked(facts.parent) ?? before?.parent ?? null,
    run: before?.run ?? null,
    task: before?.task ?? null,
    tokensIn: whole(facts.tokensIn) ?? before?.tokensIn ?? null,
    tokensOut: whole(facts.tokensOut) ?? before?.tokensOut ?? null,
    costUsd: facts.costUsd ?? before?.costUsd ?? null,
  };
}

const whole = (value: number | undefined): number | undefined =>
  value === undefined ? undefined : Math.floor(value);
