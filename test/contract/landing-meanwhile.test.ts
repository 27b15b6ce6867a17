// What changes while something is tested: the definition itself, and who works on the queue.
import { expect, it } from 'vitest';
import { openAt } from '../fixtures/dispatch-hub.ts';
import { gatedCheck, landingHub } from '../fixtures/landing-hub.ts';

const LONG = { timeout: 60_000 };

it(
  'a definition that changes while a check runs judges anew what was tested by the one before',
  LONG,
  async () => {
    const { checks, open } = gatedCheck();
    const { land, branch, until, repository, tip } = await landingHub('sqlite', { checks });
    const { id } = await land(await branch('good', { 'good.txt': '' }));
    await until(id, 'testing');
    repository.commit(
      '.holdfast/checks.yaml',
      'version: 1\nchecks:\n  unit: { run: "! ls | grep -q ^good" }\n',
    );
    const byHand = tip();
    open();
    expect(await until(id, 'failed')).toMatchObject({ why: 'unit failed (exit 1)' });
    expect(tip()).toBe(byHand);
  },
);

it('two hubs on one project land everything once', LONG, async () => {
  const at = await landingHub('postgres');
  const settings = { sandbox: 'off', land: { '*': { unconfined: true } } };
  const other = await openAt(at.hub.place, at.hub.home, {}, settings);
  const ids: string[] = [];
  for (const name of ['one', 'two', 'three', 'four']) {
    const task = await at.branch(name, { [`${name}.txt`]: '' });
    const asking = ids.length % 2 === 0 ? at.hub : other;
    const body = { taskId: task, folder: at.repository.path };
    ids.push((await asking.ask('POST', '/api/landings', body)).body.id);
  }
  for (const { state } of await at.wait(...ids)) expect(state).toBe('landed');
  const said = at.repository.git('log', '--format=%(trailers:key=Holdfast-Task,valueonly)', 'main');
  expect(said.split('\n').filter(Boolean)).toHaveLength(4);
});
