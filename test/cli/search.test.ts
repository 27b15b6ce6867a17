import { expect, it } from 'vitest';
import { openTerminal } from '../fixtures/terminal.ts';

type Hit = { kind: string; id: string; text: string };

it('finds the same words in tasks, memory, brain and rooms', async () => {
  const { run, json } = openTerminal();
  const task = await json<{ id: string }>('board', 'add', 'Tar the keel');
  await run('memory', 'save', 'Keel wood', 'The keel is of oak');
  await run('brain', 'store', 'keel', 'The keel was laid in May', '--category', 'projects');
  await run('chat', 'post', 'team:yard', 'who has the keel plan?');
  await run('chat', 'post', 'team:yard', 'nothing to see');
  const { hits } = await json<{ hits: Hit[] }>('search', 'keel');
  expect(hits.map(({ kind }) => kind).toSorted()).toEqual(['brain', 'memory', 'room', 'task']);
  expect(hits.find(({ kind }) => kind === 'room')).toMatchObject({ id: 'team:yard#1' });
  expect((await run('search', 'tar', 'keel')).out).toContain(`task    ${task.id.slice(-8)}`);
  expect((await run('search', 'xylophone')).err).toBe('Nothing was found.');
});

it('finds what was archived, and in the rooms of this project alone unless all are asked for', async () => {
  const { run, json } = openTerminal();
  const { id } = await json<{ id: string }>('board', 'add', 'Tar the keel', '--team', 'yard');
  await run('board', 'cancel', id);
  await run('board', 'archive', id);
  for (const team of ['yard', 'dock'])
    await run('chat', 'post', `team:${team}`, 'who has the keel plan?', '--new');
  const find = async (...more: string[]) => {
    const { hits } = await json<{ hits: Hit[] }>('search', 'keel', ...more);
    return hits.map(({ kind, id: at, text }) => (kind === 'task' ? text : at.split('#')[0]));
  };
  const task = 'Tar the keel (cancelled, archived)';
  expect(await find('--team', 'yard')).toEqual([task, 'team:yard']);
  expect(await find('--all')).toEqual([task, 'team:dock', 'team:yard']);
  for (const limit of ['0', '101', 'many'])
    expect((await run('search', 'keel', '--limit', limit)).code).toBe(2);
});

it('adds up what was finished, for whom and at what cost', async () => {
  const { run, json } = openTerminal();
  for (const title of ['keel', 'mast']) {
    const { id } = await json<{ id: string }>('board', 'add', title, '--team', 'yard');
    await run('board', 'edit', id, '--cost', '1.25');
    await run('board', 'claim', id, '--as', 'ada');
    await run('board', 'done', id, '--as', 'ada');
  }
  expect(await json<object>('stats')).toMatchObject({
    done: 2,
    cancelled: 0,
    costUsd: 2.5,
    byAgent: [{ name: 'ada', done: 2, costUsd: 2.5 }],
    byTeam: [{ name: 'yard', done: 2, costUsd: 2.5 }],
    waiting: { decided: 0, medianMs: null },
  });
  const { out } = await run('stats', '--since', '1d');
  expect(out).toContain('cost       $2.5\npeople     no call waited for a decision');
  expect(out).toMatch(/PROJECT {2}DONE {2}COST\nyard {5}2 {5}\$2\.5/);
  expect((await run('stats', '--since', 'soon')).code).toBe(2);
});

it('finds what people wrote in comments, mail and rooms, the narrator last, by one query language', async () => {
  const { run, json } = openTerminal();
  const { id } = await json<{ id: string }>('board', 'add', 'Mend the hull', '--team', 'yard', '--new');
  await run('board', 'comment', id, 'The keel plan is in the loft');
  await run('board', 'check', id, 'keel is straight');
  await run('chat', 'post', 'team:yard', 'who has the hull?');
  const find = async (...query: string[]) => {
    const { hits } = await json<{ hits: Hit[] }>('search', ...query, '--all');
    return hits.map(({ kind }) => kind);
  };
  expect((await find('keel')).toSorted()).toEqual(['check', 'comment']);
  expect(await find('keel', 'kind:check')).toEqual(['check']);
  // A task that has the word anywhere is left out whole, with all that was said about it.
  expect(await find('keel', '-straight')).toEqual([]);
  expect((await find('keel', '-mast')).toSorted()).toEqual(['check', 'comment']);
  expect(await find('"plan is"', 'status:todo', 'has:comment')).toEqual(['comment']);
  expect(await find('plan is', 'status:todo')).toEqual(['comment']);
  expect(await find('keel', 'status:done')).toEqual([]);
  expect(await find(id.slice(-8), 'kind:task')).toEqual(['task']);
  expect(await find('hull', 'project:yard', 'kind:room')).toEqual(['room']);
  expect(await find('https://example.org/a?b=c')).toEqual([]);
  for (const words of [['hull', '-keel'], ['-keel'], ['"mend the"', '-hull']])
    expect((await run('board', 'list', '--all', ...words)).err, words.join(' ')).toBe('No task matches.');
  await run('board', 'label', id, '--add', 'roof');
  expect((await run('board', 'list', '--all', '-mast', 'label:roof')).out).toContain('Mend the hull');
  const odd = await run('board', 'list', '--raedy');
  expect(odd.err).toBe("holdfast: unknown option '--raedy'\n  Did you mean --ready?");
  expect((await run('search', 'stauts:todo')).err).toContain('Did you mean status:todo?');
});

it('leaves out what has -word where facts and memories are asked for in plain words, and counts what is left', async () => {
  const { run, json } = openTerminal();
  for (const [name, says] of [
    ['oak', 'The keel is of oak'],
    ['elm', 'The keel was of elm'],
  ] as const) {
    await run('memory', 'save', `Keel of ${name}`, says);
    await run('brain', 'store', `keel-${name}`, says, '--category', 'projects');
  }
  for (const [room, field] of [
    ['memory', 'content'],
    ['brain', 'snippet'],
  ] as const) {
    const asked = [room, 'search', 'keel', '-oak', '--limit', '1'];
    const { results } = await json<{ results: Record<string, string>[] }>(...asked);
    expect(results.map((hit) => hit[field])).toEqual(['The keel was of elm']);
    expect((await run(room, 'search', 'keel', '--oak')).err).toContain("unknown option '--oak'");
  }
  const { hits } = await json<{ hits: Hit[] }>('search', 'keel', '-elm', '--limit', '1');
  expect(hits.map(({ text }) => text)).toEqual(['Keel of oak: The keel is of oak', 'The keel is of oak']);
});
