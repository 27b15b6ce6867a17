import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findLessons } from './find.ts';
import type { LessonTurn } from './lesson.ts';

type Recording = Readonly<{ name: string; turns: LessonTurn[]; labelled: number[] }>;

const KINDS = { P: 'person', A: 'agent', C: 'call', R: 'result' } as const;
const folder = join(import.meta.dirname, '../../../../test/fixtures/lessons');

/** `P* …` is a turn that whoever wrote the recording wants to be remembered; `R! …` a result that failed. */
function recordingsOf(half: string): Recording[] {
  const texts = readFileSync(join(folder, `${half}.txt`), 'utf8')
    .split(/^=== /m)
    .slice(1);
  return texts.map((text) => {
    const [name, ...lines] = text.trimEnd().split('\n');
    const labelled: number[] = [];
    const turns = lines.map((line, i) => {
      const [, kind, sign, said] = /^([PACR])([*!]?) ?(.*)$/.exec(line)!;
      if (sign === '*') labelled.push(i + 1);
      const [, tool, words] = kind === 'C' ? /^(\w+)\| (.*)$/.exec(said!)! : [said, null, said];
      return {
        turn: i + 1,
        kind: KINDS[kind as keyof typeof KINDS],
        text: words!,
        tool: tool ?? null,
        isError: sign === '!',
      };
    });
    return { name: name!, turns, labelled };
  });
}

function measure(half: string) {
  let [right, offered, labels] = [0, 0, 0];
  const wrong: string[] = [];
  for (const { name, turns, labelled } of recordingsOf(half)) {
    const found = findLessons(turns);
    const hits = labelled.filter((turn) => found.some((lesson) => lesson.turn === turn));
    [right, offered, labels] = [right + hits.length, offered + found.length, labels + labelled.length];
    if (hits.length !== found.length || hits.length !== labelled.length)
      wrong.push(
        `${name}: offered ${found.map(({ turn, kind }) => `${turn} ${kind}`).join(', ')}; labelled ${labelled.join(', ')}`,
      );
  }
  return { precision: right / offered, recall: right / labels, offered, labels, wrong };
}

it('finds the lessons of the recordings that the rules were made with', () => {
  const { precision, recall, wrong } = measure('seen');
  expect(wrong.join('\n')).toBe('');
  expect(precision).toBeGreaterThanOrEqual(0.9);
  expect(recall).toBeGreaterThanOrEqual(0.7);
});

it('is right more often than not on recordings of somebody who had not read the rules', () => {
  const { precision, offered } = measure('second');
  expect(offered).toBeGreaterThanOrEqual(10);
  expect(precision).toBeGreaterThanOrEqual(0.6);
});
