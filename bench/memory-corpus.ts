/** Notes and turns of a made-up team: words by Zipf's law, people, days and sessions, the same in every run. */
const WORDS = 30_000;
const PEOPLE = 200;
const PER_SESSION = 25;

export type CorpusFact = Readonly<{ title: string; content: string; tags: readonly string[] }>;

/** A word of its own for every number: consonant, vowel, and so on. */
function spell(number: number): string {
  let word = '';
  for (let rest = number + 400; rest > 0; rest = Math.floor(rest / 85))
    word += 'bcdfghjklmnprstvz'[rest % 17]! + 'aeiou'[Math.floor(rest / 17) % 5]!;
  return `${word}x`;
}

export function createCorpus(seed = 7) {
  let state = seed;
  const random = (): number => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
  const shares: number[] = [];
  for (let i = 0, sum = 0; i < WORDS; i++) shares.push((sum += 1 / (i + 30)));
  const word = (): string => {
    const at = random() * shares.at(-1)!;
    let low = 0;
    let high = WORDS - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (shares[middle]! < at) low = middle + 1;
      else high = middle;
    }
    return spell(low);
  };
  const words = (count: number): string[] => Array.from({ length: count }, word);
  return {
    /** A note as agents save it: a title, a sentence or two, a topic. */
    fact: (i: number): CorpusFact => ({
      title: words(3).join(' '),
      content: `${words(20).join(' ')} n${i}`,
      tags: [word()],
    }),
    turn(i: number): CorpusFact {
      const session = Math.floor(i / PER_SESSION);
      const day = `${1 + (session % 28)} May ${2000 + (session % 25)}`;
      return {
        title: `Person${(session * 2 + (i % 2)) % PEOPLE}, ${day}`,
        content: words(20).join(' '),
        tags: [`session_${session}`],
      };
    },
    question: (): readonly string[] => words(5),
    random,
  };
}
