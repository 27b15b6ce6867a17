// The beginning and the end of a transaction. The counter of the event log is taken by every hub, so nothing
// that happens to one of them may lie between taking it and COMMIT: both leave in one message, which the
// server runs once it has the whole of it. A hub that is frozen, asleep or cut off holds nobody up there.
// Proven by test/store/freeze.test.ts.
import type { ClientBase, QueryResult } from 'pg';
import type { Event, NewEvent } from '../../../kernel/event.ts';
import { makeEvent, toRow, type EventOrigin } from '../../events.ts';
import { refuseNul } from '../../sql.ts';
import { isConnectionLoss, isUnsent, UncertainCommit } from './faults.ts';

/**
 * Events are numbered and written last, in one statement with the counter. The counter row stays locked until
 * COMMIT, so numbers are handed out in commit order and a rollback takes its numbers back: gapless, and no
 * reader's cursor ever passes an event that commits later.
 */
const WRITE_EVENTS = `
  prepare holdfast_events (bigint, text) as
  with counter as (
    update counters
    set value = value + $1
    where name = 'events'
    returning value
  ), written as (
    insert into events (seq, at, kind, subject, realm, team, actor, asserted, hub, data)
    select counter.value - $1 + e.seq,
      e.at, e.kind, e.subject, e.realm, e.team, e.actor, e.asserted, e.hub, e.data
    from counter, json_to_recordset(convert_from(decode($2, 'base64'), 'UTF8')::json)
      as e (
        seq bigint, at bigint, kind text, subject text, realm text,
        team text, actor text, asserted bigint, hub text, data text
      )
  )
  select value
  from counter`;

const prepared = new WeakSet<ClientBase>();

/**
 * The statement that will end it is planned before the first transaction of a connection, and run by name.
 */
export async function begin(client: ClientBase): Promise<void> {
  if (!prepared.has(client)) {
    await client.query(WRITE_EVENTS);
    prepared.add(client);
  }
  await client.query('begin');
}

/** Writes the events of a unit and makes all of it last. Answers them with their numbers. */
export async function commit(
  client: ClientBase,
  events: readonly NewEvent[],
  origin: EventOrigin,
): Promise<Event[]> {
  if (events.length === 0) {
    await send(client, 'commit');
    return [];
  }
  const rows = events.map((event, i) => ({ ...toRow(makeEvent(event, 0, origin)), seq: i + 1 }));
  for (const row of rows) refuseNul([row.subject, row.team, row.actor]);
  // A message of several statements has no parameters. Base64 has neither a quote nor a backslash: nothing
  // that an event says can become SQL.
  const encoded = Buffer.from(JSON.stringify(rows)).toString('base64');
  // Chained, which only a transaction can be: a message that arrives a second time, where none is open, writes nothing.
  // Proven by test/store/doubled.test.ts.
  const end = 'commit and chain; commit';
  const [numbered] = await send(client, `execute holdfast_events (${events.length}, '${encoded}'); ${end}`);
  const first = numbered!.rows[0]!.value - events.length + 1;
  return events.map((event, i) => makeEvent(event, first + i, origin));
}

type Numbered = QueryResult<{ value: number }>;

async function send(client: ClientBase, text: string): Promise<readonly Numbered[]> {
  try {
    // One result per statement, which the types do not know.
    return (await client.query(text)) as unknown as readonly Numbered[];
  } catch (thrown) {
    if (isConnectionLoss(thrown) && !isUnsent(thrown))
      throw new UncertainCommit('commit was sent, the answer never came', { cause: thrown });
    throw thrown;
  }
}
