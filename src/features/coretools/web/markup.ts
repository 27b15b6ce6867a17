/** As much of a DOM as we look at. The library's own types need those of a browser, which this project does not load. */
export interface Markup {
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

export interface HtmlPage extends Pick<Markup, 'querySelector' | 'querySelectorAll'> {
  readonly head: Markup | null;
  readonly body: Markup | null;
  createElement(name: string): Markup;
}

export async function parseHtml(text: string): Promise<HtmlPage> {
  const { parseHTML } = await import('linkedom');
  const parsed: unknown = parseHTML(text);
  return (parsed as { document: HtmlPage }).document;
}
