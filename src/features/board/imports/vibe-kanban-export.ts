import { HubError } from '../../../kernel/errors.ts';
import { csvRows } from './csv.ts';
import {
  type ForeignFile,
  type ForeignTask,
  instantOf,
  joinParts,
  textOf,
  urgencyOf,
  wordOf,
} from './foreign.ts';

/** What one of its tables unpacks to at most: a small file can hold a very large one. */
const MOST_UNPACKED = 256 << 20;
const TABLES = ['issues', 'relationships', 'comments', 'pull_requests'] as const;
type Table = (typeof TABLES)[number];
type Row = Readonly<Record<string, string>>;

/** The archive that vibe-kanban's own export is: tables of comma-separated values that name an issue by its short id. */
export async function readExport(bytes: Uint8Array): Promise<ForeignFile> {
  const rowsOf = await unpack(bytes);
  const blocking = rowsOf('relationships').filter((row) => row['Type'] === 'Blocking');
  const pulls = rowsOf('pull_requests').flatMap((row) =>
    listed(row['Issue ID(s)']).map((issue) => ({ issue, url: row['PR URL'] ?? '' })),
  );
  const around: Around = {
    // It is written at the issue that blocks.
    blockers: Map.groupBy(blocking, (row) => row['Related Issue ID'] ?? ''),
    comments: Map.groupBy(rowsOf('comments'), (row) => row['Issue ID'] ?? ''),
    pulls: Map.groupBy(pulls, ({ issue }) => issue),
  };
  const problems: string[] = [];
  const tasks = rowsOf('issues').flatMap((row, i) => {
    const task = toTask(row, around);
    if (task) return [task];
    problems.push(`issue ${i + 1} has no id or no title`);
    return [];
  });
  if (tasks.length === 0 && problems.length === 0) throw notAnExport();
  return { tasks, problems };
}

async function unpack(bytes: Uint8Array): Promise<(table: Table) => Row[]> {
  const { unzipSync } = await import('fflate');
  let size = 0;
  let files: Record<string, Uint8Array>;
  try {
    files = unzipSync(bytes, {
      filter: ({ name, originalSize }) => {
        if (!TABLES.some((table) => name === `${table}.csv`)) return false;
        size += Math.max(originalSize, 0);
        if (size > MOST_UNPACKED)
          throw new HubError('too_large', `The export unpacks to more than ${MOST_UNPACKED >> 20} MB.`);
        return true;
      },
    });
  } catch (error) {
    throw error instanceof HubError ? error : notAnExport(error);
  }
  return (table) => {
    const data = files[`${table}.csv`];
    if (data === undefined) return [];
    const text = textOf(data);
    if (text === undefined) throw new HubError('invalid', `${table}.csv of the export is not UTF-8.`);
    return csvRows(text);
  };
}

function notAnExport(cause?: unknown): HubError {
  return new HubError('invalid', 'The file has no issues.csv.', {
    hint: 'Name the vibe-kanban-export-….zip as it was downloaded.',
  }).because(cause);
}

type Around = Readonly<{
  blockers: ReadonlyMap<string, readonly Row[]>;
  comments: ReadonlyMap<string, readonly Row[]>;
  pulls: ReadonlyMap<string, readonly Readonly<{ url: string }>[]>;
}>;

function toTask(row: Row, { blockers, comments, pulls }: Around): ForeignTask | undefined {
  const key = wordOf(row['Issue ID']);
  const title = wordOf(row['Title']);
  if (key === undefined || title === undefined) return undefined;
  const addresses = (pulls.get(key) ?? []).map(({ url }) => url);
  return {
    key,
    title,
    description: joinParts([
      ['', row['Description']],
      ['Pull requests', addresses.join('\n')],
    ]),
    status: wordOf(row['Status']),
    priority: urgencyOf(row['Priority']),
    parent: wordOf(row['Parent Issue']),
    dependsOn: (blockers.get(key) ?? []).flatMap((one) => wordOf(one['Issue ID']) ?? []),
    labels: [...listed(row['Labels']), ...listed(row['Project'])],
    comments: (comments.get(key) ?? []).flatMap((one) => {
      const body = wordOf(one['Message']);
      return body === undefined
        ? []
        : [{ author: wordOf(one['Author']), body, at: instantOf(one['Created']) }];
    }),
    createdAt: instantOf(row['Created']),
    updatedAt: instantOf(row['Updated']),
    closedAt: instantOf(row['Completed']),
    assignee: listed(row['Assignee(s)'])[0],
  };
}

function listed(text: string | undefined): string[] {
  return (text ?? '').split(', ').filter((part) => part !== '');
}
