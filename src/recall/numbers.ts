import type { PostingList } from './postings.ts';

/** Where in an ascending list the first number is that is not below `wanted`. */
export function lowerBound(list: PostingList, wanted: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How many numbers of an ascending list lie from `first` to `last`. */
export function countBetween(list: PostingList, first: number, last: number): number {
  let at = lowerBound(list, first);
  const from = at;
  while (at < list.length && list[at]! <= last) at += 1;
  return at - from;
}

/** The `count` numbers with the best scores, in any order; newer ones first among equals. */
export function bestOf(
  numbers: readonly number[],
  count: number,
  score: (number: number, at: number) => number,
): number[] {
  if (numbers.length <= count) return [...numbers];
  const scores = new Float64Array(numbers.length);
  for (let at = 0; at < numbers.length; at += 1) scores[at] = score(numbers[at]!, at);
  const border = valueAt(scores.slice(), scores.length - count);
  const above = numbers.filter((_, at) => scores[at]! > border);
  const level = numbers.filter((_, at) => scores[at] === border).sort((a, b) => b - a);
  return [...above, ...level.slice(0, count - above.length)];
}

/** What would stand at a place if they were in order: of some hundreds only that one is asked for. Changes their order. */
function valueAt(values: Float64Array, place: number): number {
  let [low, high] = [0, values.length - 1];
  while (low < high) {
    const middle = values[(low + high) >> 1]!;
    let [i, j] = [low, high];
    while (i <= j) {
      while (values[i]! < middle) i += 1;
      while (values[j]! > middle) j -= 1;
      if (i > j) break;
      const value = values[i]!;
      values[i++] = values[j]!;
      values[j--] = value;
    }
    if (place <= j) high = j;
    else if (place >= i) low = i;
    else break;
  }
  return values[place]!;
}

/** Share of the sets that have the value. */
export function shareOf(sets: readonly ReadonlySet<number>[], value: number): number {
  if (sets.length === 0) return 0;
  return sets.reduce((count, set) => count + (set.has(value) ? 1 : 0), 0) / sets.length;
}
