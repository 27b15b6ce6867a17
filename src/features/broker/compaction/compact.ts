import { FAILURE } from './failures.ts';
import { dedupeAndElide, gitStatus, htmlToText, shortenUrls, testOutput } from './rules.ts';

export type CompactionStats = Readonly<{ rule: string; originalBytes: number; compactedBytes: number; applied: boolean }>;

const SMALLEST = 512;
const WORTH = 0.95;

type Rule = Readonly<{ name: string; fits(text: string): boolean; apply(text: string): string }>;

const RULES: readonly Rule[] = [
  { name: 'git-status', fits: (text) => /^(?:On branch |HEAD detached at |## )/.test(text), apply: gitStatus },
  { name: 'test-output', fits: looksLikeTests, apply: testOutput },
  { name: 'html-to-text', fits: (text) => /^\s*(?:<!doctype html|<html[\s>])/i.test(text), apply: htmlToText },
  { name: 'dedup-elide', fits: () => true, apply: dedupeAndElide },
];

/** Shortens what a tool said, if that saves at least five per cent and loses no line that tells of a failure. */
export function compact(text: string): Readonly<{ text: string; stats: CompactionStats }> {
  const originalBytes = Buffer.byteLength(text);
  const unchanged = (rule: string) => ({ text, stats: { rule, originalBytes, compactedBytes: originalBytes, applied: false } });
  if (originalBytes < SMALLEST) return unchanged('none');
  const rule = RULES.find(({ fits }) => fits(text))!;
  const shorter = shortenUrls(rule.apply(text));
  const compactedBytes = Buffer.byteLength(shorter);
  if (compactedBytes > originalBytes * WORTH || !keepsFailures(text, shorter, rule.name)) return unchanged(rule.name);
  return { text: shorter, stats: { rule: rule.name, originalBytes, compactedBytes, applied: true } };
}

function looksLikeTests(text: string): boolean {
  return /(?:^|\n)\s*(?:tests?:? +\d+|test files +\d+|\d+ (?:passing|failing|passed|failed)|ok \d+ - |not ok \d+|={3,} .*(?:passed|failed)|--- (?:PASS|FAIL)|test result: )/i.test(
    text,
  );
}

/** Compared by what a line says, since tags, counts and long addresses may have gone. */
function keepsFailures(before: string, after: string, rule: string): boolean {
  const kept = new Set(after.split('\n').map((line) => essence(line)));
  const whole = essence(after);
  for (const line of before.split('\n')) {
    if (!FAILURE.test(line)) continue;
    const wanted = essence(shortenUrls(rule === 'html-to-text' ? htmlToText(line) : line));
    if (wanted !== '' && !kept.has(wanted) && !whole.includes(wanted)) return false;
  }
  return true;
}

function essence(text: string): string {
  return text
    .replace(/ {2}\(×\d+\)$/gm, '')
    .replace(/\s+/g, ' ')
    .trim();
}
