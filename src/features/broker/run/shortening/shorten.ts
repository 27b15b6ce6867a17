import { FAILURE } from './failures.ts';
import { dedupeAndElide, gitStatus, htmlToText, shortenUrls, testOutput } from './rules.ts';

export type ShorteningStats = Readonly<{
  rule: string;
  originalBytes: number;
  compactedBytes: number;
  applied: boolean;
}>;

const SMALLEST = 512;
const WORTH = 0.95;

type Rule = Readonly<{ name: string; fits(text: string): boolean; apply(text: string): string }>;

const RULES: readonly Rule[] = [
  {
    name: 'git-status',
    fits: (text) => /^(?:On branch |HEAD detached at |## )/.test(text),
    apply: gitStatus,
  },
  { name: 'test-output', fits: (text) => TEST_LINE.test(text), apply: testOutput },
  {
    name: 'html-to-text',
    fits: (text) => /^\s*(?:<!doctype html|<html[\s>])/i.test(text),
    apply: htmlToText,
  },
  { name: 'dedup-elide', fits: () => true, apply: dedupeAndElide },
];

/**
 * Shortens what a tool said, if that saves at least five per cent and loses no line that tells of a failure.
 */
export function shortenOutput(text: string): Readonly<{ text: string; stats: ShorteningStats }> {
  const originalBytes = Buffer.byteLength(text);
  const unchanged = (rule: string) => ({
    text,
    stats: { rule, originalBytes, compactedBytes: originalBytes, applied: false },
  });
  if (originalBytes < SMALLEST) return unchanged('none');
  const rule = RULES.find(({ fits }) => fits(text))!;
  const shorter = shortenUrls(rule.apply(text));
  const compactedBytes = Buffer.byteLength(shorter);
  if (compactedBytes > originalBytes * WORTH || !keepsFailures(text, shorter, rule.name))
    return unchanged(rule.name);
  return { text: shorter, stats: { rule: rule.name, originalBytes, compactedBytes, applied: true } };
}

/**
 * Line by line, and with bounded room before the word: a wall of white space must not be looked at from every
 * place in it.
 */
const TEST_LINE =
  /^[ \t]{0,40}(?:tests?:? +\d+|test files +\d+|\d+ (?:passing|failing|passed|failed)|ok \d+ - |not ok \d+|={3,} .*(?:passed|failed)|--- (?:PASS|FAIL)|test result: )/im;

/**
 * Failures keep their order, so each is looked for from where the one before was found: one walk over the
 * whole.
 */
function keepsFailures(before: string, after: string, rule: string): boolean {
  const kept = essence(after);
  let from = 0;
  for (const line of before.split('\n')) {
    if (!FAILURE.test(line)) continue;
    const wanted = essence(shortenUrls(rule === 'html-to-text' ? htmlToText(line) : line));
    from = kept.indexOf(wanted, from);
    if (from < 0) return false;
  }
  return true;
}

/** What a text says, without tags, counts and the shape of its white space. */
function essence(text: string): string {
  return text
    .replace(/ {2}\(x\d+\)$/gm, '')
    .replace(/\s+/g, ' ')
    .trim();
}
