import { describe, expect, it } from 'vitest';
import { displayWidth } from '../../src/cli/terminal/table.ts';
import { startHub } from '../fixtures/hub-process.ts';
import { openTerminal } from '../fixtures/terminal.ts';

type Task = {
  id: string;
  title: string;
  status: string;
  fence: number | null;
  assigneeAgentId: string | null;
};

describe('holdfast board', () => {
  it('takes a task from the terminal to done', async () => {
    const { run, json } = openTerminal();
    const added = await json<Task>('board', 'add', 'Write the guide', '--priority', '5', '--team', 'red');
    const short = added.id.slice(-8);
    expect((await run('board', 'list')).out).toMatch(
      new RegExp(`${short}  todo    5    Write the guide          red      \\ds`),
    );
    const claimed = await json<Task>('board', 'claim', short, '--as', 'ada');
    expect(claimed).toMatchObject({ status: 'in_progress', assigneeAgentId: 'ada', fence: 1 });
    expect((await run('board', 'comment', short, 'half way', '--as', 'ada')).code).toBe(0);
    expect((await run('board', 'done', short, '--as', 'ada')).out).toBe(`${short} is done: Write the guide`);
    const shown = (await run('board', 'show', short)).out;
    expect(shown).toContain(`  id        ${added.id}`);
    expect(shown).toMatch(/ada, \d+s ago: half way/);
  });

  it('claims the most urgent ready task when none is named', async () => {
    const { run, json } = openTerminal();
    const first = await json<Task>('board', 'add', 'first', '--priority', '9');
    await json<Task>('board', 'add', 'second', '--priority', '10', '--after', first.id);
    expect((await json<Task>('board', 'claim', '--as', 'ada')).title).toBe('first');
    expect(await run('board', 'claim', '--as', 'bob')).toMatchObject({
      code: 3,
      err: expect.stringContaining('Nothing is ready to be claimed.'),
    });
  });

  it('names what a task waits for when it cannot be claimed yet', async () => {
    const { run, json } = openTerminal();
    const first = await json<Task>('board', 'add', 'Lay the keel');
    await run('board', 'add', 'Paint the keel');
    const ship = await json<Task>('board', 'add', 'Launch', '--after', first.id);
    const refused = await run('board', 'claim', ship.id, '--as', 'ada');
    expect([refused.code, refused.err]).toEqual([
      4,
      expect.stringContaining(`  ${first.id.slice(-8)}  todo  Lay the keel\n`),
    ]);
    expect(refused.err).not.toContain('Paint');
  });

  it('adds nothing when what it should come after is not there', async () => {
    const { run, json } = openTerminal();
    expect(await run('board', 'add', 'Launch', '--after', 'ffffffff')).toMatchObject({
      code: 3,
      err: expect.stringContaining('not found: ffffffff'),
    });
    expect((await json<{ tasks: Task[] }>('board', 'list')).tasks).toEqual([]);
  });

  it('names the checks that keep a task from being done, and lets a person override them', async () => {
    const terminal = openTerminal();
    const { address } = await startHub(terminal.env);
    const { id } = await terminal.json<Task>('board', 'add', 'Ship it');
    await terminal.run('board', 'claim', id, '--as', 'ada');
    await fetch(`${address}/api/board/tasks/${id}/checks`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ title: 'The tests pass' }),
    });
    const refused = await terminal.run('board', 'done', id, '--as', 'ada');
    expect([refused.code, refused.err]).toEqual([
      4,
      expect.stringContaining('since the last change for:\n    The tests pass\n'),
    ]);
    expect((await terminal.run('board', 'done', id, '--override', 'ran them by hand')).code).toBe(0);
  });

  it('answers through a live hub as well as without one', async () => {
    const terminal = openTerminal();
    await terminal.run('board', 'add', 'before');
    await startHub(terminal.env);
    await terminal.run('board', 'add', 'beside');
    expect((await terminal.json<{ tasks: Task[] }>('board', 'list')).tasks.map(({ title }) => title)).toEqual(
      ['before', 'beside'],
    );
  });

  it.each([
    [['board', 'show', 'ffffffff'], 3, 'not found: ffffffff'],
    [['board', 'claim', 'ffffffff', '--as', 'ada'], 3, 'not found: ffffffff'],
    [['board', 'list', '--limit', '-1'], 2, 'limit must be'],
    [['board', 'list', '--limit', '1e9'], 2, 'limit must be'],
    [['board', 'list', '--status', 'asleep'], 2, 'status must be one of'],
    [['board', 'list', '--cursor', 'tampered'], 2, 'cursor'],
    [['board', 'add', ''], 2, 'title'],
    [['board', 'add', 'x', '--priority', '1e30'], 2, '--priority must be a whole number; got "1e30".'],
    [['board', 'add', 'x', '--priority', '999999999'], 2, 'priority must be'],
    [['board', 'claim'], 2, "required option '--as <agent>' not specified"],
    [['board', 'fly'], 2, "unknown command 'fly'"],
  ])('%j ends with exit code %i', async (args, code, message) => {
    const answer = await openTerminal().run(...args);
    expect([answer.code, answer.out]).toEqual([code, '']);
    expect(answer.err).toContain(message);
  });

  it('refuses with JSON when asked for JSON, and with the code of a conflict', async () => {
    const { run, json } = openTerminal();
    const { id } = await json<Task>('board', 'add', 'wanted');
    await run('board', 'claim', id, '--as', 'ada');
    const refused = await run('board', 'claim', id, '--as', 'bob', '--json');
    expect(refused.code).toBe(4);
    expect(JSON.parse(refused.out)).toMatchObject({
      code: 'conflict',
      error: expect.stringContaining('claim failed: conflict'),
    });
  });

  it('says when the end of an id is not enough', async () => {
    const { run } = openTerminal();
    for (let i = 0; i < 40; i += 1) await run('board', 'add', `task ${i}`);
    expect(await run('board', 'show', '')).toMatchObject({
      code: 2,
      err: expect.stringContaining('40 tasks end with'),
    });
  });

  it('fits its table to the terminal and lets no title steer it', async () => {
    const { run } = openTerminal(60);
    await run(
      'board',
      'add',
      `\u001b[2J${'a very long title '.repeat(10)}`,
      '--team',
      'a-team-with-a-long-name',
    );
    const { out } = await run('board', 'list');
    for (const line of out.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(60);
    expect(out).not.toContain('\u001b');
  });

  it('watch tells what happens until it is interrupted', async () => {
    const terminal = openTerminal();
    await startHub(terminal.env);
    const watching = terminal.start('board', 'watch', '--since', '0');
    const { id } = await terminal.json<Task>('board', 'add', 'seen');
    await terminal.run('board', 'claim', id, '--as', 'ada');
    await expect.poll(() => watching.lines.join('\n')).toMatch(/task\.created .*\n(.*\n)*.*task\.claimed /);
    expect(await watching.interrupt()).toMatchObject({ code: 0 });
  });

  it('watch says so when the hub ends, and ends with it', async () => {
    const terminal = openTerminal();
    const hub = await startHub(terminal.env);
    const watching = terminal.start('board', 'watch', '--since', '0');
    await terminal.run('board', 'add', 'seen');
    await expect.poll(() => watching.lines.join('\n')).toContain('task.created');
    await hub.stop('SIGKILL');
    expect(await watching.ended()).toMatchObject({
      code: 6,
      err: expect.stringContaining('The hub ended the connection.'),
    });
  });
});
