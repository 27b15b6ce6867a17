import { isDay } from '../../kernel/day.ts';
import { HubError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { excerpt } from '../../kernel/redact.ts';
import { SEALED } from './documents.ts';
import { clean, tell } from './parts.ts';
import { findMessages, insertMessage } from './rows/messages.ts';
import { findPast } from './rows/past.ts';
import type { Held, Seen } from './rows/whose.ts';
import { clip, defang } from './rules.ts';
import type { historyShape, Said } from './shapes.ts';

export type NewMessage = Readonly<{ role: string; content: string; at?: number | undefined }>;

export async function addMessages(self: Held, messages: readonly NewMessage[]): Promise<string[]> {
  const ids: string[] = [];
  for (const { role, content, at } of messages) {
    if (content.trim() === '') continue;
    const id = newId();
    await insertMessage(self, {
      id,
      role,
      content: clean(content, 'a message', 100_000),
      at: at ?? self.tx.now,
      isExtracted: false,
    });
    ids.push(id);
  }
  if (ids.length > 0) tell(self, 'messages_added', { count: ids.length });
  return ids;
}

const DAY_MS = 24 * 60 * 60_000;
const SNIPPET = 100;

/** Days are UTC and inclusive at both ends. */
export async function searchHistory(self: Seen, request: Said<typeof historyShape>): Promise<string> {
  const { limit = 10 } = request;
  const from = startOf(request.date_from, 'date_from');
  const to = startOf(request.date_to, 'date_to');
  if (from !== undefined && to !== undefined && from > to) {
    throw new HubError('invalid', `date_from ${request.date_from} lies after date_to ${request.date_to}`);
  }
  const query = request.query?.trim();
  const asked = {
    ...(query !== undefined && query !== '' && { query }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { until: to + DAY_MS }),
    limit,
  };
  const replaced = (await findPast(self, { ...asked, sealed: SEALED })).map(
    ({ target, name, content, at }) => ({
      at,
      role: defang(`${target} ${name}, replaced`),
      content,
    }),
  );
  const found = [...(await findMessages(self, asked)), ...replaced]
    .sort((a, b) => b.at - a.at)
    .slice(0, limit);
  if (found.length === 0) return 'No message matches.';
  const lines = found.map(
    ({ at, role, content }) => `- [${stamp(at)}] ${role}: ${defang(snippet(content, query ?? ''))}`,
  );
  return clip(
    [`${found.length} ${found.length === 1 ? 'message' : 'messages'}, newest first:`, ...lines].join('\n'),
  );
}

function startOf(day: string | undefined, name: string): number | undefined {
  if (day === undefined) return undefined;
  if (!isDay(day))
    throw new HubError('invalid', `${name} must be an existing date as YYYY-MM-DD, got ${excerpt(day, 40)}`);
  return Date.parse(`${day}T00:00:00.000Z`);
}

function stamp(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** Around the match, on one line. */
function snippet(content: string, query: string): string {
  const text = content.replace(/\s+/g, ' ');
  const at = query === '' ? 0 : Math.max(0, text.toLowerCase().indexOf(query.toLowerCase()));
  const start = at > SNIPPET / 2 ? at - SNIPPET / 4 : 0;
  const cut = text.slice(start, start + SNIPPET).toWellFormed();
  return `${start > 0 ? '…' : ''}${cut}${start + SNIPPET < text.length ? '…' : ''}`;
}
