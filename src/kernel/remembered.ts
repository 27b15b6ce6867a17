/** Where the same few are asked about again and again, such as who calls. The newest thousand are kept. */
const MOST = 1_000;

export function remembered(of: (text: string) => string): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    let answer = known.get(text);
    if (answer !== undefined) return answer;
    answer = of(text);
    known.set(text, answer);
    if (known.size > MOST) known.delete(known.keys().next().value!);
    return answer;
  };
}
