import { createHash } from 'node:crypto';
import type { PageAnswer } from '../../../http/route.ts';
import { isUnseen } from '../../../kernel/unseen.ts';
import { MARK, STYLE } from './style.ts';

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** Text inside a page. Everything that comes from a client goes through here. */
export function escape(text: string): string {
  return text.replace(/[&<>"'`]/g, (char) => `&#${char.charCodeAt(0)};`);
}

/** A name that a stranger gave itself, with all that is in it shown. */
export function foreign(text: string): string {
  return Array.from(text, (char) => {
    if (!isUnseen(char)) return escape(char);
    const code = char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
    return `<mark title="A character that cannot be seen">U+${code}</mark>`;
  }).join('');
}

type PageOptions = Readonly<{
  status?: number;
  title: string;
  body: string;
  /** Where its form may lead; a browser applies this to the redirect behind it as well. */
  formTo?: string;
  refresh?: string;
  headers?: Readonly<Record<string, string>>;
}>;

/** No script, no frame, no referrer for others, nothing kept. */
export function page({ status = 200, title, body, formTo, refresh, headers = {} }: PageOptions): PageAnswer {
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_HASH}'`,
    `form-action 'self'${formTo === undefined ? '' : ` ${formTo}`}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
  const reload =
    refresh === undefined ? '' : `<meta http-equiv="refresh" content="0; url=${escape(refresh)}">`;
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      // Not `no-referrer`: with it a browser sends its own form with `Origin: null`.
      'referrer-policy': 'same-origin',
      'cache-control': 'no-store',
      ...headers,
    },
    body: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">${reload}<title>${escape(title)} · Holdfast</title><style>${STYLE}</style></head><body><main><div class="mark">${MARK}<span>holdfast</span></div><h1>${escape(title)}</h1>${body}</main></body></html>`,
  };
}

export function problem(title: string, text: string, status = 400): PageAnswer {
  return page({ status, title, body: `<p>${escape(text)}</p>` });
}

export function redirect(to: string): PageAnswer {
  const headers = { location: to, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };
  return { status: 303, headers, body: '' };
}

export function json(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): PageAnswer {
  return {
    status,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      pragma: 'no-cache',
      ...headers,
    },
    body: JSON.stringify(value),
  };
}

/** RFC 6749, 5.2. */
export function oauthError(error: string, description: string, status = 400): PageAnswer {
  return json(status, { error, error_description: description });
}
