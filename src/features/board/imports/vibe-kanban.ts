import { HubError } from '../../../kernel/errors.ts';
import { isObject } from '../../../kernel/loose-json.ts';
import {
  type Fields,
  type ForeignFile,
  type ForeignTask,
  instantOf,
  listOf,
  readJson,
  urgencyOf,
  wordOf,
} from './foreign.ts';
import { readExport } from './vibe-kanban-export.ts';

/**
 * Tasks of vibe-kanban: the archive of its export, the answer of its API (`{ data: […] }`), a plain list, or tasks or
 * issues beside projects and the names of their columns.
 */
export function readVibeKanban(bytes: Uint8Array): ForeignFile | Promise<ForeignFile> {
  return isZip(bytes) ? readExport(bytes) : readAnswer(bytes);
}

function isZip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b;
}

function readAnswer(bytes: Uint8Array): ForeignFile {
  const file = readJson(bytes);
  const inner = isObject(file) && 'data' in file ? file['data'] : file;
  const rows = Array.isArray(inner)
    ? inner
    : isObject(inner)
      ? listOf(inner['tasks'] ?? inner['issues'])
      : [];
  if (rows.length === 0)
    throw new HubError('invalid', 'The file has no tasks.', {
      hint: 'Name the zip file of an export, or what /api/tasks of vibe-kanban answers.',
    });
  const names = isObject(inner)
    ? namesOf(inner)
    : { columns: new Map<string, string>(), projects: new Map<string, string>() };
  const waits = isObject(inner) ? blockedBy(inner) : new Map<string, string[]>();
  const problems: string[] = [];
  const tasks = rows.flatMap((row, i) => {
    const read = isObject(row) ? toTask(row, names, waits) : undefined;
    if (read) return [read];
    problems.push(`task ${i + 1} has no id or no title`);
    return [];
  });
  return { tasks, problems };
}

type Names = Readonly<{ columns: ReadonlyMap<string, string>; projects: ReadonlyMap<string, string> }>;

function namesOf(file: Fields): Names {
  const named = (list: unknown) =>
    new Map(
      listOf(list)
        .filter(isObject)
        .flatMap((one) => {
          const [id, name] = [wordOf(one['id']), wordOf(one['name'])];
          return id === undefined || name === undefined ? [] : [[id, name] as const];
        }),
    );
  return { columns: named(file['statuses'] ?? file['project_statuses']), projects: named(file['projects']) };
}

/** `blocking` is written at the task that blocks. */
function blockedBy(file: Fields): Map<string, string[]> {
  const waits = new Map<string, string[]>();
  for (const one of listOf(file['issue_relationships'] ?? file['relationships']).filter(isObject)) {
    const [from, to] = [wordOf(one['issue_id']), wordOf(one['related_issue_id'])];
    if (one['relationship_type'] !== 'blocking' || from === undefined || to === undefined) continue;
    waits.set(to, [...(waits.get(to) ?? []), from]);
  }
  return waits;
}

function toTask(row: Fields, names: Names, waits: ReadonlyMap<string, string[]>): ForeignTask | undefined {
  const key = wordOf(row['id']);
  const title = wordOf(row['title']);
  if (key === undefined || title === undefined) return undefined;
  const column = wordOf(row['status_id']);
  const project = names.projects.get(wordOf(row['project_id']) ?? '');
  return {
    key,
    title,
    description: wordOf(row['description']),
    status:
      wordOf(row['status']) ?? (column === undefined ? undefined : (names.columns.get(column) ?? column)),
    priority: urgencyOf(row['priority']),
    parent: wordOf(row['parent_issue_id']) ?? wordOf(row['parent_task_id']),
    dependsOn: waits.get(key) ?? [],
    labels: project === undefined ? [] : [project],
    comments: [],
    createdAt: instantOf(row['created_at']),
    updatedAt: instantOf(row['updated_at']),
    closedAt: instantOf(row['completed_at']),
  };
}
