import { expect, test } from 'vitest';
import { localPrincipal } from '../../kernel/principal.ts';
import { createListeners } from './listeners.ts';

const agent = (id: string, seat = '') => ({ ...localPrincipal(seat), kind: 'agent' as const, id });

test('one caller cannot take the places of the others', () => {
  const listeners = createListeners({ total: 3, perCaller: 2, perSeat: 2 });
  const leave = [1, 2].map(() => listeners.enter(agent('ada')));
  expect(listeners.enter(agent('ada'))).toEqual({ limit: 2, whose: 'of this caller' });
  expect(listeners.enter(agent('bob'))).toBeTypeOf('function');
  expect(listeners.enter(agent('cleo'))).toEqual({ limit: 3, whose: 'of all callers' });
  (leave[0] as () => void)();
  expect(listeners.enter(agent('cleo'))).toBeTypeOf('function');
});

test('one connection cannot take the places of its caller', () => {
  const listeners = createListeners({ total: 9, perCaller: 9, perSeat: 1 });
  const leave = listeners.enter(agent('ada', 'stdio:1')) as () => void;
  expect(listeners.enter(agent('ada', 'stdio:1'))).toEqual({ limit: 1, whose: 'of this connection' });
  expect(listeners.enter(agent('ada', 'stdio:2'))).toBeTypeOf('function');
  leave();
  expect(listeners.enter(agent('ada', 'stdio:1'))).toBeTypeOf('function');
});
