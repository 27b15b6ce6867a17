import { describe, expect, it } from 'vitest';
import { localPrincipal, operatorPrincipal } from '../kernel/principal.ts';
import { freshDatabase } from '../../test/fixtures/databases.ts';
import { actorOf, byTool, callerOf, createActing } from './calls.ts';

const ann = localPrincipal('s1', { agent: 'ann' });
const someone = localPrincipal('s1');
const given = { ...localPrincipal('s1'), name: 'codex-2', default: { agent: 'codex-2', team: 'web' } };
const over = (who: typeof someone, agentId?: string) => callerOf({ who, via: 'tool', agentId });

describe('a caller', () => {
  it('is the bound agent, and cannot name another', () => {
    expect(over(ann)).toMatchObject({ agent: 'ann', known: 'bound' });
    expect(over(ann, 'ann').agent).toBe('ann');
    expect(() => over(ann, 'bob')).toThrow(expect.objectContaining({ code: 'forbidden' }));
  });

  it('is who it says it is when nothing is bound, and else the name it was given', () => {
    expect(over(someone, 'bob')).toMatchObject({ agent: 'bob', known: 'asserted' });
    expect(over(given, 'bob')).toMatchObject({ agent: 'bob', known: 'asserted' });
    expect(over(given)).toMatchObject({ agent: 'codex-2', known: 'automatic' });
    expect(over(someone)).toMatchObject({ agent: undefined, known: 'unnamed' });
  });

  it('is known by its seat without the seat being kept, and under a token by the token', () => {
    expect(over(someone).seat).toBe(over(ann).seat);
    expect(over(someone).seat).not.toContain('s1');
    expect(over(localPrincipal('s2')).seat).not.toBe(over(someone).seat);
    expect(over(localPrincipal('', { agent: 'ann' })).seat).not.toBeNull();
    expect(over(localPrincipal('')).seat).toBeNull();
    const token = (seat: string) => ({
      ...localPrincipal(seat, { agent: 'ann' }),
      kind: 'agent' as const,
      id: 'ann',
    });
    expect(over(token('one')).seat).toBe(over(token('two')).seat);
  });

  it('is a person only on REST, and only when it names no agent', () => {
    expect(callerOf({ who: operatorPrincipal, via: 'route' }).isPerson).toBe(true);
    expect(callerOf({ who: localPrincipal(''), via: 'route' }).isPerson).toBe(true);
    expect(callerOf({ who: operatorPrincipal, via: 'tool' }).isPerson).toBe(false);
    expect(callerOf({ who: localPrincipal(''), via: 'route', agentId: 'ann' }).isPerson).toBe(false);
    expect(callerOf({ who: ann, via: 'route' }).isPerson).toBe(false);
  });
});

describe('an actor', () => {
  it('is the credential, else the claim of the seat, else the argument, else the given name, else the principal', () => {
    expect(actorOf(over(ann), 'bob')).toEqual({ id: 'ann', asserted: false });
    expect(actorOf(over(someone, 'bob'), 'cid')).toEqual({ id: 'cid', asserted: true });
    expect(actorOf(over(someone, 'bob'))).toEqual({ id: 'bob', asserted: true });
    expect(actorOf(over({ ...someone, name: 'codex' }))).toEqual({ id: 'codex', asserted: true });
    expect(actorOf(over(someone))).toEqual({ id: 'local', asserted: false });
  });
});

describe('a change under an idempotency key', () => {
  const open = async () => {
    const acting = createActing(await freshDatabase('sqlite'));
    let runs = 0;
    const change = (who: typeof someone, name: string, args: Record<string, unknown>) =>
      acting.change(byTool(who, name, args), async () => (runs += 1));
    return { change, runs: () => runs };
  };

  it('takes effect once per caller and tool', async () => {
    const { change, runs } = await open();
    const key = { idempotencyKey: 'k' };
    expect(await change(someone, 'create_task', key)).toBe(await change(someone, 'create_task', key));
    await change(ann, 'create_task', key);
    await change(someone, 'add_comment', key);
    expect(runs()).toBe(3);
  });

  it('knows the same arguments in another order, and refuses others', async () => {
    const { change, runs } = await open();
    await change(someone, 'create_task', { idempotencyKey: 'k', a: 1, b: { c: [1, 2], d: undefined } });
    await change(someone, 'create_task', { b: { c: [1, 2] }, a: 1, idempotencyKey: 'k' });
    expect(runs()).toBe(1);
    await expect(
      change(someone, 'create_task', { idempotencyKey: 'k', a: 1, b: { c: [2, 1] } }),
    ).rejects.toThrow(/key/);
  });

  it('is one change for a caller whose given name is another after a restart', async () => {
    const { change, runs } = await open();
    await change(given, 'create_task', { idempotencyKey: 'k' });
    await change({ ...given, name: 'codex', default: { agent: 'codex' } }, 'create_task', {
      idempotencyKey: 'k',
    });
    expect(runs()).toBe(1);
  });
});
