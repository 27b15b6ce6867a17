// `/v1/beings`: everything about Beings that is not said to one of them. Its answers carry `ok`, as documented.
import { z } from 'zod';
import { change, look } from '../../operation/operation.ts';
import type { BeingsDesk, BeingsView } from './being.ts';
import { contextOf } from './context.ts';
import { setKey, setSoul } from './life.ts';
import { memoryOperations } from './operations/memory.ts';
import { requireBeing } from './parts.ts';
import { patrolOperations } from './operations/patrol.ts';
import { recordSchema } from './record.ts';
import type { SOUL_FIELDS } from './rules.ts';
import { answered, id, label, ok, owners, reads, writes } from './operations/shapes.ts';
import { importRecords } from './transfer.ts';
import { showBeing, showSoul } from './view.ts';

const soulText = z.string().min(1).max(16_000).optional();
const soul = {
  personality: soulText,
  voice: soulText,
  values: soulText,
  backstory: soulText,
  inner_world: soulText,
  examples: soulText,
} satisfies Record<(typeof SOUL_FIELDS)[number], z.ZodType>;

const being = {
  id: z.string(),
  owner: z.string(),
  name: z.string(),
  hasLlmKey: z.boolean(),
  createdAt: z.int(),
  updatedAt: z.int(),
};
const beingDetail = z.object({
  ...being,
  memories: z.object({ active: z.int(), dying: z.int(), dead: z.int() }),
  clusters: z.int(),
  waitingScenes: z.int(),
  marker: z.string().nullable(),
});

const records = z.array(recordSchema).min(1).max(2_000);

const lifeOperations = [
  change({
    ...owners,
    name: 'beings_create',
    summary: 'Make a Being, with a token of full scope. The answer is the only place where it is ever shown.',
    refusals: ['unauthorized', 'conflict', 'limited'],
    input: { name: label, owner: label.optional(), soul: z.object(soul).optional() },
    output: answered({ being: z.object(being), token: z.string() }),
    route: 'POST /v1/beings',
    status: 201,
    run: async (beings: BeingsDesk, request) => ok(await beings.create(request)),
  }),
  look({
    ...owners,
    name: 'beings_list',
    summary: 'List the Beings of this hub.',
    input: {},
    output: answered({ beings: z.array(z.object(being)) }),
    route: 'GET /v1/beings',
    run: async (beings: BeingsView) => ok({ beings: await beings.list() }),
  }),
  look({
    ...reads,
    name: 'beings_show',
    summary: 'Show a Being: what it holds, in numbers.',
    input: { id },
    output: answered({ being: beingDetail }),
    route: 'GET /v1/beings/:id',
    run: async (beings: BeingsView, { id: which }) => ok({ being: await showBeing(beings.one(which)) }),
  }),
  change({
    ...owners,
    name: 'beings_delete',
    summary: 'Delete a Being and everything it remembers: text, index, vectors, tokens.',
    input: { id },
    output: answered({ id: z.string() }),
    route: 'DELETE /v1/beings/:id',
    async run(beings: BeingsDesk, { id: which }) {
      await beings.remove(which);
      return ok({ id: which });
    },
  }),
  look({
    ...reads,
    name: 'beings_soul',
    summary: 'Read the soul: the fields that make the persona.',
    input: { id },
    output: answered({ name: z.string(), soul: z.record(z.string(), z.string()) }),
    route: 'GET /v1/beings/:id/soul',
    run: async (beings: BeingsView, { id: which }) => ok(await showSoul(beings.one(which))),
  }),
  change({
    ...writes,
    name: 'beings_set_soul',
    summary: 'Set fields of the soul; those that are not named stay.',
    input: { id, ...soul },
    output: answered({}),
    route: 'PUT /v1/beings/:id/soul',
    async run(beings: BeingsDesk, { id: which, ...fields }) {
      await setSoul(beings.one(which), fields);
      return ok({});
    },
  }),
  change({
    ...reads,
    name: 'beings_context',
    summary: 'The same as get_context. Hands out waiting party messages.',
    input: { id },
    output: z.looseObject({ ok: z.literal(true) }),
    route: 'GET /v1/beings/:id/context',
    run: async (beings: BeingsDesk, { id: which }) => ok(await contextOf(beings.one(which))),
  }),
  change({
    ...owners,
    name: 'beings_set_key',
    summary: 'Keep the key of a language model for this Being, sealed. It is never shown again.',
    input: {
      id,
      key: z.string().regex(/^[\x21-\x7e]{8,512}$/, 'must be a key of printable characters'),
    },
    output: answered({ note: z.string().optional().describe('What keeps it from being of use here.') }),
    route: 'PUT /v1/beings/:id/llm-key',
    async run(beings: BeingsDesk, { id: which, key }) {
      await setKey(beings.owned(which), key);
      const note = beings.noteOnKey(key);
      return ok(note === undefined ? {} : { note });
    },
  }),
  change({
    ...owners,
    name: 'beings_forget_key',
    summary: 'Forget the key of a language model.',
    input: { id },
    output: answered({}),
    route: 'DELETE /v1/beings/:id/llm-key',
    async run(beings: BeingsDesk, { id: which }) {
      await setKey(beings.owned(which), null);
      return ok({});
    },
  }),
] as const;

const scope = z.enum(['full', 'read-only']);
const token = z.object({
  id: z.string(),
  scope,
  label: z.string().nullable(),
  createdAt: z.int(),
  expiresAt: z.int().nullable(),
  revokedAt: z.int().nullable(),
  usedAt: z.int().nullable(),
});
const consent = z.object({
  id: z.string(),
  client: z.string(),
  scope,
  since: z.int(),
  renewedAt: z.int(),
  expiresAt: z.int(),
});

/** Who may speak for a Being: its own tokens, and the clients that a person let reach it. */
const tokenOperations = [
  change({
    ...owners,
    name: 'beings_create_token',
    summary: 'Make a token of a Being. The answer is the only place where it is ever shown.',
    input: { id, scope: scope.optional(), label: label.optional(), expiresAt: z.int().optional() },
    output: answered({ token: z.string(), record: token }),
    route: 'POST /v1/beings/:id/tokens',
    status: 201,
    async run(beings: BeingsDesk, { id: which, scope: width = 'full', ...rest }) {
      const self = beings.owned(which);
      await requireBeing(self);
      const made = await beings.oauth.createToken(self.tx, { being: which, scope: width, ...rest });
      return ok({ token: made.text, record: made.token });
    },
  }),
  look({
    ...owners,
    name: 'beings_tokens',
    summary: 'List the tokens of a Being without their secrets.',
    input: { id },
    output: answered({ tokens: z.array(token) }),
    route: 'GET /v1/beings/:id/tokens',
    run: async (beings: BeingsView, { id: which }) => ok({ tokens: await beings.tokens(which) }),
  }),
  change({
    ...owners,
    name: 'beings_revoke_token',
    summary: 'Revoke a token of a Being at once.',
    input: { id, tokenId: z.string().min(1).max(100) },
    output: answered({}),
    route: 'DELETE /v1/beings/:id/tokens/:tokenId',
    async run(beings: BeingsDesk, { id: which, tokenId }) {
      await beings.oauth.revokeToken(beings.owned(which).tx, which, tokenId);
      return ok({});
    },
  }),
  look({
    ...owners,
    name: 'beings_consents',
    summary: 'List the clients that a person let reach a Being, and that still can.',
    input: { id },
    output: answered({ consents: z.array(consent) }),
    route: 'GET /v1/beings/:id/consents',
    run: async (beings: BeingsView, { id: which }) => ok({ consents: await beings.consents(which) }),
  }),
  change({
    ...owners,
    name: 'beings_end_consent',
    summary: 'Take a consent back: every token that came of it ends at once.',
    input: { id, consentId: z.string().min(1).max(100) },
    output: answered({}),
    route: 'DELETE /v1/beings/:id/consents/:consentId',
    async run(beings: BeingsDesk, { id: which, consentId }) {
      await beings.oauth.endConsent(beings.owned(which).tx, which, consentId);
      return ok({});
    },
  }),
] as const;

const transferOperations = [
  look({
    ...owners,
    name: 'beings_export',
    summary:
      'Everything a Being is and remembers, as records. The secrets of partner_tools are in it as they are.',
    input: { id },
    output: answered({
      format: z.literal('holdfast-being-1'),
      records: z.array(z.looseObject({ kind: z.string() })),
    }),
    route: 'GET /v1/beings/:id/export',
    run: async (beings: BeingsView, { id: which }) =>
      ok({ format: 'holdfast-being-1' as const, records: await beings.records(which) }),
  }),
  change({
    ...owners,
    name: 'beings_import',
    summary: 'Make a Being from the first records of an export; the others follow under its id.',
    refusals: ['unauthorized', 'conflict', 'too_large'],
    input: { records },
    output: answered({ id: z.string() }),
    route: 'POST /v1/beings/import',
    status: 201,
    run: async (beings: BeingsDesk, { records: given }) => ok({ id: await beings.read(given) }),
  }),
  change({
    ...owners,
    name: 'beings_import_more',
    summary: 'Further records of an export.',
    input: { id, records },
    output: answered({}),
    route: 'POST /v1/beings/:id/import',
    async run(beings: BeingsDesk, { id: which, records: given }) {
      await importRecords(beings.owned(which), given);
      return ok({});
    },
  }),
] as const;

/** Everything `/v1/beings` answers. */
export const beingOperations = [
  ...lifeOperations,
  ...tokenOperations,
  ...transferOperations,
  ...memoryOperations,
  ...patrolOperations,
] as const;
