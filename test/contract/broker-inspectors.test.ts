import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { RULES } from '../../src/kernel/inspect/patterns/rules.ts';
import { scan } from '../../src/features/broker/judge/inspectors/security.ts';

/** Each entry says one thing in a disguise, or is what people write every day. */
const { harmless: HARMLESS, ...corpus } = JSON.parse(
  readFileSync(new URL('../fixtures/evasions.json', import.meta.url), 'utf8'),
) as Record<string, unknown[]> & { harmless: unknown[] };
const EVASIONS = Object.entries(corpus);
const count = EVASIONS.reduce((sum, [, disguises]) => sum + disguises.length, 0);
const labelsOf = (value: unknown) => scan(value, new Set()).map(({ label }) => label);

/** The counts are part of the output, so that a shrinking corpus is seen. */
describe(`the security inspector against ${count} disguises of ${EVASIONS.length} patterns`, () => {
  it.each(EVASIONS)('finds %s in every disguise', (label, disguises) => {
    expect(disguises.filter((disguise) => !labelsOf(disguise).includes(label))).toEqual([]);
  });

  it(`lets ${HARMLESS.length} harmless texts pass`, () => {
    expect(
      HARMLESS.map((text) => [text, labelsOf(text)]).filter(([, labels]) => (labels as string[]).length > 0),
    ).toEqual([]);
  });

  it('has a disguise for every pattern it knows', () => {
    expect(new Set(EVASIONS.map(([label]) => label))).toEqual(new Set(RULES.map(({ label }) => label)));
  });
});
