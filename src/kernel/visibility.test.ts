import { describe, expect, it } from 'vitest';
import type { Event } from './event.ts';
import { localPrincipal, type Principal, systemPrincipal } from './principal.ts';
import { canSee } from './visibility.ts';

const event = (part: Partial<Event>): Event => ({
  seq: 1,
  at: 0,
  hub: 'h',
  actor: { id: 'a', asserted: false },
  kind: 'task.created',
  subject: 't',
  realm: 'hub',
  ...part,
});
const being = (id: string): Principal => ({
  kind: 'being',
  id,
  scopes: new Set(),
  seat: '',
  bound: { being: id },
});

describe('canSee', () => {
  it('shows a bound caller its own team and nothing else', () => {
    const bound = localPrincipal('s', { team: 'red' });
    expect(canSee(bound, event({ team: 'red' }))).toBe(true);
    expect(canSee(bound, event({ team: 'blue' }))).toBe(false);
    expect(canSee(bound, event({}))).toBe(false);
  });

  it('shows an unbound local caller every team, but no Being', () => {
    expect(canSee(localPrincipal(''), event({ team: 'blue' }))).toBe(true);
    expect(canSee(localPrincipal(''), event({ realm: 'being:ada' }))).toBe(false);
  });

  it('shows a Being its own realm alone', () => {
    expect(canSee(being('ada'), event({ realm: 'being:ada' }))).toBe(true);
    expect(canSee(being('bob'), event({ realm: 'being:ada' }))).toBe(false);
    expect(canSee(being('ada'), event({}))).toBe(false);
  });

  it('shows the hub itself everything', () => {
    expect(canSee(systemPrincipal, event({ realm: 'being:ada' }))).toBe(true);
  });
});
