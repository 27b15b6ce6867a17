import type { Report } from '../../features/brain/memory.ts';
import { printable, renderTable } from '../terminal/table.ts';
import { localTime } from '../terminal/when.ts';

const BAR = 40;
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** The report for a person: the distribution of scores as bars, both ends as tables, and what needs repair. */
export function renderReport(report: Report, columns: number | undefined): string {
  const { total_memories: total, avg_score: average, prune_candidates: prunable } = report;
  if (total === 0 && report.problems.length === 0)
    return 'No memories yet. Store one with `holdfast brain store <name> <content>`.';
  return [
    `${total} ${total === 1 ? 'memory' : 'memories'}, average score ${average.toFixed(2)}, ${prunable} would be pruned`,
    `last consolidation ${timeOf(report.last_consolidation)}, last pruning ${timeOf(report.last_pruning)}`,
    '',
    drawDistribution(report.distribution, Math.min(BAR, Math.max(10, (columns ?? 80) - 20))),
    ...(total === 0
      ? []
      : [
          '',
          'most useful',
          renderEnd(report.top, columns),
          '',
          'least useful',
          renderEnd(report.bottom, columns),
        ]),
    ...(report.problems.length === 0
      ? []
      : [
          '',
          'files that cannot be read',
          ...report.problems.map(({ path, reason }) => `  ${printable(path)}: ${printable(reason)}`),
        ]),
  ].join('\n');
}

function timeOf(at: string | null): string {
  return at === null ? 'never' : localTime(Date.parse(at));
}

/** The longest bar fills the width; every memory shows, if only as a sliver. */
export function drawDistribution(counts: readonly number[], width: number): string {
  const most = Math.max(1, ...counts);
  return counts
    .map((count, i) =>
      `${(i / 10).toFixed(1)}–${((i + 1) / 10).toFixed(1)} ${bar((count / most) * width)}${count === 0 ? '' : ` ${count}`}`.trimEnd(),
    )
    .toReversed()
    .join('\n');
}

function bar(length: number): string {
  if (length <= 0) return '';
  const eighths = Math.max(1, Math.round(length * 8));
  return '█'.repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8]!;
}

function renderEnd(rows: Report['top'], columns: number | undefined): string {
  return renderTable(
    [
      { title: 'SCORE', cell: (row) => row.score.toFixed(4) },
      { title: 'USED', cell: (row) => String(row.access_count) },
      { title: 'ID', cell: (row) => row.id, flexible: true },
    ],
    rows,
    columns,
  );
}
