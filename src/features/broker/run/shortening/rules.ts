// Ways to shorten what tools print. Failures are never what is left out.
import { FAILURE } from './failures.ts';

const HEAD = 40;
const TAIL = 20;
const LONG_URL = 80;

/** The branch line and the changed files; the advice between them goes. */
export function gitStatus(text: string): string {
  return text
    .split('\n')
    .filter(
      (line) =>
        /^(?:On branch|HEAD detached|Your branch|## |Changes|Untracked|Unmerged|nothing|no changes)|^\t|^(?:[ MADRCU?!]{2}) /.test(
          line,
        ) || FAILURE.test(line),
    )
    .join('\n');
}

/** Failures with what follows them, and the totals; what passed goes. */
export function testOutput(text: string): string {
  const lines = text.split('\n');
  const kept: string[] = [];
  let follow = 0;
  for (const line of lines) {
    const isFailure = FAILURE.test(line) || /\bFAIL\b|not ok|assert/i.test(line);
    const isTotal =
      /^\s*(?:tests?|test files|suites?|duration|time|ran |passed|failed|\d+ (?:passing|failing|pending|passed|failed|skipped))\b|^={3,}|test result:/i.test(
        line,
      );
    if (isFailure) follow = 8;
    if (isFailure || isTotal || (follow > 0 && line.trim() !== '')) kept.push(line);
    if (!isFailure && follow > 0) follow -= 1;
  }
  return kept.join('\n');
}

/**
 * Runs of equal lines become one with a count; of what is still long, the middle goes, but not its failures.
 */
export function dedupeAndElide(text: string): string {
  const lines: string[] = [];
  let run = 0;
  const source = text.split('\n');
  for (let i = 0; i < source.length; i += 1) {
    run += 1;
    if (source[i + 1] === source[i]) continue;
    lines.push(run > 1 && source[i]!.trim() !== '' ? `${source[i]}  (x${run})` : source[i]!);
    run = 0;
  }
  if (lines.length <= HEAD + TAIL + 1) return lines.join('\n');
  const middle = lines.slice(HEAD, -TAIL);
  const failures = middle.filter((line) => FAILURE.test(line));
  const left = middle.length - failures.length;
  return [...lines.slice(0, HEAD), `… ${left} lines left out …`, ...failures, ...lines.slice(-TAIL)].join(
    '\n',
  );
}

/** One pass over the text, tag by tag: no expression to go wrong on hostile markup. */
export function htmlToText(html: string): string {
  let out = '';
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf('<', at);
    if (open < 0) return tidy(out + html.slice(at));
    out += html.slice(at, open);
    const name = /^<(\/?[a-z][a-z0-9]*)/i.exec(html.slice(open, open + 32))?.[1]?.toLowerCase();
    if (name === undefined && !html.startsWith('<!', open)) {
      out += '<';
      at = open + 1;
      continue;
    }
    const close = html.startsWith('<!--', open) ? html.indexOf('-->', open) + 2 : html.indexOf('>', open);
    if (close < open) break;
    at = close + 1;
    if (name === 'script' || name === 'style') at = skipTo(html, at, name);
    else if (name !== undefined && BLOCKS.has(name.replace('/', ''))) out += '\n';
  }
  return tidy(out);
}

const BLOCKS = new Set([
  'p',
  'div',
  'br',
  'li',
  'ul',
  'ol',
  'tr',
  'table',
  'section',
  'article',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'pre',
  'blockquote',
  'title',
  'header',
  'footer',
  'main',
  'nav',
]);

const ENDS = { script: /<\/script/gi, style: /<\/style/gi } as const;

function skipTo(html: string, from: number, name: keyof typeof ENDS): number {
  ENDS[name].lastIndex = from;
  const end = ENDS[name].exec(html);
  const close = end ? html.indexOf('>', end.index) : -1;
  return close < 0 ? html.length : close + 1;
}

function tidy(text: string): string {
  return text
    .replace(/&nbsp;/g, ' ')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&amp;/g, '&')
    .split('\n')
    .map((line) => line.replace(/[ \t]+/g, ' ').trim())
    .filter((line, i, all) => line !== '' || all[i - 1] !== '')
    .join('\n')
    .trim();
}

/** A long address is named by its host and by how much was left out. */
export function shortenUrls(text: string): string {
  return text.replace(/https?:\/\/[^\s<>"')\]]{72,}/g, (url) => {
    if (url.length <= LONG_URL) return url;
    const host = /^https?:\/\/[^/?#]{1,80}/.exec(url)![0];
    return `${host}/… (${url.length - host.length} more characters)`;
  });
}
