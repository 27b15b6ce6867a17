import BetterSqlite3 from 'better-sqlite3';
import { refuseNul, type Param, type Sql } from '../../sql.ts';

type Statement = BetterSqlite3.Statement;

const MAX_CACHED = 512;
const MAX_KEPT = 256;

/** One SQLite connection with its prepared statements, cached by text and bounded. */
export class Connection {
  readonly raw: BetterSqlite3.Database;
  readonly #statements = new Map<string, Statement>();
  readonly #kept = new Map<string, unknown>();
  #keptAt: number | undefined;

  constructor(path: string, options: BetterSqlite3.Options = {}) {
    this.raw = new BetterSqlite3(path, options);
  }

  get inTransaction(): boolean {
    return this.raw.inTransaction;
  }

  get<R>(statement: Sql): R | undefined {
    return this.#prepare(statement.text).get(...bind(statement.params)) as R | undefined;
  }

  all<R>(statement: Sql): R[] {
    return this.#prepare(statement.text).all(...bind(statement.params)) as R[];
  }

  run(statement: Sql): number {
    const prepared = this.#prepare(statement.text);
    if (prepared.reader) return prepared.all(...bind(statement.params)).length;
    return prepared.run(...bind(statement.params)).changes;
  }

  /** Fixed text without parameters, on the hot path: begin, savepoint, commit. */
  exec(text: string): void {
    this.#prepare(text).run();
  }

  pragma(text: string): unknown {
    return this.raw.pragma(text, { simple: true });
  }

  /**
   * What was kept since another connection committed last. Inside a transaction: asking begins its snapshot, so what is kept is
   * what the snapshot holds (test/store/transactions.test.ts).
   */
  keptSince(): Map<string, unknown> {
    const version = this.#prepare('pragma data_version').pluck().get() as number;
    if (version !== this.#keptAt || this.#kept.size >= MAX_KEPT) this.#kept.clear();
    this.#keptAt = version;
    return this.#kept;
  }

  close(): void {
    this.#kept.clear();
    this.#statements.clear();
    this.raw.close();
  }

  #prepare(text: string): Statement {
    const kept = this.#statements.get(text);
    if (kept) {
      if (this.#statements.size > MAX_CACHED / 2) {
        this.#statements.delete(text);
        this.#statements.set(text, kept);
      }
      return kept;
    }
    const prepared = this.raw.prepare(text.replace(/\$\d+/g, '?'));
    this.#statements.set(text, prepared);
    if (this.#statements.size > MAX_CACHED) this.#statements.delete(this.#statements.keys().next().value!);
    return prepared;
  }
}

function bind(params: readonly Param[]): unknown[] {
  refuseNul(params);
  return params.map((param) =>
    param instanceof Uint8Array ? Buffer.from(param.buffer, param.byteOffset, param.byteLength) : param,
  );
}
