// How a unit speaks to PostgreSQL: named statements, and one way of failing for both engines.
import type { PoolClient, QueryResult, QueryResultRow } from 'pg';
import { HubError } from '../../../kernel/errors.ts';
import type { NewEvent } from '../../../kernel/event.ts';
import type { Actor } from '../../../kernel/principal.ts';
import type { Query, Tx } from '../../database.ts';
import { refuseNul, type Sql } from '../../sql.ts';
import type { ForeignWatch } from '../../unit.ts';
import { postgresDialect } from './dialect.ts';
import { isConflict } from './faults.ts';

const MAX_NAMED = 512;
const names = new Map<string, string>();

/** A named statement is parsed and planned once per connection. Texts beyond the bound go unnamed. */
export function named(statement: Sql): { name?: string; text: string; values: unknown[] } {
  refuseNul(statement.params);
  const query = { text: statement.text, values: [...statement.params] };
  let name = names.get(statement.text);
  if (name === undefined) {
    if (names.size >= MAX_NAMED) return query;
    name = `holdfast_${names.size}`;
    names.set(statement.text, name);
  }
  return { name, ...query };
}

export class PostgresReadUnit implements Query {
  readonly dialect = postgresDialect;
  protected readonly client: PoolClient;
  readonly #watch: ForeignWatch;
  #revoked = false;

  constructor(client: PoolClient, watch: ForeignWatch) {
    this.client = client;
    this.#watch = watch;
  }

  async get<R>(statement: Sql): Promise<R | undefined> {
    return (await this.perform(named(statement))).rows[0] as R | undefined;
  }

  async all<R>(statement: Sql): Promise<R[]> {
    return (await this.perform(named(statement))).rows as R[];
  }

  kept<T>(_key: string, read: () => Promise<T>): Promise<T> {
    return read();
  }

  revoke(): void {
    this.#revoked = true;
  }

  protected async perform(query: { text: string; values?: unknown[] }): Promise<QueryResult<QueryResultRow>> {
    if (this.#revoked) throw new HubError('internal', 'This unit is over; its statements no longer run.');
    this.#watch.started();
    try {
      return await this.client.query(query);
    } finally {
      this.#watch.settled();
    }
  }
}

export class PostgresWriteUnit extends PostgresReadUnit implements Tx {
  readonly now: number;
  readonly actor: Actor;
  readonly events: NewEvent[] = [];
  /** Somebody was in the way inside an `attempt`: that says nothing about the unit, which is run again. */
  conflict: Error | undefined;
  #depth = 0;
  #failed = false;

  constructor(client: PoolClient, watch: ForeignWatch, origin: { now: number; actor: Actor }) {
    super(client, watch);
    this.now = origin.now;
    this.actor = origin.actor;
  }

  async run(statement: Sql): Promise<number> {
    return (await this.perform(named(statement))).rowCount ?? 0;
  }

  emit(event: NewEvent): void {
    this.events.push(event);
  }

  async lock(name: string): Promise<void> {
    await this.perform({
      text: 'select pg_advisory_xact_lock(hashtextextended(current_schema() || $1, 0))',
      values: [`:${name}`],
    });
  }

  async attempt<T>(unit: (tx: Tx) => Promise<T>): Promise<T> {
    const name = `attempt_${this.#depth}`;
    const emitted = this.events.length;
    await this.perform({ text: `savepoint ${name}` });
    this.#depth += 1;
    try {
      const answer = await unit(this);
      await this.perform({ text: `release savepoint ${name}` });
      return answer;
    } catch (thrown) {
      this.#failed = false;
      if (isConflict(thrown)) this.conflict = thrown as Error;
      await this.perform({ text: `rollback to savepoint ${name}` });
      await this.perform({ text: `release savepoint ${name}` });
      this.events.length = emitted;
      throw thrown;
    } finally {
      this.#depth -= 1;
    }
  }

  /** PostgreSQL refuses statements after a failed one; say so in our own words, as on SQLite. */
  protected override async perform(query: {
    text: string;
    values?: unknown[];
  }): Promise<QueryResult<QueryResultRow>> {
    if (this.#failed)
      throw new HubError(
        'internal',
        'A statement of this unit failed before; only tx.attempt survives that.',
      );
    try {
      return await super.perform(query);
    } catch (thrown) {
      this.#failed = true;
      throw thrown;
    }
  }

  get hasFailed(): boolean {
    return this.#failed;
  }
}
