// Agent tokens and what was signed, for the holder of the hub token; and who is here, for everybody.
import { z } from 'zod';
import { change, look, work } from '../../operation/operation.ts';
import type { AccessDesk, AccessView } from './access.ts';
import type { Keys } from './keys.ts';
import type { LivingSeat } from './seats/living-seat.ts';
import type { SeatsView } from './seats/seats.ts';
import { agentTokenSchema, newTokenSchema } from './token.ts';

const ok = z.literal(true);
const OK = { ok: true } as const;
const shared = { scope: 'access:admin', refusals: ['unauthorized'] } as const;

const openPage = change({
  ...shared,
  name: 'open_page',
  summary: 'A link that signs one browser in, once and for two minutes: for the person who runs the hub.',
  input: {},
  output: z.object({ ok, path: z.string().describe('To be opened on an address of this hub.') }),
  route: 'POST /api/open',
  status: 201,
  run: async (desk: AccessDesk) => ({ ...OK, path: `/signin?link=${await desk.createLink()}` }),
});

const createToken = change({
  ...shared,
  name: 'create_token',
  summary: 'Make an agent token. The answer is the only place where it is ever shown.',
  input: newTokenSchema.shape,
  output: z.object({
    ok,
    token: z.string().describe('The credential itself.'),
    record: agentTokenSchema,
  }),
  route: 'POST /api/tokens',
  status: 201,
  async run(desk: AccessDesk, request) {
    const { text, token } = await desk.createToken(request);
    return { ...OK, token: text, record: token };
  },
});

const listTokens = look({
  ...shared,
  name: 'list_tokens',
  summary: 'List agent tokens without their secrets.',
  input: {},
  output: z.object({ ok, tokens: z.array(agentTokenSchema) }),
  route: 'GET /api/tokens',
  run: async (view: AccessView) => ({ ...OK, tokens: await view.tokens() }),
});

const revokeToken = change({
  ...shared,
  name: 'revoke_token',
  summary: 'Revoke an agent token at once.',
  input: { id: z.string().min(1).max(100) },
  output: z.object({ ok, record: agentTokenSchema }),
  refusals: ['unauthorized', 'not_found'],
  route: 'DELETE /api/tokens/:id',
  run: async (desk: AccessDesk, { id }) => ({ ...OK, record: await desk.revokeToken(id) }),
});

export const tokenOperations = [openPage, createToken, listTokens, revokeToken] as const;

const seatSchema = z.object({
  name: z.string(),
  known: z.enum(['bound', 'automatic']),
  teamId: z.string().nullable(),
  client: z.string().describe('What it calls itself, as a short word.'),
  server: z.string(),
  pid: z.int().nullable(),
  openedAt: z.int(),
  calledAt: z.int().describe('Its last call.'),
  seenAt: z.int().describe('Its last sign of life.'),
});
export type SeatView = z.infer<typeof seatSchema>;

const listSeats = look({
  name: 'list_seats',
  summary: 'Who is here: every living connection and credential, with its name and project.',
  scope: 'hub:read',
  input: { teamId: z.string().min(1).max(200).optional() },
  output: z.object({ seats: z.array(seatSchema) }),
  route: 'GET /api/seats',
  run: async (view: SeatsView, { teamId }) => ({ seats: (await view.living(teamId)).map(present) }),
});

export const seatOperations = [listSeats] as const;

const rotateKey = work({
  ...shared,
  name: 'rotate_key',
  summary: 'Exchange the signing key: attach URLs that were signed before, and sessions, end at once.',
  effect: 'state',
  input: {},
  output: z.object({ ok, rotatedAt: z.int() }),
  refusals: ['unauthorized', 'conflict'],
  route: 'POST /api/keys/rotate',
  run: async (keys: Keys, _, { who }) => ({ ...OK, ...(await keys.rotate(who)) }),
});

const revokeUrl = work({
  ...shared,
  name: 'revoke_url',
  summary: 'Take back one signed attach URL.',
  effect: 'state',
  input: { url: z.string().min(1).max(8_192).describe('The URL, or the part behind its question mark.') },
  output: z.object({
    ok,
    id: z.string(),
    until: z.int().describe('When it would have run out by itself.'),
  }),
  route: 'POST /api/keys/revoke',
  run: async (keys: Keys, { url }, { who }) => ({ ...OK, ...(await keys.revoke(who, url)) }),
});

export const keyOperations = [rotateKey, revokeUrl] as const;

function present({ name, isBound, teamId, client, server, pid, openedAt, calledAt, seenAt }: LivingSeat) {
  const known = isBound ? ('bound' as const) : ('automatic' as const);
  return { name, known, teamId, client, server, pid, openedAt, calledAt, seenAt };
}
