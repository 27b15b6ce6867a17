import { decodeEntities } from '../../../kernel/html-entities.ts';

/** The text of a page by looking at its tags only, in one pass: for pages whose tree would take longer than they are worth. */

const MOST_TAGS = 50_000;
const MOST_DEPTH = 400;
const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/i;
const TAG = /<(\/?)([a-z][a-z0-9-]{0,40})(?=[\s/>])/gi;

/** More tags, or more of them open at once, than a page for people has. Tags that need no end are not counted as open. */
export function isTooDeep(html: string): boolean {
  let [tags, depth] = [0, 0];
  for (const [, close, name] of html.matchAll(TAG)) {
    if ((tags += 1) > MOST_TAGS) return true;
    if (close === '/') depth = Math.max(0, depth - 1);
    else if (!VOID.test(name!) && (depth += 1) > MOST_DEPTH) return true;
  }
  return false;
}

const BLOCK = /^\/?(?:p|div|li|ul|ol|tr|table|h[1-6]|section|article|header|footer|blockquote|pre|br|hr)$/i;
const SILENT = /^(?:script|style|noscript|template|textarea|title|svg)$/i;

export function plainText(html: string): string {
  const out: string[] = [];
  let at = 0;
  while (at < html.length) {
    const start = html.indexOf('<', at);
    if (start < 0) break;
    out.push(html.slice(at, start));
    const end = html.indexOf('>', start);
    if (end < 0) return entities(out.join(''));
    const name = /^<(\/?[a-z][a-z0-9-]{0,40})/i.exec(html.slice(start, start + 44))?.[1] ?? '';
    at = SILENT.test(name) ? afterClosing(html, name, end) : end + 1;
    if (BLOCK.test(name)) out.push('\n');
  }
  out.push(html.slice(at));
  return entities(out.join(''));
}

export function titleOf(html: string): string {
  return entities(/<title[^>]{0,200}>([^<]{0,1000})/i.exec(html.slice(0, 100_000))?.[1] ?? '').trim();
}

/** What is never closed is silent to the end. */
function afterClosing(html: string, name: string, from: number): number {
  const close = new RegExp(`</${name}[\\s>]`, 'gi');
  close.lastIndex = from;
  const found = close.exec(html);
  if (!found) return html.length;
  const end = html.indexOf('>', found.index);
  return end < 0 ? html.length : end + 1;
}

const entities = (text: string): string => decodeEntities(text, '\uFFFD');
