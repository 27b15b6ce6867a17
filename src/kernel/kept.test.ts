import { expect, test } from 'vitest';
import { keptOrRead, WeighedMap } from './kept.ts';

test('what is kept weighs no more than it may, and an answer is whole though what it was read into began anew', async () => {
  const kept = new WeighedMap<number, string>(10, (text) => text.length);
  const asked: (readonly number[])[] = [];
  const read = (keys: readonly number[]) => {
    asked.push(keys);
    return Promise.resolve(keys.filter((key) => key > 0).map((key) => [key, 'x'.repeat(key)] as const));
  };
  expect(await keptOrRead(kept, [1, 2, 0], read)).toEqual(['x', 'xx']);
  expect(await keptOrRead(kept, [2, 4, 3], read)).toEqual(['xx', 'xxxx', 'xxx']);
  expect([...kept.keys()]).toEqual([1, 2, 4, 3]);
  expect(await keptOrRead(kept, [4, 5, 30], read)).toHaveLength(3);
  expect([...kept.keys()]).toEqual([30]);
  expect(await keptOrRead(kept, [30], read)).toEqual(['x'.repeat(30)]);
  expect(asked).toEqual([
    [1, 2, 0],
    [4, 3],
    [5, 30],
  ]);
});
