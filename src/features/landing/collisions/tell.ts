// What both sides are told: the files, the lines, who was first and what to do.
import { excerpt } from '../../../kernel/redact.ts';
import type { CollidingFile } from './collision.ts';
import type { BranchMark } from './rows.ts';

type Told = Readonly<{ a: BranchMark; b: BranchMark; files: readonly CollidingFile[] }>;

const MOST_FILES = 8;
const MOST_RANGES = 3;
const MOST_NAME = 200;

/** For the room of the team. */
export function roomWords({ a, b, files }: Told): string {
  return [
    `${sideOf(a)} and ${sideOf(b)} do not go together:`,
    ...filesIn(files, a),
    '',
    `${named(a.branch)} was there first. ${whatToDo(a)}`,
  ].join('\n');
}

/** For one of the two. */
export function mailWords({ a, b, files }: Told, isFirst: boolean): string {
  const [own, other] = isFirst ? [a, b] : [b, a];
  return [
    `Your branch ${named(own.branch)} conflicts with ${sideOf(other)} in`,
    ...filesIn(files, a),
    '',
    isFirst
      ? `You were there first: go on, and tell them what you mean to do there. Who lands second has to solve it.`
      : `${named(a.branch)} was there first. ${whatToDo(a)}`,
  ].join('\n');
}

export function endWords(a: string, b: string): string {
  return `${named(a)} and ${named(b)} go together again.`;
}

function whatToDo(a: BranchMark): string {
  const who = a.agent === null ? '' : `Ask ${named(a.agent)} what becomes of these lines, then merge`;
  return `${who === '' ? 'Merge' : who} ${named(a.branch)} into yours and solve it now, or leave these files until it landed.`;
}

function sideOf({ branch, taskId, agent }: BranchMark): string {
  const facts = [
    ...(taskId === null ? [] : [`task ${taskId}`]),
    agent === null ? 'held by nobody' : `held by ${named(agent)}`,
  ];
  return `${named(branch)} (${facts.join(', ')})`;
}

function filesIn(files: readonly CollidingFile[], { branch }: BranchMark): string[] {
  const shown = files.slice(0, MOST_FILES).map(({ path, ranges }) => {
    const lines = ranges
      .slice(0, MOST_RANGES)
      .map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`));
    const more = ranges.length > MOST_RANGES ? ' and more' : '';
    const where = lines.length === 0 ? '' : `, lines ${lines.join(', ')}${more} of ${named(branch)}`;
    return `- ${named(path)}${where}`;
  });
  return [...shown, ...(files.length > MOST_FILES ? [`- and ${files.length - MOST_FILES} more`] : [])];
}

/** Names of branches and files are what agents wrote: on one line, and cut. */
function named(text: string): string {
  return excerpt(text.replace(/\s+/gu, ' '), MOST_NAME);
}
