import { expect, it } from 'vitest';
import { freshDatabase } from '../../../test/fixtures/databases.ts';
import { silentLog } from '../../kernel/log.ts';
import { eventsAfter } from '../../store/events.ts';
import { createRegister } from './register.ts';

it('tells the feed when a source fails and when it is back, not of every try', async () => {
  const db = await freshDatabase('sqlite');
  const register = createRegister({ db, log: silentLog });
  register.begin('hub-1');
  for (const state of ['starting', 'failing', 'starting', 'failing', 'starting', 'ready', 'failing'] as const)
    register.note('git', { state, reason: undefined, tools: 0 });
  await register.renew();
  const events = await db.read((q) => eventsAfter(q, 0, 100));
  expect(events.map(({ kind, subject }) => [kind, subject])).toEqual([
    ['source.failing', 'git'],
    ['source.ready', 'git'],
    ['source.failing', 'git'],
  ]);
});
