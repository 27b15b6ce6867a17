import { expect, it, onTestFinished } from 'vitest';
import { SCOPES } from '../../src/features/access/scopes.ts';
import { attachOperations } from '../../src/features/attach/operations.ts';
import { hubOperations } from '../../src/features/hub/operations.ts';
import { eventsRoute } from '../../src/http/events.ts';
import { resolveConfig } from '../../src/kernel/config.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { operatorPrincipal } from '../../src/kernel/principal.ts';
import { openRooms } from '../../src/rooms.ts';
import { freshDatabase, freshFolder } from '../fixtures/databases.ts';
import { openTestHub } from '../fixtures/hub.ts';
import { openTerminal } from '../fixtures/terminal.ts';
import { standingOn } from '../fixtures/ground.ts';

it('the known scopes are those that a tool or a route asks for', async () => {
  const db = await freshDatabase('sqlite');
  const config = await resolveConfig({ flags: {}, env: {}, home: freshFolder() });
  const rooms = await openRooms({ db, config, log: silentLog, ...standingOn(db) });
  onTestFinished(() => rooms.close());
  const tools = await Promise.all(
    rooms.registry
      .all()
      .map(async ({ tools: offered }) => ('list' in offered ? offered.list(operatorPrincipal) : offered)),
  );
  const routes = [...hubOperations, eventsRoute(db.feed), ...attachOperations, ...(await rooms.routes())];
  const asked = new Set([...tools.flat(), ...routes].map(({ scope }) => scope));
  expect([...asked].sort()).toEqual([...SCOPES]);
});

it.each(['bogus:x', 'board:*', 'board', 'everything please'])(
  'a token with the scope %j is refused and the known ones are named',
  async (scope) => {
    const hub = await openTestHub();
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${hub.token}` };
    const response = await hub.fetch('/api/tokens', {
      method: 'POST',
      headers,
      body: JSON.stringify({ agent: 'ada', scopes: [scope] }),
    });
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as { error: string };
    expect(error).toContain(`scopes.0 must be one of *, ${SCOPES.join(', ')}, got "${scope}"`);
  },
);

it('the command line makes no token with an unknown scope', async () => {
  const { run } = openTerminal();
  expect(await run('token', 'create', '--agent', 'ada', '--scope', 'board:read', 'bogus:x')).toMatchObject({
    code: 2,
    out: '',
    err: expect.stringContaining('scopes must be one of *, access:admin, being:admin'),
  });
  expect((await run('token', 'list')).err).toContain('There are no agent tokens.');
});
