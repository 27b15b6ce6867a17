import { headerField, quoteLines } from './quote.ts';

/**
 * How the words of another agent reach a model: as evidence, never as the user speaking. The header is one line whose
 * fields cannot be left, and every line of the body stands behind a quotation mark.
 */
export type QuotedWords = Readonly<{ from: string; kind: string; seq: number; body: string }>;

export function quoteWords({ from, kind, seq, body }: QuotedWords): string {
  const header = `[Inter-session message · from=${headerField(from)} · kind=${headerField(kind)} · seq=${seq} · isUser=false]`;
  return `${header}\n${quoteLines(defang(body))}`;
}

const HEADER = /\[\s*inter[\s\p{Pd}]*session\s+message[^\]\r\n]*\]?/giu;

/** A quoted header is harmless behind its mark; it is taken apart all the same, for readers that look for substrings. */
function defang(body: string): string {
  return body.replace(HEADER, '[peer-quoted header]').replace(/(isUser\s*)=/giu, '$1\\=');
}
