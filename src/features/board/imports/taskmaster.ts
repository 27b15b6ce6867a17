import { HubError } from '../../../kernel/errors.ts';
import { isObject } from '../../../kernel/loose-json.ts';
import {
  type Fields,
  type ForeignFile,
  type ForeignTask,
  instantOf,
  joinParts,
  listOf,
  readJson,
  urgencyOf,
  wordOf,
} from './foreign.ts';

/** `tasks.json` of taskmaster: one list, or one per tag. A task of a tag other than `master` carries the tag as a label. */
export function readTaskmaster(bytes: Uint8Array): ForeignFile {
  const file = readJson(bytes);
  const lists = isObject(file) ? listsOf(file) : [];
  if (lists.length === 0)
    throw new HubError('invalid', 'The file has no list of tasks.', {
      hint: 'Name the tasks.json of taskmaster, in .taskmaster/tasks.',
    });
  const problems: string[] = [];
  const tasks = lists.flatMap(({ tag, tasks }) =>
    tasks.flatMap((task, i) => {
      if (isObject(task)) return readTask(task, { tag, prefix: tag === MASTER ? '' : `${tag}:` }, problems);
      problems.push(`${tag}: task ${i + 1} is none`);
      return [];
    }),
  );
  return { tasks, problems };
}

const MASTER = 'master';

function listsOf(file: Fields): { tag: string; tasks: readonly unknown[] }[] {
  if (Array.isArray(file['tasks'])) return [{ tag: MASTER, tasks: file['tasks'] }];
  return Object.entries(file).flatMap(([tag, held]) =>
    isObject(held) && Array.isArray(held['tasks']) ? [{ tag, tasks: held['tasks'] as unknown[] }] : [],
  );
}

type Branch = Readonly<{ tag: string; prefix: string; parent?: string }>;

function readTask(task: Fields, branch: Branch, problems: string[]): ForeignTask[] {
  const { tag, prefix, parent } = branch;
  const id = wordOf(task['id']);
  const title = wordOf(task['title']);
  if (id === undefined || title === undefined) {
    problems.push(`${tag}: a task without an id or a title`);
    return [];
  }
  const own = parent === undefined ? id : `${parent}.${id}`;
  const read: ForeignTask = {
    key: `${prefix}${own}`,
    title,
    description: joinParts([
      ['', task['description']],
      ['Details', task['details']],
      ['Test strategy', task['testStrategy']],
    ]),
    status: wordOf(task['status']) ?? 'pending',
    priority: urgencyOf(task['priority']),
    parent: parent === undefined ? undefined : `${prefix}${parent}`,
    dependsOn: listOf(task['dependencies']).flatMap((one) => {
      const word = wordOf(one);
      if (word === undefined) return [];
      // A subtask names its siblings by their number alone, and others by both.
      return [`${prefix}${parent !== undefined && !word.includes('.') ? `${parent}.${word}` : word}`];
    }),
    labels: [...(tag === MASTER ? [] : [tag]), ...listOf(task['tags']).flatMap((one) => wordOf(one) ?? [])],
    comments: [],
    createdAt: instantOf(task['createdAt']),
    updatedAt: instantOf(task['updatedAt']),
    closedAt: undefined,
  };
  const below = listOf(task['subtasks']).filter(isObject);
  return [read, ...below.flatMap((one) => readTask(one, { ...branch, parent: own }, problems))];
}
