import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emptyPlace, freshFolder } from '../fixtures/databases.ts';
import { freshHome, runHoldfast, startHub } from '../fixtures/hub-process.ts';
import { newRepositoryWithCommit } from '../fixtures/repositories.ts';
import { openTerminal } from '../fixtures/terminal.ts';

type Task = { id: string; title: string; status: string; teamId: string | null; description: string | null };
type Listed = { tasks: (Task & { waitsFor?: string[] })[]; total: number };

/** A person at a terminal beside a running hub, with the published command. */
async function sitDown(more: NodeJS.ProcessEnv = {}) {
  const env = { ...freshHome(), ...more };
  await startHub(env);
  const cwd = newRepositoryWithCommit(join(freshFolder(), 'yard'));
  const type = (line: readonly string[], input = '', at = cwd) => runHoldfast(env, line, input, at);
  const json = <T>(...line: string[]): T => JSON.parse(type([...line, '--json']).out) as T;
  const add = (title: string, ...options: string[]) =>
    json<Task>('board', 'add', title, ...options).id.slice(-8);
  const statuses = () =>
    Object.fromEntries(
      json<Listed>('board', 'list', '--any').tasks.map(({ title, status }) => [title, status]),
    );
  return { env, cwd, type, json, add, statuses };
}

describe('a person’s day at the board', () => {
  it('finishes many by id in one line, also what nobody has begun, and takes the whole line back', async () => {
    const { type, add, statuses } = await sitDown();
    const [keel, mast, sail] = ['keel', 'mast', 'sail'].map((title) => add(title));
    const done = type(['board', 'done', keel!, mast!, sail!]);
    expect(done.out).toBe(`${keel} is done: keel\n${mast} is done: mast\n${sail} is done: sail\n`);
    expect(statuses()).toEqual({ keel: 'done', mast: 'done', sail: 'done' });
    const list = type(['undo', '--list']).out.split('\n');
    expect(list[0]).toMatch(/^WHEN +WHAT +PROJECT +TASKS$/);
    expect(list[1]).toMatch(/ finish +yard +\w{8} \w+ and 2 more$/);
    const refused = type(['undo'], 'n\n');
    expect(refused.out).toMatch(/^Take back your finish of 3 tasks in yard, .*\? \[Y\/n\]\n$/);
    expect(refused.err).toContain('Nothing was taken back.');
    expect(statuses()).toMatchObject({ keel: 'done' });
    const undone = type(['undo'], '\n');
    expect(undone.out).toContain('todo again: keel (yard)');
    expect(statuses()).toEqual({ keel: 'todo', mast: 'todo', sail: 'todo' });
    expect(type(['undo']).out).toContain('off the board again: sail (yard)');
    expect(type(['undo', '--json']).code).toBe(0);
  });

  it('still keeps agents to their claims', async () => {
    const { type, add } = await sitDown();
    const keel = add('keel', '--check', 'straight');
    expect(type(['board', 'done', keel]).err).toContain('No passing evidence since the last change for:');
    type(['board', 'claim', keel, '--as', 'ada']);
    expect(type(['board', 'done', keel, '--as', 'bob']).code).toBe(4);
    expect(type(['board', 'done', keel, '--override', 'I looked']).out).toBe(`${keel} is done: keel\n`);
    type(['board', 'reopen', keel]);
    expect(type(['board', 'cancel', keel]).code).toBe(0);
    expect(type(['board', 'done', keel]).err).toContain('illegal_transition');
  });

  it('names verb and number before it changes many, and takes a line end for no where it destroys', async () => {
    const { type, add, statuses } = await sitDown();
    for (const title of ['keel', 'mast']) add(title, '--label', 'old');
    add('sail');
    const asked = (...line: string[]) => type(['board', ...line, '--where', 'label:old'], '\n');
    expect(asked('cancel').out).toBe('Cancel 2 tasks? [y/N]\n');
    expect(asked('drop').out).toBe('Drop 2 tasks? [y/N]\n');
    expect(statuses()).toEqual({ keel: 'todo', mast: 'todo', sail: 'todo' });
    expect(asked('move', '--to', 'backlog').out).toMatch(/^Move 2 tasks to backlog\? \[Y\/n\]\n/);
    expect(asked('done').out).toMatch(/^Finish 2 tasks\? \[Y\/n\]\n/);
    expect(statuses()).toEqual({ keel: 'done', mast: 'done', sail: 'todo' });
    expect(type(['undo', '--json'])).toMatchObject({ code: 2, out: expect.stringContaining('say --yes') });
    expect(type(['undo', '--yes']).out.split('\n')).toHaveLength(3);
    expect(statuses()).toEqual({ keel: 'backlog', mast: 'backlog', sail: 'todo' });
  });

  it('undoes what it can of a command, and says what stays', async () => {
    const { type, add, statuses } = await sitDown();
    const [keel, mast] = ['keel', 'mast'].map((title) => add(title));
    type(['board', 'cancel', keel!, mast!]);
    type(['board', 'reopen', mast!]);
    type(['board', 'claim', mast!, '--as', 'ada']);
    expect(type(['undo']).err).toContain('ada has claimed it since');
    const undone = type(['undo', '--yes']);
    expect([undone.out, undone.err]).toEqual([
      expect.stringContaining('todo again: keel'),
      `${mast} stays as it is: ada has claimed it since.\n`,
    ]);
    expect(statuses()).toEqual({ keel: 'todo', mast: 'in_progress' });
  });

  it('takes all that a new task says in one line, whole or not at all', async () => {
    const { type, json, add } = await sitDown();
    const first = add('first');
    const added = type(
      `board add keel --label wood --assignee ada --check straight --after ${first} --due 2030-01-02 --body -`.split(
        ' ',
      ),
      'Of oak,\nseasoned.\n',
    );
    // What waits for something cannot be given to anybody yet.
    expect(added.code).toBe(4);
    expect(json<Listed>('board', 'list').total).toBe(1);
    const id = type(
      `board add keel --label wood --check straight --after ${first} --body -`.split(' '),
      'Of oak,\nseasoned.\n',
    ).out.slice(0, 8);
    const shown = type(['board', 'show', id]).out;
    for (const line of [
      'labels    wood',
      '  Of oak,\n  seasoned.',
      'missing straight',
      `${first} todo first`,
    ])
      expect(shown).toContain(line);
    expect(type(['board']).out).toMatch(new RegExp(`keel +${first} +yard`));
    type(['undo']);
    expect(json<Listed>('board', 'list').tasks.map(({ title }) => title)).toEqual(['first']);
  });

  it('opens a task in the editor, and a new one; what cannot be read stays in its file', async () => {
    const editor = join(freshFolder(), 'editor');
    const writes = (script: string) => (
      writeFileSync(editor, `#!/bin/sh\ncp "$1" ${editor}.seen\n${script}\n`),
      chmodSync(editor, 0o755)
    );
    const { type, json, add } = await sitDown({ EDITOR: editor });
    const keel = add('keel', '--label', 'wood', '--body', 'Of oak.');
    writes(
      `sed -i 's/^title:.*/title: "Keel: oak"/; s/^priority:.*/priority: 7/; s/^  - wood/  - hull/' "$1"; echo 'And tar.' >> "$1"`,
    );
    expect(type(['board', 'edit', keel, '-e']).out).toBe(`${keel} is todo: Keel: oak\n`);
    expect(readFileSync(`${editor}.seen`, 'utf8')).toMatch(
      /^---\ntitle: keel\nstatus: todo\npriority: 0\n[^]*---\n\nOf oak\.\n$/,
    );
    expect(json<{ task: object; labels: string[] }>('board', 'show', keel)).toMatchObject({
      task: { title: 'Keel: oak', priority: 7, description: 'Of oak.\nAnd tar.' },
      labels: ['hull'],
    });
    expect(type(['undo', '--list']).out.split('\n')[1]).toContain('change, label');
    type(['undo']);
    expect(json<{ labels: string[] }>('board', 'show', keel).labels).toEqual(['wood']);
    writes(`sed -i 's/^status:/stauts:/' "$1"`);
    const refused = type(['board', 'edit', keel, '-e']);
    expect(refused.err).toMatch(
      /there is no field "stauts"; did you mean status\?[^]*Your text is in \S+\.md\./,
    );
    writes(':');
    expect(type(['board', 'edit', keel, '-e']).out).toBe(`${keel} unchanged: keel\n`);
    expect(type(['board', 'add', '-e']).err).toContain('Nothing was added.');
    writes(`sed -i 's/^title:.*/title: mast/; s/^labels:.*/labels: [tall]/' "$1"`);
    expect(type(['board', 'add', '-e']).out).toMatch(/^\w{8} added: mast\n$/);
    expect(json<Listed>('board', 'list', 'label:tall').total).toBe(1);
    writes('exit 3');
    expect(type(['board', 'edit', keel, '-e']).err).toContain('ended with 3');
  });

  it('tells a task from its first day on, and calls the person you', async () => {
    const { type, add } = await sitDown();
    const keel = add('keel');
    type(['board', 'comment', keel, 'Ask the smith.']);
    type(['board', 'block', keel, '--because', 'no oak']);
    expect(type(['board', 'unblock', keel]).out).toBe(`${keel} is todo: keel\n`);
    expect(type(['board', 'unblock', keel]).err).toContain('there is nothing to unblock');
    type(['board', 'done', keel]);
    type(['board', 'reopen', keel]);
    const shown = type(['board', 'show', keel]).out;
    for (const line of [
      /you, \d+s ago: Ask the smith\./,
      /system, \d+s ago: Reopened by operator; it was done\./,
      / {2}you added it\n/,
      / {2}you moved it from todo to blocked\n/,
      / {2}you moved it from blocked to todo\n/,
      / {2}you reopened it; it was done\n?/,
    ])
      expect(shown).toMatch(line);
    expect(shown).not.toMatch(/\b(user|local|operator:operator|local:local)\b/);
  });

  it('takes a day as a person says it, and refuses what is none in the same words', async () => {
    const { run, json } = openTerminal();
    const day = (ahead: number) => new Date(Date.now() + ahead * 86_400_000).toLocaleDateString('sv');
    for (const [said, ahead] of [
      ['today', 0],
      ['tomorrow', 1],
      ['3d', 3],
      ['2w', 14],
    ] as const)
      expect((await json<{ due: string }>('board', 'add', said, '--due', said)).due).toBe(day(ahead));
    expect((await run('board', 'add', 'x', '--due', 'soon')).err).toContain(
      '--due must be a day such as 2026-12-31, tomorrow or 3d; got "soon".',
    );
  });

  it('goes on after the task that ended a page', async () => {
    const { type, add } = await sitDown();
    const ids = ['a', 'b', 'c'].map((title) => add(title));
    const page = type(['board', 'list', '--limit', '2']);
    expect(page.err).toBe(`2 of 3; go on with --after ${ids[1]}\n`);
    expect(type(['board', 'list', '--after', ids[1]!]).out).toContain(`${ids[2]}  todo`);
  });
});

describe('looking', () => {
  it('makes no project, and stays where one stands', async () => {
    const { type, json, cwd, add } = await sitDown();
    const other = newRepositoryWithCommit(join(freshFolder(), 'dock'));
    add('keel');
    type(['memory', 'save', 'Oak', 'The keel is of oak']);
    for (const line of [
      'board list',
      'memory list',
      'memory search oak',
      'search keel',
      'stats',
      'peer list',
    ])
      expect(type(line.split(' '), '', other).code, line).toBe(0);
    type(['board', 'claim', '--as', 'ada'], '', other);
    expect(json<{ projects: { teamId: string }[] }>('project', 'list').projects).toMatchObject([
      { teamId: 'yard' },
    ]);
    expect(type(['memory', 'list'], '', other).err).toBe(
      'Nothing is remembered yet in dock; --all looks everywhere.\n',
    );
    expect(type(['memory', 'list', '--all'], '', other).out).toContain('The keel is of oak');
    expect(type(['memory', 'list'], '', cwd).out).toContain('The keel is of oak');
    expect(type(['memory', 'list', '--project', 'yard'], '', other).out).toContain('oak');
    expect(type(['memory', 'list', '--team', 'yard'], '', other).out).toContain('oak');
    expect(type(['board', 'list', '--project', 'yrad'], '', other).err).toContain('Did you mean yard?');
  });
});

describe('projects', () => {
  it.each(['sqlite', 'postgres'] as const)('are removed and put together on %s', async (engine) => {
    const { location, schema } = await emptyPlace(engine);
    const env =
      engine === 'sqlite'
        ? freshHome()
        : freshHome({ HOLDFAST_DATABASE_URL: location, HOLDFAST_DATABASE_SCHEMA: schema! });
    const [yard, dock] = ['yard', 'dock'].map((name) => {
      const folder = newRepositoryWithCommit(join(freshFolder(), name));
      // Two repositories with the same first commit would be one project.
      return openTerminal(undefined, env, folder);
    });
    const keel = await yard!.json<Task>('board', 'add', 'keel', '--project', 'yard', '--new');
    await dock!.run('board', 'add', 'rope', '--project', 'dock', '--new');
    await dock!.run('memory', 'save', 'Rope', 'Of hemp', '--project', 'dock');
    await yard!.run('memory', 'save', 'Keel', 'Of oak', '--project', 'yard');
    // Nobody is asked about what there is not.
    expect((await yard!.run('project', 'remove', 'dcok')).err).toContain('Did you mean dock?');
    expect(await yard!.run('project', 'remove', 'dock', '--yes')).toMatchObject({
      code: 4,
      err: expect.stringContaining('dock has 1 open task.'),
    });
    expect((await yard!.run('project', 'merge', 'dock', 'yard')).err).toBe('Nothing was changed.');
    expect((await yard!.run('project', 'merge', 'dock', 'yrad')).err).toContain('Did you mean yard?');
    expect((await yard!.run('project', 'merge', 'dock', 'dock', '--yes')).code).toBe(2);
    expect((await yard!.run('project', 'merge', 'dock', 'yard', '--yes')).out).toBe(
      'dock is part of yard now: 1 task and 1 memory moved.',
    );
    const { tasks } = await yard!.json<Listed>('board', 'list', '--project', 'yard');
    expect(tasks.map(({ title }) => title)).toEqual(['keel', 'rope']);
    const remembered = (await yard!.run('memory', 'list', '--project', 'yard')).out;
    expect(remembered).toContain('Of hemp');
    expect(remembered).toContain('Of oak');
    await yard!.run('board', 'cancel', ...tasks.map(({ id }) => id));
    expect((await yard!.run('project', 'remove', 'yard', '--yes')).code).toBe(0);
    expect((await yard!.json<{ projects: object[] }>('project', 'list')).projects).toEqual([]);
    expect(
      (await yard!.json<Listed>('board', 'list', `id:${keel.id.slice(-8)}`, '--any', '--all')).total,
    ).toBe(1);
  });
});
