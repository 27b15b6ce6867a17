import type { Relative } from '../../features/board/detail.ts';
import type { TaskSummary } from '../../features/board/task.ts';
import type { Client } from '../client.ts';
import { paint } from '../terminal/color.ts';
import { shortId } from '../short-id.ts';
import { printable } from '../terminal/table.ts';
import { STATUS_STYLES } from './task-fields.ts';

/** The same tasks with what holds them together: parts below wholes, or what each waits for. */
type Node = Pick<Relative, 'id' | 'title' | 'status'>;

/** A part whose whole is not among them stands by itself. */
export function renderTree(tasks: readonly TaskSummary[]): string {
  const known = new Set(tasks.map(({ id }) => id));
  const roots = tasks.filter(({ parentTaskId }) => parentTaskId === null || !known.has(parentTaskId));
  const parts = Map.groupBy(tasks, ({ parentTaskId }) => parentTaskId);
  const lines: string[] = [];
  const width = statusWidth(tasks);
  /** `first` stands before its own line, `rest` before those of its parts. */
  const draw = (task: TaskSummary, first: string, rest: string) => {
    lines.push(`${first}${lineOf(task, width)}`);
    const children = parts.get(task.id) ?? [];
    children.forEach((child, i) => {
      const isLast = i === children.length - 1;
      draw(child, `${rest}${isLast ? '└─ ' : '├─ '}`, `${rest}${isLast ? '   ' : '│  '}`);
    });
  };
  for (const root of roots) draw(root, '', '');
  return lines.join('\n');
}

/** One level: a dependency that waits itself has a line, and what it waits for, of its own. */
export function renderGraph(
  tasks: readonly TaskSummary[],
  dependencies: ReadonlyMap<string, readonly Node[]>,
): string {
  const width = statusWidth(tasks);
  return tasks
    .flatMap((task) => [
      lineOf(task, width),
      ...(dependencies.get(task.id) ?? []).map((each) => `  ← waits for ${lineOf(each, 0)}`),
    ])
    .join('\n');
}

const AT_ONCE = 16;

export async function readDependencies(
  client: Client,
  tasks: readonly TaskSummary[],
): Promise<Map<string, readonly Node[]>> {
  const found = new Map<string, readonly Node[]>();
  for (let at = 0; at < tasks.length; at += AT_ONCE) {
    const part = tasks.slice(at, at + AT_ONCE);
    const details = await Promise.all(
      part.map(({ id }) => client.ask('GET /api/board/tasks/:taskId', { taskId: id, commentLimit: 1 })),
    );
    for (const { task, dependencies } of details) found.set(task.id, dependencies);
  }
  return found;
}

function statusWidth(tasks: readonly Node[]): number {
  return Math.max(0, ...tasks.map(({ status }) => status.length));
}

/** The spaces that align titles are outside of the colour. */
function lineOf({ id, status, title }: Node, width: number): string {
  const space = ' '.repeat(Math.max(0, width - status.length));
  return `${shortId(id)}  ${paint(STATUS_STYLES[status], status)}${space}  ${printable(title)}`;
}
