/** Where the same few are asked about again and again, such as who calls, or the words of a language: the newest are kept. */
export function remembered<T extends string | object>(
  of: (text: string) => T,
  most = 1_000,
): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    let answer = known.get(text);
    if (answer !== undefined) return answer;
    answer = of(text);
    known.set(text, answer);
    if (known.size > most) known.delete(known.keys().next().value!);
    return answer;
  };
}
