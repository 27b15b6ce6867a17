import { describe, expect, it } from 'vitest';
import { localPrincipal } from '../../kernel/principal.ts';
import { actorOf, identify, onceOf } from './identity.ts';

const ann = localPrincipal('s1', { agent: 'ann' });
const someone = localPrincipal('s1');

describe('a caller', () => {
  it('is the bound agent, and cannot name another', () => {
    expect(identify(ann)).toMatchObject({ agent: 'ann', asserted: false });
    expect(identify(ann, { agentId: 'ann' }).agent).toBe('ann');
    expect(() => identify(ann, { agentId: 'bob' })).toThrow(expect.objectContaining({ code: 'forbidden' }));
  });

  it('is who it says it is when nothing is bound, marked as asserted', () => {
    expect(identify(someone, { agentId: 'bob', fence: 3 })).toMatchObject({ agent: 'bob', asserted: true, fence: 3 });
    expect(identify(someone).agent).toBeUndefined();
  });

  it('is known by its seat without the seat being kept', () => {
    expect(identify(someone).seat).toBe(identify(ann).seat);
    expect(identify(someone).seat).not.toContain('s1');
    expect(identify(localPrincipal('s2')).seat).not.toBe(identify(someone).seat);
  });

  it('without a seat is known by its credential, or not at all', () => {
    expect(identify(localPrincipal('', { agent: 'ann' })).seat).toBe(identify(localPrincipal('', { agent: 'ann' })).seat);
    expect(identify(localPrincipal('', { agent: 'ann' })).seat).not.toBe(identify(localPrincipal('', { agent: 'bob' })).seat);
    expect(identify(localPrincipal('')).seat).toBeNull();
  });
});

describe('an actor', () => {
  it('is the credential, else the claim of the seat, else the argument, else the principal', () => {
    expect(actorOf(identify(ann), 'bob')).toEqual({ id: 'ann', asserted: false });
    expect(actorOf(identify(someone, { agentId: 'bob' }), 'cid')).toEqual({ id: 'cid', asserted: true });
    expect(actorOf(identify(someone, { agentId: 'bob' }))).toEqual({ id: 'bob', asserted: true });
    expect(actorOf(identify(someone))).toEqual({ id: 'local', asserted: false });
  });
});

describe('an idempotency key', () => {
  const once = (args: Record<string, unknown>, who = someone, tool = 'create_task') => onceOf(identify(who), tool, args);

  it('is optional', () => {
    expect(once({ title: 'a' })).toBeUndefined();
  });

  it('belongs to one principal and one tool', () => {
    const key = once({ idempotencyKey: 'k' })!.key;
    expect(once({ idempotencyKey: 'k' })!.key).toBe(key);
    expect(once({ idempotencyKey: 'k' }, ann)!.key).not.toBe(key);
    expect(once({ idempotencyKey: 'k' }, someone, 'add_comment')!.key).not.toBe(key);
  });

  it('knows the same arguments in another order, and others', () => {
    const hash = once({ idempotencyKey: 'k', a: 1, b: { c: [1, 2], d: undefined } })!.hash;
    expect(once({ b: { c: [1, 2] }, a: 1, idempotencyKey: 'k' })!.hash).toBe(hash);
    expect(once({ idempotencyKey: 'k', a: 1, b: { c: [2, 1] } })!.hash).not.toBe(hash);
  });
});
