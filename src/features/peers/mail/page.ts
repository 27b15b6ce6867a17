import { HubError } from '../../../kernel/errors.ts';
import type { MailEnd, OlderMail, StoredMessage } from '../rows/messages.ts';

/** A page of mail, as it is asked for and as it was found. 100 unless `limit` says otherwise. */
export type MailPage = Readonly<{ limit?: number | undefined; cursor?: string | undefined }>;
export type FoundPage = Readonly<{ messages: readonly StoredMessage[]; nextCursor?: string }>;

/** One more than was asked for tells whether another page follows. */
export async function findPage(
  { limit = 100, cursor }: MailPage,
  find: (older: OlderMail) => Promise<StoredMessage[]>,
): Promise<FoundPage> {
  const found = await find({
    before: cursor === undefined ? undefined : readCursor(cursor),
    limit: limit + 1,
  });
  const messages = found.slice(0, limit);
  return { messages, ...(found.length > limit && { nextCursor: cursorAfter(messages.at(-1)!) }) };
}

/** Opaque to its holder: where a page of messages ended. */
function cursorAfter({ createdAt, id }: MailEnd): string {
  return Buffer.from(JSON.stringify([createdAt, id])).toString('base64url');
}

function readCursor(text: string): MailEnd {
  try {
    const [createdAt, id] = JSON.parse(Buffer.from(text, 'base64url').toString()) as [unknown, unknown];
    if (Number.isSafeInteger(createdAt) && typeof id === 'string')
      return { createdAt: createdAt as number, id };
  } catch (error) {
    throw badCursor(error);
  }
  throw badCursor();
}

function badCursor(cause?: unknown): HubError {
  return new HubError('invalid', 'invalid cursor: it was changed, or belongs to another list.').because(
    cause,
  );
}
