// Failing tests out of a JUnit report, read as text: reports are made by the code under test, and no parser of XML is needed for this.
import { excerpt } from '../../../kernel/redact.ts';
import type { Failing } from '../landing-shapes.ts';

export const MOST_REPORT = 16 * 1024 * 1024;
const MOST_FAILING = 50;
const MOST_NAME = 200;
const MOST_MESSAGE = 1_000;

export function failingIn(report: string): Failing[] {
  const failing: Failing[] = [];
  // Cases do not hold cases: everything up to the next one belongs to this one.
  for (const part of report.split(/<testcase\b/).slice(1)) {
    if (failing.length >= MOST_FAILING) break;
    const head = part.slice(0, part.indexOf('>') + 1 || undefined);
    if (head.endsWith('/>')) continue;
    const body = part.slice(head.length).split('</testcase', 1)[0]!;
    const at = /<(?:failure|error)\b([^>]*)>?/.exec(body);
    if (!at) continue;
    const rest = body.slice(at.index + at[0].length).split(/<\/(?:failure|error)/, 1)[0]!;
    const message = attribute(at[1]!, 'message') || plain(rest);
    const name = [attribute(head, 'classname'), attribute(head, 'name')].filter(Boolean).join(' › ');
    failing.push({ name: excerpt(name || 'a test', MOST_NAME), message: excerpt(message, MOST_MESSAGE) });
  }
  return failing;
}

function attribute(head: string, name: string): string {
  const found = new RegExp(`\\s${name}=(?:"([^"]*)"|'([^']*)')`).exec(head);
  return plain(found?.[1] ?? found?.[2] ?? '');
}

const SIGNS: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function plain(text: string): string {
  return text
    .replace(/<!\[CDATA\[|\]\]>/g, '')
    .replace(/&(#\d{1,7}|#x[\da-f]{1,6}|\w{2,4});/gi, (whole, said: string) => signOf(said) ?? whole)
    .trim();
}

function signOf(said: string): string | undefined {
  if (!said.startsWith('#')) return SIGNS[said];
  const code = /^#x/i.test(said) ? Number.parseInt(said.slice(2), 16) : Number(said.slice(1));
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}
