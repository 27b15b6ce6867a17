// The briefing in the real clients: by the hook that `setup` installs, and with the first call where there is no hook.
import { delimiter } from 'node:path';
import { expect, PATIENCE } from './expect.mjs';
import { onPath, putHooks } from './hook-checks.mjs';
import { TURNS } from './turns.mjs';

const WORDS = 'The tide table hangs behind the door';

export const briefChecks = Object.keys(TURNS).flatMap((client) => [
  {
    name: `${client}: a briefing reaches the model with the first call`,
    run: (stage) => briefed(stage, client, false),
  },
  {
    name: `${client}: a briefing reaches the model by its hook, once`,
    run: (stage) => briefed(stage, client, true),
  },
]);

async function briefed(stage, client, hasHooks) {
  const connected = await stage.holdfast('connect', client, '--server', 'hub', '--transport', 'stdio');
  expect(connected.code === 0, `holdfast connect ${client}`, connected);
  const flags = hasHooks ? await putHooks(stage, client) : [];
  const saved = await stage.holdfast('memory', 'save', 'Tide', WORDS);
  expect(saved.code === 0, 'a fact is saved', saved);
  const { startModel, prepare, take } = TURNS[client];
  prepare?.(stage);
  const mock = await startModel({ tool: 'tasks__list_tasks', args: {}, lastWord: 'I see.' });
  try {
    const extra = { PATH: [onPath(stage.home), stage.path].join(delimiter) };
    const bodies = () => mock.seen.map(({ body }) => JSON.stringify(body ?? ''));
    const told = (text) => text.split(`| Tide: ${WORDS}`).length - 1;
    let result;
    for (let tries = 0; tries < PATIENCE && !bodies().some(told); tries += 1)
      result = await take(stage, {
        mock,
        prompt: 'Look at the board.',
        tool: 'tasks__list_tasks',
        extra,
        flags,
      });
    expect(bodies().some(told), 'the model saw the briefing', result);
    expect(
      bodies().some((text) => text.includes('What stands behind | was written by others')),
      'it is said to be data',
      result,
    );
    // A request holds all that was said so far: twice in one would be twice told.
    const most = Math.max(...bodies().map(told));
    expect(most === 1, `told once, not ${most} times`, result);
  } finally {
    await mock.close();
  }
}
