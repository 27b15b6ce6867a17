// A table names its columns once: the row, the record it is read into, the insert and the update follow from them.
import { countRows } from './count.ts';
import type { Query, Tx } from './database.ts';
import { sql, type Param, type Sql } from './sql.ts';

/** What a column holds, and how it is written and read. */
export type ColumnKind<T> = Readonly<{
  /** The column, where its name is not the field's in snake_case. */
  name?: string;
  read(stored: Param): T;
  write(value: T): Param;
}>;

type AnyColumn = Readonly<{ name?: string; read(stored: Param): unknown; write(value: never): Param }>;
export type Columns = Readonly<Record<string, AnyColumn>>;
/** One record: what its columns are read into. */
export type RecordOf<C> = { [F in keyof C]: C[F] extends ColumnKind<infer T> ? T : never };

const asIs = <T extends Param>(): ColumnKind<T> => ({
  read: keep as (stored: Param) => T,
  write: (value) => value,
});

/** Known by itself: a row of such columns alone is its record already. */
function keep(stored: Param): Param {
  return stored;
}

export const text = <T extends string = string>(): ColumnKind<T> => asIs<T>();
export const textOrNull = <T extends string = string>(): ColumnKind<T | null> => asIs<T | null>();
export const number = (): ColumnKind<number> => asIs<number>();
export const numberOrNull = (): ColumnKind<number | null> => asIs<number | null>();
export const bytes = (): ColumnKind<Uint8Array> => asIs<Uint8Array>();
export const bytesOrNull = (): ColumnKind<Uint8Array | null> => asIs<Uint8Array | null>();
/** Kept as 0 or 1, which both engines have. */
export const flag = (): ColumnKind<boolean> => ({
  read: (stored) => stored === 1,
  write: (value) => (value ? 1 : 0),
});
export const json = <T>(): ColumnKind<T> => ({
  read: (stored) => JSON.parse(stored as string) as T,
  write: (value) => JSON.stringify(value),
});
export const jsonOrNull = <T>(): ColumnKind<T | null> => ({
  read: (stored) => (stored === null ? null : (JSON.parse(stored as string) as T)),
  write: (value) => (value === null ? null : JSON.stringify(value)),
});

/** The same column under another name than its field's. */
export function named<T>(name: string, column: ColumnKind<T>): ColumnKind<T> {
  return { ...column, name };
}

/** A row as the engine answers it; it may hold more than the table reads. */
export type StoredRow = Readonly<Record<string, Param>>;

export interface TableOf<C extends Columns> {
  /** The columns as they were given: `RecordOf<typeof notes.fields>` is a record of `notes`. */
  readonly fields: C;
  /** `a, b, c`, for `select` and `returning`. */
  readonly columns: Sql;
  /** The same of a table that stands in a join: `t.a, t.b, t.c`. */
  columnsOf(alias: string): Sql;
  /** The same table with fewer columns, for what reads no more of it. */
  only<F extends keyof C & string>(...fields: readonly F[]): TableOf<Pick<C, F>>;
  read(row: StoredRow): RecordOf<C>;
  /** `a = $1, b = $2`, for `set`. */
  assign(change: Partial<RecordOf<C>>): Sql;
  /** `(a, b, c) values ($1, $2, $3), ($4, $5, $6)`, for `insert into` this table. */
  values(...records: readonly RecordOf<C>[]): Sql;
  /** What is written of a record, in the order of `columns`. */
  params(record: RecordOf<C>): Param[];
  insert(tx: Tx, record: RecordOf<C>): Promise<void>;
  /** `a = excluded.a, b = excluded.b`, of all columns but these. */
  overwriteBut(fields: readonly (keyof C & string)[]): Sql;
  /** Inserts, or takes the place of what has the same key. Of several none may have the key of another. */
  put(
    tx: Tx,
    records: RecordOf<C> | readonly RecordOf<C>[],
    key: readonly (keyof C & string)[],
  ): Promise<void>;
  /** `rest` is what follows the change: `where …`. Answers how many there were. */
  update(tx: Tx, change: Partial<RecordOf<C>>, rest: Sql): Promise<number>;
  delete(tx: Tx, rest: Sql): Promise<number>;
  /** What a statement that answers `columns` finds. */
  get(q: Query, statement: Sql): Promise<RecordOf<C> | undefined>;
  all(q: Query, statement: Sql): Promise<RecordOf<C>[]>;
  /** The first, or all, of what stands in this table; `rest` is what follows `from`: `where …`, `order by …`. */
  find(q: Query, rest: Sql): Promise<RecordOf<C> | undefined>;
  list(q: Query, rest: Sql): Promise<RecordOf<C>[]>;
  count(q: Query, rest: Sql): Promise<number>;
}

export function table<C extends Columns>(name: string, columns: C): TableOf<C> {
  const fields = Object.entries(columns as Readonly<Record<string, ColumnKind<unknown>>>).map(
    ([field, column]) => ({ field, column, name: column.name ?? snakeCase(field) }),
  );
  const byField = new Map(fields.map((one) => [one.field, one]));
  const own = sql.raw(name);
  const list = sql.raw(fields.map((one) => one.name).join(', '));

  const read = (row: StoredRow): RecordOf<C> => {
    const record: Record<string, unknown> = {};
    for (const one of fields) record[one.field] = one.column.read(row[one.name] ?? null);
    return record as RecordOf<C>;
  };
  const params = (record: RecordOf<C>): Param[] =>
    fields.map(({ field, column }) => column.write((record as Readonly<Record<string, unknown>>)[field]));

  const assign = (change: Partial<RecordOf<C>>): Sql =>
    sql.join(
      Object.entries(change)
        .filter(([, value]) => value !== undefined)
        .map(([field, value]) => {
          const { name: column, column: kind } = byField.get(field)!;
          return sql`${sql.raw(column)} = ${kind.write(value)}`;
        }),
      ', ',
    );

  const values = (...records: readonly RecordOf<C>[]): Sql => {
    const rows = records.map((record) => sql.tuple(params(record)));
    return sql`(${list}) values ${sql.join(rows, ', ')}`;
  };

  const overwriteBut = (kept: readonly string[]): Sql => {
    const rest = fields.filter((one) => !kept.includes(one.field)).map((one) => one.name);
    return sql.raw(rest.map((column) => `${column} = excluded.${column}`).join(', '));
  };

  const selected = sql.raw(`select ${fields.map((one) => one.name).join(', ')} from ${name}`);
  const get = async (q: Query, statement: Sql) => {
    const row = await q.get<StoredRow>(statement);
    return row && read(row);
  };
  const all = async (q: Query, statement: Sql) => (await q.all<StoredRow>(statement)).map(read);
  const isRecord = fields.every((one) => one.name === one.field && one.column.read === keep);

  return {
    fields: columns,
    columns: list,
    only: (...names) =>
      table(
        name,
        Object.fromEntries(names.map((field) => [field, columns[field]])) as Pick<C, (typeof names)[number]>,
      ),
    read,
    assign,
    columnsOf: (alias) => sql.raw(fields.map((one) => `${alias}.${one.name}`).join(', ')),
    params,
    values,
    async insert(tx, record) {
      await tx.run(sql`insert into ${own} ${values(record)}`);
    },
    overwriteBut,
    async put(tx, records, key) {
      const all = Array.isArray(records) ? (records as readonly RecordOf<C>[]) : [records as RecordOf<C>];
      const names = key.map((field) => byField.get(field)!.name);
      await tx.run(sql`
        insert into ${own} ${values(...all)}
        on conflict (${sql.raw(names.join(', '))}) do update
        set ${overwriteBut(key)}`);
    },
    update: (tx, change, rest) => tx.run(sql`update ${own} set ${assign(change)} ${rest}`),
    delete: (tx, rest) => tx.run(sql`delete from ${own} ${rest}`),
    get,
    all,
    find: (q, rest) => get(q, sql`${selected} ${rest}`),
    list: (q, rest) => {
      const statement = sql`${selected} ${rest}`;
      return isRecord ? q.all<RecordOf<C>>(statement) : all(q, statement);
    },
    count: (q, rest) => countRows(q, sql`select count(*) as count from ${own} ${rest}`),
  };
}

function snakeCase(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
