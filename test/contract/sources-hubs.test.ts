import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { createHub } from '../../src/app.ts';
import { createPins } from '../../src/features/sources/review/pins.ts';
import { createRegister } from '../../src/features/sources/register.ts';
import { resolveConfig } from '../../src/kernel/config.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { operatorPrincipal } from '../../src/kernel/principal.ts';
import { byRoute, createActing } from '../../src/store/calls.ts';
import { eachEngine, freshFolder, freshPlace } from '../fixtures/databases.ts';
import { faulty } from '../fixtures/sources.ts';

const tool = (description: string) => ({ name: 'a', description, inputSchema: { type: 'object' } });

eachEngine('what hubs share about sources', (engine) => {
  it('definitions that one hub has seen and a person approved count for the other', async () => {
    const place = await freshPlace(engine);
    const [one, other] = [await place.open(), await place.open()];
    const [here, there] = [createPins(one), createPins(other)];
    expect((await here.sync('s', 'pinned', [tool('First.')])).get('a')?.standing).toBe('trusted');
    expect((await there.sync('s', 'pinned', [tool('First.')])).get('a')?.standing).toBe('trusted');
    expect((await there.sync('s', 'pinned', [tool('Second.')])).get('a')?.standing).toBe('quarantined');
    expect((await there.sync('s', 'ask', [tool('Second.')])).get('a')?.standing).toBe('asks');
    expect((await there.sync('s', 'all', [tool('Second.')])).get('a')?.standing).toBe('trusted');
    const call = byRoute(operatorPrincipal, 'approve');
    await createActing(one).change(call, (tx, caller) =>
      here.approve(tx, caller, { source: 's', tools: [] }),
    );
    expect((await there.sync('s', 'pinned', [tool('Second.')])).get('a')?.standing).toBe('trusted');
    expect((await here.sync('s', 'pinned', [tool('First.')])).get('a')?.standing).toBe('quarantined');
    await there.used({ source: 's', tool: 'a', hash: 'another hash', by: 'nobody' });
    expect((await there.sync('s', 'pinned', [tool('First.')])).get('a')?.standing).toBe('quarantined');
  });

  it('the register shows what each of them runs, for as long as it lives', async () => {
    const place = await freshPlace(engine);
    const [one, other] = [
      createRegister({ db: await place.open(), log: silentLog }),
      createRegister({ db: await place.open(), log: silentLog }),
    ];
    one.begin('hub-1');
    other.begin('hub-2');
    one.note('s', { state: 'ready', reason: undefined, tools: 3 });
    other.note('s', { state: 'failing', reason: 'gone', tools: 0 });
    await Promise.all([one.renew(), other.renew()]);
    expect(await one.read()).toMatchObject([
      { hub: 'hub-1', source: 's', state: 'ready', tools: 3 },
      { hub: 'hub-2', source: 's', state: 'failing', reason: 'gone' },
    ]);
    await other.close();
    expect(await one.read()).toMatchObject([{ hub: 'hub-1' }]);
  });
});

it('two hubs on one database run their own programs', { timeout: 60_000 }, async () => {
  const place = await freshPlace('postgres');
  const open = async () => {
    const home = freshFolder();
    writeFileSync(
      join(home, 'config.yaml'),
      stringify({ sources: { one: { command: faulty('good'), trust: 'all' } } }),
    );
    const flags = { '--port': '0', '--no-auth': 'true', '--database': place.location };
    const config = await resolveConfig({ flags, env: { HOLDFAST_DATABASE_SCHEMA: place.schema }, home });
    const hub = await createHub(config, 'public', silentLog);
    onTestFinished(() => hub.close());
    return hub;
  };
  const hubs = [await open(), await open()];
  const list = async (at: string) =>
    (await (await fetch(`${at}/api/sources`)).json()) as {
      sources: { state: string }[];
      hubs: { hub: string; state: string }[];
    };
  for (const { address } of hubs)
    await expect.poll(async () => (await list(address)).sources[0]?.state, { timeout: 20_000 }).toBe('ready');
  await expect
    .poll(async () => (await list(hubs[0]!.address)).hubs.map(({ state }) => state), { timeout: 10_000 })
    .toEqual(['ready', 'ready']);
  const { hubs: shown } = await list(hubs[1]!.address);
  expect(shown.map(({ hub }) => hub).toSorted()).toEqual(hubs.map(({ id }) => id).toSorted());
});
