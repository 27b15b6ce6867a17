import { expect, it } from 'vitest';
import { between, turnOf } from './places.ts';

it('finds a text between any two, before the first and after the last, again and again', () => {
  const card = (id: string, priority = 0) => turnOf({ id, priority, createdAt: 1_789_000_000_000 });
  const places = [card('b', 3), card('a'), card('c')];
  expect(places.toSorted()).toEqual(places);
  let [low, high] = [places[0]!, places[1]!];
  for (let step = 0; step < 200; step += 1) {
    const found = between(low, high);
    expect(low < found && found < high, `${low} < ${found} < ${high}`).toBe(true);
    if (step % 3 === 0) high = found;
    else low = found;
  }
  let first = places[0]!;
  let last = places[2]!;
  for (let step = 0; step < 50; step += 1) {
    const [before, after] = [between('', first), between(last)];
    expect(before < first && after > last).toBe(true);
    [first, last] = [before, after];
  }
});
