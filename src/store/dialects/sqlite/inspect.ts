import { latestSchema } from '../../migrations/list.ts';
import { corruptDatabase, newerSchema } from '../../migrations/refuse.ts';
import { Connection } from './connection.ts';
import { isCorrupt } from './faults.ts';
import { cannotOpen, inspectFile } from './file.ts';
import { HubError } from '../../../kernel/errors.ts';

/** Rows per table: what a copy is compared by. */
export type RowCounts = Readonly<Record<string, number>>;

export type Inspection = Readonly<{ schema: number; counts: RowCounts; deadJobs: number }>;

/** Reads every page of a file of ours and counts its rows. Changes nothing; throws what is wrong with it. */
export function inspectSqlite(path: string): Inspection {
  if (inspectFile(path) === 'fresh')
    throw new HubError('not_found', `There is no database at ${path}.`, {
      path,
      hint: 'Name the file of a database.',
    });
  return withReader(path, (connection) => {
    const schema = connection.pragma('user_version') as number;
    if (schema > latestSchema) throw newerSchema(schema, latestSchema);
    if (connection.pragma('integrity_check') !== 'ok') throw corruptDatabase(path);
    const counts = countRows(connection);
    const deadJobs =
      'jobs' in counts
        ? connection.get<{ n: number }>({
            text: `select count(*) as n from jobs where state = 'dead'`,
            params: [],
          })!.n
        : 0;
    return { schema, counts, deadJobs };
  });
}

/** Shadow tables of full-text indexes are not counted: the rows they are made from are. */
function countRows(connection: Connection): RowCounts {
  const tables = connection.all<{ name: string }>({
    text: `select name from pragma_table_list where schema = 'main' and type = 'table' and name not glob 'sqlite_*' order by name`,
    params: [],
  });
  return Object.fromEntries(
    tables.map(({ name }) => [
      name,
      connection.get<{ n: number }>({ text: `select count(*) as n from "${name}"`, params: [] })!.n,
    ]),
  );
}

export function withReader<T>(path: string, work: (connection: Connection) => T): T {
  let connection: Connection | undefined;
  try {
    connection = new Connection(path, { readonly: true, fileMustExist: true, timeout: 5_000 });
    return work(connection);
  } catch (thrown) {
    if (thrown instanceof HubError) throw thrown;
    throw isCorrupt(thrown) ? corruptDatabase(path, thrown) : cannotOpen(path, thrown);
  } finally {
    connection?.close();
  }
}
