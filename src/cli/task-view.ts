// How a task looks in a terminal: as a row, as a line, and with all that hangs on it.
import type { Evidence, Relative, TaskDetail } from '../features/board/detail.ts';
import type { Status, TaskSummary } from '../features/board/task.ts';
import type { Style } from './color.ts';
import { type Column, printable, renderTable } from './table.ts';
import { shortId } from './short-id.ts';

export const STATUS_STYLES: Readonly<Partial<Record<Status, Style>>> = {
  in_progress: 'yellow',
  in_review: 'cyan',
  blocked: 'red',
  done: 'green',
  backlog: 'dim',
  cancelled: 'dim',
};

export function renderTasks(
  tasks: readonly TaskSummary[],
  now: number,
  terminal: number | undefined,
): string {
  const columns: readonly Column<TaskSummary>[] = [
    { title: 'ID', cell: ({ id }) => shortId(id) },
    { title: 'STATUS', cell: ({ status }) => status, style: ({ status }) => STATUS_STYLES[status] },
    { title: 'PRI', cell: ({ priority }) => String(priority) },
    { title: 'TITLE', cell: ({ title }) => title, flexible: true },
    { title: 'HOLDER', cell: ({ assigneeAgentId }) => assigneeAgentId ?? '', flexible: true },
    { title: 'TEAM', cell: ({ teamId }) => teamId ?? '', flexible: true },
    { title: 'AGE', cell: ({ createdAt }) => ago(now - createdAt) },
  ];
  return renderTable(columns, tasks, terminal);
}

export function renderDetail(
  { task, comments, commentsTotal, ancestors, dependencies, dependents, children, checks }: TaskDetail,
  { labels, evidence }: Readonly<{ labels: readonly string[]; evidence: readonly Evidence[] }>,
  now: number,
): string {
  const facts: [string, string | undefined][] = [
    ['id', task.id],
    ['status', task.status],
    ['priority', String(task.priority)],
    ['team', task.teamId ?? undefined],
    ['labels', labels.length === 0 ? undefined : labels.join(', ')],
    ['branch', task.branchRef ?? undefined],
    ['cost', task.costUsd === 0 ? undefined : `$${task.costUsd}`],
    [
      'holder',
      task.assigneeAgentId === null
        ? undefined
        : `${task.assigneeAgentId} (fence ${task.fence}${lease(task.leaseUntil, now)})`,
    ],
    ['created', `${ago(now - task.createdAt)} ago`],
  ];
  return [
    printable(task.title),
    ...facts
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
        const by = `${authorAgentId ?? 'a person'}, ${ago(now - createdAt)} ago${current ? '' : ', before the last change'}`;
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
          `${comment.authorAgentId ?? comment.authorType}, ${ago(now - comment.createdAt)} ago: ${printable(comment.body)}`,
      ),
    ),
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

function lease(until: number | null, now: number): string {
  if (until === null) return '';
  return until > now ? `, lease ends in ${ago(until - now)}` : ', lease has run out';
}

export function ago(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  if (minutes < 1) return `${Math.max(0, Math.floor(ms / 1000))}s`;
  if (minutes < 120) return `${minutes}m`;
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)}h` : `${Math.floor(minutes / 1440)}d`;
}
