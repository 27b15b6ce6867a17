import { HubError } from '../../../kernel/errors.ts';
import type { NewEvent } from '../../../kernel/event.ts';
import type { Actor } from '../../../kernel/principal.ts';
import type { Query, Tx } from '../../database.ts';
import type { Sql } from '../../sql.ts';
import type { Connection } from './connection.ts';
import { sqliteDialect } from './dialect.ts';
import { translate } from './faults.ts';

/** A read unit's view of a connection; dead once the unit is over. */
export class SqliteReadUnit implements Query {
  readonly dialect = sqliteDialect;
  protected readonly connection: Connection;
  #revoked = false;
  #kept: Map<string, unknown> | undefined;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  async get<R>(statement: Sql): Promise<R | undefined> {
    return this.perform(() => this.connection.get<R>(statement));
  }

  async all<R>(statement: Sql): Promise<R[]> {
    return this.perform(() => this.connection.all<R>(statement));
  }

  async kept<T>(key: string, read: () => Promise<T>): Promise<T> {
    const kept = (this.#kept ??= this.perform(() => this.connection.keptSince()));
    if (kept.has(key)) return kept.get(key) as T;
    const answer = await read();
    kept.set(key, answer);
    return answer;
  }

  revoke(): void {
    this.#revoked = true;
  }

  protected perform<T>(work: () => T): T {
    if (this.#revoked) throw new HubError('internal', 'This unit is over; its statements no longer run.');
    try {
      return work();
    } catch (thrown) {
      throw translate(thrown);
    }
  }
}

export class SqliteWriteUnit extends SqliteReadUnit implements Tx {
  readonly now: number;
  readonly actor: Actor;
  readonly events: NewEvent[] = [];
  #depth = 0;
  #failed = false;

  constructor(connection: Connection, now: number, actor: Actor) {
    super(connection);
    this.now = now;
    this.actor = actor;
  }

  async run(statement: Sql): Promise<number> {
    return this.perform(() => this.connection.run(statement));
  }

  /** What this unit wrote itself no version tells. */
  override kept<T>(_key: string, read: () => Promise<T>): Promise<T> {
    return read();
  }

  emit(event: NewEvent): void {
    this.perform(() => this.events.push(event));
  }

  /** The writer is alone, so every lock is already held. */
  async lock(): Promise<void> {
    this.perform(() => undefined);
  }

  async attempt<T>(unit: (tx: Tx) => Promise<T>): Promise<T> {
    const name = `attempt_${this.#depth}`;
    const emitted = this.events.length;
    this.perform(() => this.connection.exec(`savepoint ${name}`));
    this.#depth += 1;
    try {
      const answer = await unit(this);
      this.perform(() => this.connection.exec(`release ${name}`));
      return answer;
    } catch (thrown) {
      if (this.connection.inTransaction) {
        this.connection.exec(`rollback to ${name}`);
        this.connection.exec(`release ${name}`);
        this.#failed = false;
      }
      this.events.length = emitted;
      throw thrown;
    } finally {
      this.#depth -= 1;
    }
  }

  /** As on PostgreSQL: after a failed statement nothing more runs until an enclosing `attempt` has undone it. */
  protected override perform<T>(work: () => T): T {
    if (this.#failed)
      throw new HubError(
        'internal',
        'A statement of this unit failed before; only tx.attempt survives that.',
      );
    try {
      return super.perform(work);
    } catch (thrown) {
      this.#failed = true;
      throw thrown;
    }
  }

  get hasFailed(): boolean {
    return this.#failed;
  }
}
