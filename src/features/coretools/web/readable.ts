import { runApart } from '../../../kernel/apart.ts';
import { isTooDeep, plainText, titleOf } from './plain-text.ts';

export type Readable = Readonly<{ title: string; byline: string; siteName: string; text: string }>;

/** What a person would read on a page: the article, without navigation, scripts and advertisements. */
export function readableText(html: string, url: string): Promise<Readable> {
  return runApart<Readable>({ kind: 'page', input: { html, url }, name: 'The page' });
}

/** In the process for one page. One that is nested or long beyond reason is read as text alone. */
export async function extractReadable(page: ForeignPage): Promise<Readable> {
  if (isTooDeep(page.html)) return asText(page);
  try {
    return await articleOf(page);
  } catch {
    return asText(page); // a tree that the library cannot make or walk is no reason to know nothing of the page
  }
}

type ForeignPage = Readonly<{ html: string; url: string }>;

function asText({ html }: ForeignPage): Readable {
  return { title: titleOf(html), byline: '', siteName: '', text: tidy(plainText(html)) };
}

async function articleOf({ html, url }: ForeignPage): Promise<Readable> {
  const { Readability } = await import('@mozilla/readability');
  const document = await parseHtml(html);
  const base = document.createElement('base');
  base.setAttribute('href', url);
  document.head?.appendChild(base);
  const plainTitle = document.querySelector('title')?.textContent?.trim() ?? '';
  const fallback = textOf(document.body);
  const article = new Readability(document, { maxElemsToParse: 50_000 }).parse();
  const text = tidy(article?.textContent ?? '');
  return {
    title: article?.title?.trim() || plainTitle,
    byline: article?.byline?.trim() ?? '',
    siteName: article?.siteName?.trim() ?? '',
    // A page that never says where its body begins has none in the tree.
    text: text || fallback || tidy(plainText(html)),
  };
}

function textOf(body: Markup | null): string {
  if (!body) return '';
  const copy = body.cloneNode(true);
  for (const element of copy.querySelectorAll('script, style, noscript, template')) element.remove();
  return tidy(copy.textContent ?? '');
}

function tidy(text: string): string {
  return text
    .split('\n')
    .map((line) => line.replace(/[ \t\u00a0]+/g, ' ').trim())
    .filter((line, i, all) => line !== '' || (i > 0 && all[i - 1] !== ''))
    .join('\n')
    .trim();
}

/** As much of a DOM as we look at. The library's own types need those of a browser, which this project does not load. */
interface Markup {
  readonly tagName: string;
  readonly textContent: string | null;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  querySelector(selector: string): Markup | null;
  querySelectorAll(selector: string): Iterable<Markup>;
  cloneNode(deep: boolean): Markup;
  appendChild(child: Markup): unknown;
  remove(): void;
}

interface HtmlPage extends Pick<Markup, 'querySelector' | 'querySelectorAll'> {
  readonly head: Markup | null;
  readonly body: Markup | null;
  createElement(name: string): Markup;
}

async function parseHtml(text: string): Promise<HtmlPage> {
  const { parseHTML } = await import('linkedom');
  const parsed: unknown = parseHTML(text);
  return (parsed as { document: HtmlPage }).document;
}
