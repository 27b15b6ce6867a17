import { type Markup, parseHtml } from '../markup.ts';

export type Readable = Readonly<{ title: string; byline: string; siteName: string; text: string }>;

/** What a person would read on a page: the article, without navigation, scripts and advertisements. */
export async function readableText(html: string, url: string): Promise<Readable> {
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
    text: text.length > 0 ? text : fallback,
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
