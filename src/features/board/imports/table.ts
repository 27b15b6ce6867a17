import { HubError } from '../../../kernel/errors.ts';
import { csvRows } from './csv.ts';
import { type ForeignFile, type ForeignTask, instantOf, textOf, urgencyOf, wordOf } from './foreign.ts';
import { createNames } from './names.ts';

/** A table with a header, one task in each row. Columns are known by the names that trackers give them. */
const COLUMNS = {
  id: ['id', 'key', 'external id', 'externalid', 'issue key', 'number', '#'],
  title: ['title', 'name', 'summary', 'task', 'subject'],
  description: ['description', 'body', 'notes', 'details', 'content'],
  status: ['status', 'state', 'column', 'list'],
  priority: ['priority', 'urgency'],
  due: ['due', 'due date', 'duedate', 'deadline'],
  labels: ['labels', 'label', 'tags', 'tag'],
  parent: ['parent', 'parent id', 'parentid', 'parent key', 'epic'],
  dependsOn: ['depends on', 'dependson', 'after', 'blocked by', 'dependencies'],
  assignee: ['assignee', 'assigned to', 'owner'],
  createdAt: ['created', 'created at', 'createdat', 'created_at'],
  updatedAt: ['updated', 'updated at', 'updatedat', 'updated_at'],
} as const;
type Column = keyof typeof COLUMNS;

export function readTable(bytes: Uint8Array, file: string): ForeignFile {
  const text = textOf(bytes);
  if (text === undefined)
    throw new HubError('invalid', 'The file is not UTF-8.', { hint: 'Save it as CSV in UTF-8 first.' });
  const problems: string[] = [];
  const rows = csvRows(text.replace(/^\uFEFF/, ''), () =>
    problems.push('a quote is never closed: what stands behind it was not read'),
  );
  const header = Object.keys(rows[0] ?? {});
  const columns = columnsIn(header);
  if (columns.title === undefined)
    throw new HubError('invalid', `${file} has no column for titles.`, {
      hint: 'The first line names the columns; one of them must be title, name or summary.',
    });
  const nameOf = createNames(file);
  const tasks = rows.flatMap((row, i): ForeignTask[] => {
    const said = (column: Column) => wordOf(row[columns[column] ?? '']?.trim());
    const title = said('title');
    // The header is line 1; rows with line breaks in them count once.
    if (title === undefined) problems.push(`row ${i + 2} has no title`);
    return title === undefined ? [] : [toTask(title, said, nameOf)];
  });
  return { tasks, problems };
}

function columnsIn(header: readonly string[]): Partial<Record<Column, string>> {
  const plain = (name: string) => name.trim().toLowerCase();
  return Object.fromEntries(
    Object.entries(COLUMNS).flatMap(([column, names]) => {
      const found = (names as readonly string[]).flatMap(
        (name) => header.find((given) => plain(given) === name) ?? [],
      )[0];
      return found === undefined ? [] : [[column, found]];
    }),
  );
}

function toTask(
  title: string,
  said: (column: Column) => string | undefined,
  nameOf: (title: string) => string,
): ForeignTask {
  const priority = said('priority');
  return {
    key: said('id') ?? nameOf(title),
    title,
    description: said('description'),
    status: said('status'),
    priority: priority !== undefined && /^-?\d+$/.test(priority) ? Number(priority) : urgencyOf(priority),
    parent: said('parent'),
    dependsOn: listIn(said('dependsOn')),
    labels: listIn(said('labels')),
    comments: [],
    createdAt: instantOf(said('createdAt')),
    updatedAt: instantOf(said('updatedAt')),
    closedAt: undefined,
    assignee: said('assignee'),
    due: said('due'),
  };
}

function listIn(text = ''): string[] {
  return text
    .split(/[,;|]/)
    .map((each) => each.trim())
    .filter(Boolean);
}
