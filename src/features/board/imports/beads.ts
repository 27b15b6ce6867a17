import { linesIn } from '../../../kernel/byte-lines.ts';
import { isObject } from '../../../kernel/loose-json.ts';
import {
  type Fields,
  type ForeignFile,
  type ForeignTask,
  instantOf,
  joinParts,
  listOf,
  textOf,
  wordOf,
} from './foreign.ts';

/** Lines of `.beads/issues.jsonl`. A line that cannot be read is named by its number, and the others are taken. */
export function readBeads(bytes: Uint8Array): ForeignFile {
  const tasks: ForeignTask[] = [];
  const problems: string[] = [];
  let number = 0;
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  for (const { head } of linesIn([whole], { most: whole.length })) {
    number += 1;
    const task = readLine(head);
    if (typeof task === 'string') problems.push(`line ${number}: ${task}`);
    else if (task) tasks.push(task);
  }
  return { tasks, problems };
}

function readLine(bytes: Uint8Array): ForeignTask | string | undefined {
  const text = textOf(bytes);
  if (text === undefined) return 'not UTF-8';
  if (text.trim() === '') return undefined;
  let line: unknown;
  try {
    line = JSON.parse(text);
  } catch {
    return 'not JSON';
  }
  if (!isObject(line)) return 'not an issue';
  const key = wordOf(line['id']);
  const title = wordOf(line['title']);
  if (key === undefined || title === undefined) return 'an issue without an id or a title';
  // What was deleted there stays deleted.
  return line['status'] === 'tombstone' ? undefined : toTask(key, title, line);
}

const WAITS_FOR = new Set(['blocks', 'conditional-blocks', 'waits-for']);

function toTask(key: string, title: string, line: Fields): ForeignTask {
  const dependencies = listOf(line['dependencies']).filter(isObject);
  const targets = (isWanted: (type: unknown) => boolean) =>
    dependencies.flatMap((one) => (isWanted(one['type']) ? (wordOf(one['depends_on_id']) ?? []) : []));
  const type = wordOf(line['issue_type']);
  return {
    key,
    title,
    description: joinParts([
      ['', line['description']],
      ['Design', line['design']],
      ['Acceptance criteria', line['acceptance_criteria']],
      ['Notes', line['notes']],
      ['Elsewhere', line['external_ref']],
    ]),
    status: wordOf(line['status']) ?? 'open',
    // 0 is the most urgent there, 2 what nobody thought about.
    priority: typeof line['priority'] === 'number' ? (2 - line['priority']) * 10 : 0,
    parent: targets((kind) => kind === 'parent-child')[0] ?? parentInId(key),
    dependsOn: targets((kind) => kind === undefined || (typeof kind === 'string' && WAITS_FOR.has(kind))),
    labels: [...listOf(line['labels']).flatMap((label) => wordOf(label) ?? []), ...(type ? [type] : [])],
    comments: listOf(line['comments'])
      .filter(isObject)
      .flatMap((one) => {
        const body = wordOf(one['text']);
        return body === undefined
          ? []
          : [{ author: wordOf(one['author']), body, at: instantOf(one['created_at']) }];
      }),
    createdAt: instantOf(line['created_at']),
    updatedAt: instantOf(line['updated_at']),
    closedAt: instantOf(line['closed_at']),
    assignee: wordOf(line['assignee']),
  };
}

/** `bd-12.1` is a child of `bd-12`. */
function parentInId(key: string): string | undefined {
  return /^(.+)\.\d+$/.exec(key)?.[1];
}
