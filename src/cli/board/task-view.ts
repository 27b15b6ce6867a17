// How a task looks in a terminal: as a row, as a line, and with all that hangs on it.
import type { Evidence, Relative, TaskDetail } from '../../features/board/detail.ts';
import type { ListedTask } from '../../features/board/task.ts';
import { calledByPerson } from '../../kernel/person-name.ts';
import { shortId } from '../short-id.ts';
import { printable, renderTable } from '../terminal/table.ts';
import { columnsAt, factsOf } from './task-fields.ts';
import { renderTimeline, type HistoryLine } from './task-timeline.ts';
import { ago } from '../terminal/when.ts';

export function renderTasks(tasks: readonly ListedTask[], now: number, terminal: number | undefined): string {
  return renderTable(columnsAt(now), tasks, terminal);
}

type Beside = Readonly<{
  labels: readonly string[];
  evidence: readonly Evidence[];
  history: readonly HistoryLine[];
}>;

export function renderDetail(
  { task, comments, commentsTotal, ancestors, dependencies, dependents, children, checks }: TaskDetail,
  { labels, evidence, history }: Beside,
  now: number,
): string {
  const timeline = renderTimeline(history);
  return [
    printable(task.title),
    ...factsOf(task, labels, now)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `  ${name.padEnd(9)} ${printable(value!)}`),
    ...(task.description ? ['', ...indent(task.description)] : []),
    ...relatives('part of', ancestors),
    ...relatives('waits for', dependencies),
    ...relatives('holds up', dependents),
    ...relatives('parts', children),
    ...section(
      'checks',
      checks.map(
        (check) =>
          `${check.satisfied ? 'passed ' : 'missing'} ${printable(check.title)}${check.required ? '' : ' (optional)'}`,
      ),
    ),
    ...section(
      'evidence',
      evidence.map(({ passed, summary, reference, authorAgentId, createdAt, current }) => {
        const by = `${authorAgentId ?? 'you'}, ${ago(now - createdAt)} ago${current ? '' : ', before the last change'}`;
        const seen = reference === null ? '' : ` (${printable(reference)})`;
        return `${passed ? 'passed ' : 'failed '} ${printable(summary)}${seen}, ${printable(by)}`;
      }),
    ),
    ...section(
      commentsTotal > comments.length
        ? `comments (newest ${comments.length} of ${commentsTotal})`
        : 'comments',
      comments.map(
        (comment) =>
          `${calledByPerson(comment.authorAgentId ?? comment.authorType)}, ${ago(now - comment.createdAt)} ago: ${printable(comment.body)}`,
      ),
    ),
    ...section(timeline.title, timeline.lines),
  ].join('\n');
}

function relatives(title: string, tasks: readonly Relative[]): string[] {
  return section(
    title,
    tasks.map(({ id, status, title: name }) => `${shortId(id)} ${status} ${printable(name)}`),
  );
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', `${title}:`, ...lines.map((line) => `  ${line}`)];
}

/** Line breaks are the author's; everything else that could move the cursor is not. */
function indent(text: string): string[] {
  return text.split(/\r\n|\r|\n/).map((line) => `  ${printable(line)}`);
}
