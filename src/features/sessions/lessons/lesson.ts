// A lesson: a moment of a session that a person may want to be remembered. Rules are pure; each looks at one turn and what stood before it.
import type { TurnRow } from '../rows/tables.ts';

export const LESSON_KINDS = ['told', 'corrected', 'solved', 'worked'] as const;
export type LessonKind = (typeof LESSON_KINDS)[number];

export type LessonTurn = Pick<TurnRow, 'turn' | 'kind' | 'text' | 'tool' | 'isError'>;
export type Lesson = Readonly<{ turn: number; kind: LessonKind; title: string; text: string }>;

/** Judges the turn at this place of the list. */
export type LessonRule = (turns: readonly LessonTurn[], at: number) => Lesson | undefined;

const MOST_TITLE = 90;

/** A title is the beginning of what is said, up to the end of a word. */
export function titleOf(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= MOST_TITLE) return line;
  return `${line.slice(0, MOST_TITLE).replace(/\s\S*$/, '')} …`;
}
