import { redact } from '../../kernel/redact.ts';
import { z } from 'zod';
import { hasNoSecret, isName, MAX_NAME, NAME_RULE } from '../../kernel/words.ts';
import { DEFAULT_LEASE_MS, MAX_LEASE_MS } from './rules.ts';
import { ROLES, STATUSES, TYPES } from './words.ts';

/** Arguments as routes and tools accept them, checked once at the edge. */
const name = () => z.string().refine(isName, NAME_RULE);
/** Clients of the original send empty text for what they do not know. */
export const blankable = (max: number) =>
  z
    .string()
    .max(max)
    .refine((text) => !/\p{Cc}/u.test(text), 'must not contain control characters')
    .transform((text) => (text === '' ? undefined : text));

export const peerId = z.string().min(1).max(MAX_NAME).describe('A peer_id, or the agent_id of an agent.');
export const pane = z.string().min(1).max(MAX_NAME).describe('As tmux names it: %3.');
export const status = z.enum(STATUSES);
export const circle = name();
export const team = name().describe('Needed only when several teams have an agent of that name.');
export const limit = z.int().min(1).max(500);
const isPlainId = (text: string | undefined) => text === undefined || hasNoSecret(text);
export const messageId = z
  .string()
  .regex(/^[\w.:-]{1,128}$/, 'must be 1 to 128 letters, digits, dots, dashes, colons or underscores')
  .refine(hasNoSecret, 'must not hold a secret');
export const messageIds = z.array(messageId).min(1).max(500);
const ttlSeconds = z
  .int()
  .min(1)
  .max(30 * 86_400);
export const leaseSeconds = z
  .int()
  .min(1)
  .max(MAX_LEASE_MS / 1000);
export function leaseMs(seconds: number | undefined): number {
  return seconds === undefined ? DEFAULT_LEASE_MS : seconds * 1000;
}

export const filters = {
  status: status.optional(),
  backend: z.string().max(MAX_NAME).optional(),
  circle: z.string().max(MAX_NAME).optional(),
  path: z.string().max(4096).optional(),
};
/** The same in a query, where an empty one filters nothing: `?status=&backend=`. */
export const queryFilters = {
  // Not a union: a refusal reads the schema of the answer, which names the valid ones.
  status: z.preprocess((text) => (text === '' ? undefined : text), status.optional()).optional(),
  backend: blankable(MAX_NAME).optional(),
  circle: blankable(MAX_NAME).optional(),
  path: blankable(4096).optional(),
};

export const metadata = z
  .record(z.string().min(1).max(100), z.string().max(1000))
  .refine((map) => Object.keys(map).length <= 50, 'must have at most 50 entries');

export const registration = {
  display_name: name(),
  backend: name().describe('claude-code, codex, gemini, opencode …'),
  agent_id: name().optional().describe('The durable address; display_name unless given.'),
  path: blankable(4096).optional(),
  circle: blankable(MAX_NAME).optional().describe('default unless given; messages stay within a circle.'),
  role: z.union([z.enum(ROLES), z.literal('').transform(() => undefined)]).optional(),
  session_id: blankable(MAX_NAME)
    .optional()
    .describe('Registering again with the same session_id finds the same peer.'),
  tmux_pane: blankable(MAX_NAME).optional(),
  pid: z
    .int()
    .min(0)
    .max(2 ** 31)
    .optional(),
  metadata: metadata.nullish().transform((map) => map ?? undefined),
};

const letter = {
  text: z.string().describe('Up to 16 KB.'),
  from_peer: blankable(MAX_NAME).optional().describe('Who sends, when the credential does not say.'),
  circle: blankable(MAX_NAME).optional().describe('Needed only when an agent_id lives in several circles.'),
  team: team.optional(),
  correlation_id: blankable(MAX_NAME).refine(isPlainId, 'must not hold a secret').optional(),
  thread_id: blankable(128)
    .refine(isPlainId, 'must not hold a secret')
    .optional()
    .describe('Goes on with a thread; a new one begins unless given.'),
  reply_to: messageId.optional().describe('Id of the message this answers; it is in the same thread.'),
  ttl_seconds: ttlSeconds.optional().describe('How long it may wait; seven days unless given.'),
};

export const newMessage = {
  ...letter,
  id: z
    .union([messageId, z.literal('').transform(() => undefined)])
    .optional()
    .describe('Sent twice under one id it is one message.'),
  type: z
    .union([z.enum(TYPES), z.literal('').transform(() => undefined)])
    .optional()
    .describe('notification unless given.'),
};
export const toolLetter = {
  ...letter,
  id: messageId.optional(),
  type: z.enum(TYPES).optional().describe('notification unless given.'),
};
export const newBroadcast = {
  text: letter.text,
  from_peer: letter.from_peer,
  circle: letter.circle,
  ttl_seconds: letter.ttl_seconds,
};

type Written = Readonly<{
  text: string;
  id?: string | undefined;
  type?: (typeof TYPES)[number] | undefined;
  from_peer?: string | undefined;
  circle?: string | undefined;
  team?: string | undefined;
  correlation_id?: string | undefined;
  thread_id?: string | undefined;
  reply_to?: string | undefined;
  ttl_seconds?: number | undefined;
}>;

export function toLetter(written: Written) {
  return {
    text: written.text,
    id: written.id,
    type: written.type,
    fromPeer: written.from_peer === undefined ? undefined : redact(written.from_peer),
    circle: written.circle,
    team: written.team,
    correlationId: written.correlation_id,
    threadId: written.thread_id,
    replyTo: written.reply_to,
    ttlMs: written.ttl_seconds === undefined ? undefined : written.ttl_seconds * 1000,
  };
}

export const page = {
  limit: limit.optional().describe('100 unless given.'),
  cursor: z.string().min(1).max(400).optional().describe('nextCursor of the page before.'),
};
