// What a person said, sentence by sentence. What was pasted (code, logs, tags of a client) is no word of theirs.
const MOST_LOOKED_AT = 1_500;
const MOST_SENTENCE = 400;

export function sentencesOf(text: string): string[] {
  if (/^\s*</.test(text)) return [];
  return text
    .slice(0, MOST_LOOKED_AT)
    .replace(/```[\s\S]*?(```|$)/g, ' ')
    .split(/(?<=[.!?])\s+|\n+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence.length > 0 && sentence.length <= MOST_SENTENCE && !/^[>|]/.test(sentence));
}

export function isQuestion(sentence: string): boolean {
  return sentence.endsWith('?');
}

export function wordsIn(sentence: string): number {
  return sentence.split(/\s+/).length;
}
