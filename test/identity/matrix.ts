/** Who may do what with a task that somebody holds: one table for every way in. `ok` succeeds; all else is the refusal. */
export const OPERATIONS = [
  'claim',
  'claim-next',
  'assign',
  'finish',
  'cancel',
  'release',
  'block',
  'unblock',
  'verdict',
  'evidence',
  'heartbeat',
  'comment',
  'link',
] as const;
export type Operation = (typeof OPERATIONS)[number];

export const ACTORS = ['self', 'other', 'nobody', 'person'] as const;
export type Actor = (typeof ACTORS)[number];

export type Expected = 'ok' | 'nothing' | 'conflict' | 'not_holder' | 'claim_required';

/** Where the holder came over a connection or with a credential. */
const HELD: Readonly<Record<Operation, Readonly<Record<Actor, Expected>>>> = {
  claim: { self: 'conflict', other: 'conflict', nobody: 'conflict', person: 'conflict' },
  'claim-next': { self: 'nothing', other: 'nothing', nobody: 'nothing', person: 'nothing' },
  assign: { self: 'conflict', other: 'conflict', nobody: 'conflict', person: 'conflict' },
  finish: { self: 'ok', other: 'not_holder', nobody: 'not_holder', person: 'ok' },
  cancel: { self: 'ok', other: 'not_holder', nobody: 'not_holder', person: 'ok' },
  release: { self: 'ok', other: 'not_holder', nobody: 'not_holder', person: 'ok' },
  block: { self: 'ok', other: 'not_holder', nobody: 'not_holder', person: 'ok' },
  unblock: { self: 'ok', other: 'ok', nobody: 'ok', person: 'ok' },
  verdict: { self: 'ok', other: 'ok', nobody: 'ok', person: 'ok' },
  evidence: { self: 'ok', other: 'not_holder', nobody: 'not_holder', person: 'ok' },
  heartbeat: { self: 'ok', other: 'not_holder', nobody: 'not_holder', person: 'claim_required' },
  comment: { self: 'ok', other: 'ok', nobody: 'ok', person: 'ok' },
  link: { self: 'ok', other: 'ok', nobody: 'ok', person: 'ok' },
};

/** A name alone holds it: then who has neither name nor connection cannot be told from the holder, as documented. */
const HELD_BY_NAME: Partial<Record<Operation, Partial<Record<Actor, Expected>>>> = {
  finish: { nobody: 'ok' },
  cancel: { nobody: 'ok' },
  release: { nobody: 'ok' },
  block: { nobody: 'ok' },
  evidence: { nobody: 'ok' },
  heartbeat: { nobody: 'claim_required' },
};

export function expectedOf(operation: Operation, actor: Actor, isHeldByName: boolean): Expected {
  return (isHeldByName ? HELD_BY_NAME[operation]?.[actor] : undefined) ?? HELD[operation][actor];
}
