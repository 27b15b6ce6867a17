/**
 * How well words are met by a text: 0 is not at all. A word counts most where it begins the text, then where it begins a
 * word of it, then anywhere; one mistyped, missing or swapped letter of a longer word is forgiven.
 */
export function met(wanted: string, text: string): number {
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return 1;
  const said = text.toLowerCase();
  const parts = said.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  let sum = 0;
  for (const word of words) {
    const score = wordMet(word, said, parts);
    if (score === 0) return 0;
    sum += score;
  }
  return sum / words.length;
}

function wordMet(word: string, said: string, parts: readonly string[]): number {
  if (said.startsWith(word)) return 5;
  if (parts.some((part) => part.startsWith(word))) return 4;
  if (said.includes(word)) return 3;
  if (word.length < 4) return 0;
  return parts.some((part) => isNearly(word, part) || isNearly(word, part.slice(0, word.length))) ? 1 : 0;
}

/** Equal but for one letter: another one, one too many, one too few, or two that changed places. */
function isNearly(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  const [restA, restB] = [a.slice(at), b.slice(at)];
  return (
    restA.slice(1) === restB.slice(1) ||
    restA.slice(1) === restB ||
    restA === restB.slice(1) ||
    (restA.slice(2) === restB.slice(2) && restA[0] === restB[1] && restA[1] === restB[0])
  );
}
