/** The known name that somebody may have meant by another; undefined when none is near enough to be worth a guess. */
export function nearestName(given: string, known: Iterable<string>): string | undefined {
  const wanted = given.toLowerCase();
  let best: string | undefined;
  // A third of the letters may be wrong: `wbe` is `web`, and `red` is not `blue`.
  let least = Math.max(2, Math.ceil(wanted.length / 3)) + 0.5;
  for (const name of known) {
    if (Math.abs(name.length - wanted.length) > least) continue;
    const apart = distanceBetween(wanted, name.toLowerCase());
    if (apart >= least || apart >= name.length) continue;
    [best, least] = [name, apart];
  }
  return best;
}

/** Letters to add, leave out, change or swap with their neighbour. */
function distanceBetween(a: string, b: string): number {
  let [before, last]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1];
      const steps = [last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (isSame ? 0 : 1)];
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) steps.push(before[j - 2]! + 1);
      row.push(Math.min(...steps));
    }
    [before, last] = [last, row];
  }
  return last[b.length]!;
}
