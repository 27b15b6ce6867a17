import type { Lesson, LessonRule, LessonTurn } from './lesson.ts';
import { corrected } from './rules/corrected.ts';
import { told } from './rules/told.ts';
import { worked } from './rules/worked.ts';

/** The first that sees something in a turn says what it is. */
const RULES: readonly LessonRule[] = [told, corrected, worked];

/** Moments that look like lessons, in the turns from this place on; those before it are only looked back at. */
export function findLessons(turns: readonly LessonTurn[], from = 0): Lesson[] {
  return turns.flatMap((_, at) => {
    if (at < from) return [];
    for (const rule of RULES) {
      const lesson = rule(turns, at);
      if (lesson) return [lesson];
    }
    return [];
  });
}
