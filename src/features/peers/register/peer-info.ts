import { z } from 'zod';
import { blankable, metadata, pane } from '../inputs.ts';
import type { Peer } from '../peer.ts';
import type { PeerRegistration } from './register.ts';
import { STATUSES } from '../words.ts';

/**
 * A peer in the words of the clients that `/peers` is for. What the register has no column for is kept in its
 * metadata.
 */
const ROLES = ['agent', 'service', 'orchestrator', 'human'] as const;
const TURN_STATES = ['idle', 'working', 'awaiting_input', 'pending_first_turn'] as const;

export const peerInfoSchema = z.object({
  peer_id: z.string(),
  name: z.string(),
  display_name: z.string(),
  path: z.string().nullable(),
  machine: z.string().nullable(),
  tmux_session: z.string().nullable(),
  backend: z.string(),
  circle: z.string(),
  role: z.enum(ROLES),
  status: z.enum(STATUSES),
  turn_state: z.enum(TURN_STATES).nullable(),
  last_seen: z.iso.datetime(),
  metadata: z.record(z.string(), z.string()),
  description: z.string(),
});
export type PeerInfo = z.infer<typeof peerInfoSchema>;

export function toPeerInfo(peer: Peer): PeerInfo {
  const { machine, tmux_session, turn_state, role, description, ...rest } = peer.metadata ?? {};
  return {
    peer_id: peer.peer_id,
    name: peer.display_name,
    display_name: peer.display_name,
    path: peer.path ?? null,
    machine: machine ?? null,
    tmux_session: tmux_session ?? null,
    backend: peer.backend,
    circle: peer.circle,
    role: oneOf(ROLES, role) ?? peer.role,
    status: peer.status,
    turn_state: peer.status === 'busy' ? 'working' : (oneOf(TURN_STATES, turn_state) ?? null),
    last_seen: peer.last_seen,
    metadata: rest,
    description: description ?? '',
  };
}

/** Metadata is whatever somebody registered: a word that is none of ours says nothing. */
function oneOf<T extends string>(known: readonly T[], word: string | undefined): T | undefined {
  return known.find((each) => each === word);
}

/** These belong to no circle: whoever lists one sees them, too. */
export function isBeyondCircles({ role }: PeerInfo): boolean {
  return role !== 'agent';
}

const word = () => blankable(200).nullish();
const number = () =>
  z
    .int()
    .min(0)
    .max(2 ** 31)
    .nullish();

export const newPeerSchema = z.looseObject({
  name: z
    .string()
    .max(200)
    .regex(/^[A-Za-z0-9._-]+$/, 'must be letters, digits, dots, dashes or underscores'),
  path: blankable(4096).nullish(),
  machine: word(),
  tmux_session: word(),
  pane_id: pane.nullish(),
  backend: blankable(200).optional().describe('unknown unless given.'),
  circle: word(),
  role: z.enum(ROLES).nullish(),
  turn_state: z.enum(TURN_STATES).nullish(),
  agent_pid: number(),
  parent_pid: number(),
  metadata: z.record(z.string(), z.unknown()).transform(toTexts).pipe(metadata).nullish(),
});

export function toRegistration(given: z.output<typeof newPeerSchema>): PeerRegistration {
  const { machine, tmux_session, turn_state, role } = given;
  const kept = { machine, tmux_session, turn_state, role, parent_pid: given.parent_pid?.toString() };
  return {
    displayName: given.name,
    backend: given.backend ?? 'unknown',
    path: given.path ?? undefined,
    circle: given.circle ?? undefined,
    role: role === 'orchestrator' ? role : undefined,
    tmuxPane: given.pane_id ?? undefined,
    pid: given.agent_pid ?? undefined,
    metadata: { ...given.metadata, ...toTexts(kept) },
  };
}

function toTexts(map: Readonly<Record<string, unknown>>): Record<string, string> {
  const known = Object.entries(map).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(
    known.map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}
