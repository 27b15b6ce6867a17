import { expect, it } from 'vitest';
import { newId, newSecret } from './ids.ts';

it('makes version 7 ids that are unique and sort in the order they were made', () => {
  const ids = Array.from({ length: 20_000 }, newId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.toSorted()).toEqual(ids);
  for (const id of ids.slice(0, 100))
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(Math.abs(Number.parseInt(ids[0]!.replace('-', '').slice(0, 12), 16) - Date.now())).toBeLessThan(
    5_000,
  );
});

it('makes secrets of the asked length that differ', () => {
  expect(newSecret()).toMatch(/^[0-9a-f]{64}$/);
  expect(newSecret(8)).toHaveLength(16);
  expect(newSecret()).not.toBe(newSecret());
});
