import { HubError } from './errors.ts';
import { redact } from './redact.ts';

/** Names and messages as agents write them, checked alike wherever they come in. */
export const MAX_NAME = 200;
export const NAME_RULE = `must be 1 to ${MAX_NAME} characters without control characters or secrets`;

/** An id or a name: visible, on one line, and short enough to be one. */
export function isName(text: string): boolean {
  return (
    text.trim() !== '' &&
    text.length <= MAX_NAME &&
    !/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u.test(text) &&
    hasNoSecret(text)
  );
}

/** A name goes wherever its bearer acts, and cannot be scrubbed without becoming another one: with a key in it, it is refused. */
export function hasNoSecret(text: string): boolean {
  return text.length < 16 || !/\d/.test(text) || redact(text) === text;
}

const MAX_WORDS_BYTES = 16 * 1024;

type Refusals = Readonly<{
  /** What it is, in a sentence: "a post". */
  what: string;
  /** The documented line for nothing said. */
  blank: string;
  /** Where else a long text belongs. */
  tooLongHint: string;
}>;

/** Words for others as they are stored: trimmed, well formed, without secrets, and not too many. */
export function cleanWords(text: string, { what, blank, tooLongHint }: Refusals): string {
  const clean = redact(text.toWellFormed().trim());
  if (clean === '')
    throw new HubError('invalid', blank, { hint: 'Say something; blank text is not stored.' });
  if (clean.includes('\0')) throw new HubError('invalid', 'text must not contain NUL characters');
  const bytes = Buffer.byteLength(clean);
  if (bytes <= MAX_WORDS_BYTES) return clean;
  throw new HubError(
    'too_large',
    `${what} takes at most ${MAX_WORDS_BYTES} bytes of text; this one has ${bytes}`,
    {
      max: MAX_WORDS_BYTES,
      bytes,
      hint: tooLongHint,
    },
  );
}
