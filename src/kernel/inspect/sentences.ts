/** Where a sentence of a description stands, so that a finding can point at it. */
export type Sentence = Readonly<{ start: number; end: number; text: string }>;

/** A full stop ends a sentence where a blank follows; `.env`, `e.g. this` and `v2.1` do not. */
const END =
  /(?<![ .(](?:e\.g|i\.e|etc|vs|ca|approx|resp|z\.b|p\.ej|no))[.!?](?=[\s<]|$)[)"'”’]?\s*|[。！？।؛]\s*|\n\s*\n\s*|\n\s*(?=[-*•#<]|\d{1,2}[.)])/giu;
/** A text without an end is cut here and looked at with an overlap, so that looking stays in proportion to its length. */
const MOST = 1_200;
const OVERLAP = 200;

export function sentencesOf(text: string): Sentence[] {
  const found: Sentence[] = [];
  let start = 0;
  for (const match of text.matchAll(END)) {
    push(found, text, start, match.index + match[0].length);
    start = match.index + match[0].length;
  }
  push(found, text, start, text.length);
  return found;
}

function push(found: Sentence[], ...[text, start, end]: readonly [string, number, number]): void {
  if (end - start <= MOST) {
    const part = text.slice(start, end);
    if (part.trim() !== '') found.push({ start, end: start + part.trimEnd().length, text: part });
    return;
  }
  for (let at = start; at < end; at += MOST - OVERLAP) push(found, text, at, Math.min(at + MOST, end));
}

const QUOTED =
  /"[^"\n]{8,400}"|“[^”\n]{8,400}”|(?<![\w'])'[^'\n]{8,400}'(?!\w)|‘[^’\n]{8,400}’|«[^»\n]{8,400}»/gu;
const INTRODUCED =
  /\b(?:such as|e\.g\.|like|for (?:example|instance)|example|phrases?|prompts?|detect|flag|find|report|scan|explain|rule|that asks?|attacks?|secrecy|called|known as|titled|says?|named|becomes)\b/iu;

/** What is only named, a phrase in quotes behind `such as` or the like, is no order. */
export function withoutMentions(sentence: string): string {
  if (!INTRODUCED.test(sentence.replace(QUOTED, ' '))) return sentence;
  return sentence.replace(QUOTED, (quote) => (/\s\S+\s/.test(quote) ? ' … ' : quote));
}

const GUARDS =
  /^\W{0,3}(?:\w{1,20}:\s)?(?:this (?:tool|rule) )?(?:detect|scan|find|report|flag|check|mask|warn|identif|analy[sz]|audit|block|judge|explain|list|look|static|write|run|generat|show|classif|test|example|review|search|evaluat|validat|protect|prevent|monitor|return|get|describe)/u;
const THREATS =
  /\b(?:injections?|poison\w{0,4}|vulnerab\w{0,10}|attack\w{0,4}|phishing|malicious|leaked|exposed|hard-?coded|jailbreak\w{0,4}|adversarial|threats?|cve|exfiltration|invisible characters|firewall|by accident|path traversal|too wide|readable by others|read by others|red[- ]team\w{0,4})\b/u;

/** A sentence of a tool that looks for attacks, and names them. It may speak of them; it does not speak to the model. */
export function isAboutAttacks(sentence: string): boolean {
  return GUARDS.test(sentence) && THREATS.test(sentence);
}
