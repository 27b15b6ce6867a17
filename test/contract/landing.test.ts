// What lands, what does not, and what its people are told.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { eachEngine } from '../fixtures/databases.ts';
import { gatedCheck, landingHub } from '../fixtures/landing-hub.ts';

const LONG = { timeout: 60_000 };

eachEngine('landing', (engine) => {
  it('merges a branch whose result passes, with its trailers, and finishes its task', LONG, async () => {
    const { branch, landed, repository, lookAt, tip, hub } = await landingHub(engine);
    const task = await branch('good', { 'a.txt': 'a\n' });
    const landing = await landed(task);
    expect(landing).toMatchObject({ task, branch: 'good', target: 'main', state: 'landed', why: null });
    expect([landing.commit, landing.tree]).toEqual([
      tip(),
      repository.git('rev-parse', 'main^{tree}').trim(),
    ]);
    expect(readFileSync(join(repository.path, 'a.txt'), 'utf8')).toBe('a\n');
    expect(repository.git('status', '--porcelain')).toBe('');
    const said = repository.git('log', '-1', '--format=%B');
    expect(landing.evidence).toHaveLength(1);
    expect(said).toMatch(new RegExp(`Holdfast-Task: ${task}\nHoldfast-Evidence: ${landing.evidence[0]}`));
    expect((await lookAt(task)).task.status).toBe('done');
    const { evidence } = (await hub.ask('GET', `/api/evidence/${landing.id}`)).body;
    expect(evidence).toMatchObject([
      { check: 'unit', by: 'hub', commit: tip(), tree: landing.tree, exit: 0, passed: true, confined: false },
    ]);
  });

  it('leaves out what fails, and says precisely why', LONG, async () => {
    const { branch, landed, lookAt, tip } = await landingHub(engine, {
      checks:
        'version: 1\nchecks:\n  unit: { run: "cat report.xml; ! ls | grep -q ^bad", junit: report.xml }\n',
    });
    const before = tip();
    const report =
      '<testsuite><testcase classname="roof" name="holds"><failure message="it &lt;leaks&gt;"/></testcase></testsuite>';
    const task = await branch('bad', { 'bad-roof': '', 'report.xml': report });
    expect(await landed(task)).toMatchObject({ state: 'failed', why: 'unit failed (exit 1)' });
    expect(tip()).toBe(before);
    const { task: shown, comments } = await lookAt(task);
    expect(shown.status).toBe('todo');
    expect(comments.at(-1).body).toContain('- roof › holds: it <leaks>');
  });

  it('lands the good ones of a batch and names the bad one', LONG, async () => {
    const { branch, land, wait, hub, repository } = await landingHub(engine);
    await hub.ask('POST', '/api/landings/pause', { paused: true });
    const tasks: string[] = [];
    for (const name of ['one', 'two', 'bad-three', 'four', 'five'])
      tasks.push(await branch(name, { [name]: '' }));
    const ids: string[] = [];
    for (const task of tasks) ids.push((await land(task)).id);
    await hub.ask('POST', '/api/landings/pause', { paused: false });
    const states = (await wait(...ids)).map(({ state }) => state);
    expect(states).toEqual(['landed', 'landed', 'failed', 'landed', 'landed']);
    expect(repository.git('ls-files').split('\n')).not.toContain('bad-three');
    // Bisected: every commit names the evidence of the tree that it landed with.
    const format = '--format=%(trailers:key=Holdfast-Evidence,valueonly,separator=)';
    const named = repository.git('log', '--first-parent', '-4', format, 'main').trim().split('\n');
    for (const id of named) {
      const { evidence } = (await hub.ask('GET', `/api/evidence/${id}`)).body;
      expect(evidence).toMatchObject([{ id, passed: true }]);
      repository.git('merge-base', '--is-ancestor', evidence[0].commit, 'main');
    }
  });

  it(
    'gives a conflict back with the files, both sides and who was first; the third time a person looks',
    LONG,
    async () => {
      const { branch, landed, lookAt, land, hub, token } = await landingHub(engine, {
        land: { approve: 'checks' },
      });
      const one = await branch('one', { 'README.md': 'one\n' });
      const two = await branch('two', { 'README.md': 'two\n' });
      expect(await landed(one)).toMatchObject({ state: 'landed' });
      expect(await landed(two)).toMatchObject({ state: 'conflict', conflicts: ['README.md'] });
      const { body } = (await lookAt(two)).comments.at(-1);
      expect(body).toContain('- README.md');
      expect(body).toContain(`Task ${one} landed first.`);
      expect(body).toMatch(/<<<<<<<[^\n]*\none\n=======\ntwo\n>>>>>>>/);
      expect(await landed(two)).toMatchObject({ state: 'conflict' });
      const ada = await token('ada');
      await hub.ask('POST', `/api/board/tasks/${two}/claim`, { assigneeAgentId: 'ada' }, ada);
      expect(await land(two, {}, ada)).toMatchObject({
        state: 'waiting_person',
        why: 'it conflicted twice in a row',
      });
    },
  );

  it('lets only its holder or a person ask, and only a person approve', LONG, async () => {
    const { branch, land, until, hub, token, tip } = await landingHub(engine);
    const task = await branch('good', { 'a.txt': 'a\n' });
    const [ada, eve] = [await token('ada'), await token('eve')];
    await hub.ask('POST', `/api/board/tasks/${task}/claim`, { assigneeAgentId: 'ada' }, ada);
    expect(await land(task, {}, eve)).toMatchObject({
      code: 'not_holder',
      error: 'Asking that it lands is for who holds do good, and for a person.',
    });
    const asked = await land(task, {}, ada);
    expect(asked).toMatchObject({ state: 'waiting_person', why: 'a person lets things land here' });
    expect(await land(task, {}, ada)).toMatchObject({ id: asked.id });
    const path = `/api/landings/${asked.id}/approve`;
    expect((await hub.ask('POST', path, {}, ada)).status).toBe(403);
    // Whoever merely sits at this machine may be a check.
    expect((await hub.fetch(path, { method: 'POST' })).status).toBe(401);
    const before = tip();
    expect((await hub.ask('POST', path, {})).body).toMatchObject({ state: 'queued' });
    await until(asked.id, 'landed');
    expect(tip()).not.toBe(before);
    expect((await hub.ask('POST', path, {})).status).toBe(409);
  });

  it(
    'has protected paths and key files wait for a person, a person of their own included',
    LONG,
    async () => {
      const checks = `version: 1
setup:
  deps: { run: "cp lock made", key: [lock] }
checks:
  unit: { run: "cmp lock made", setup: deps }
`;
      const { branch, land, until, hub, repository } = await landingHub(engine, {
        checks,
        land: { approve: 'checks', protect: ['secret/**'] },
      });
      repository.commit('lock', '1\n');
      for (const [name, file] of [
        ['weaker', '.holdfast/checks.yaml'],
        ['ci', '.github/workflows/x.yml'],
        ['own', 'secret/deep/file'],
        ['attributes', 'deep/.gitattributes'],
        ['keys', 'lock'],
      ] as const) {
        const text = file.endsWith('checks.yaml') ? 'version: 1\nchecks: {}\n' : `${name}\n`;
        const asked = await land(await branch(name, { [file]: text }));
        expect(asked).toMatchObject({ state: 'waiting_person', protected: [file] });
        if (name !== 'keys') continue;
        await hub.ask('POST', `/api/landings/${asked.id}/approve`, {});
        await until(asked.id, 'landed');
      }
    },
  );

  it(
    'is held while the target is checked out with changes, untracked ones in the way or in mid-merge',
    LONG,
    async () => {
      const { branch, landed, until, repository } = await landingHub(engine);
      const { path } = repository;
      const task = await branch('good', { 'a.txt': 'a\n', 'README.md': 'new\n' });
      writeFileSync(join(path, 'README.md'), 'mine\n');
      const { id, ...held } = await landed(task);
      expect(held).toMatchObject({ state: 'held', why: expect.stringContaining('not committed') });
      expect(readFileSync(join(path, 'README.md'), 'utf8')).toBe('mine\n');
      repository.git('checkout', 'README.md');
      writeFileSync(join(path, 'a.txt'), 'in the way\n');
      await expect.poll(async () => (await until(id, 'held')).why, { timeout: 20_000 }).toContain('a.txt');
      expect(readFileSync(join(path, 'a.txt'), 'utf8')).toBe('in the way\n');
      writeFileSync(join(path, '.git', 'MERGE_HEAD'), repository.git('rev-parse', 'good'));
      rmSync(join(path, 'a.txt'));
      await expect
        .poll(async () => (await until(id, 'held')).why, { timeout: 20_000 })
        .toContain('in the middle of');
      rmSync(join(path, '.git', 'MERGE_HEAD'));
      await until(id, 'landed');
      expect(readFileSync(join(path, 'a.txt'), 'utf8')).toBe('a\n');
    },
  );

  it('moves only the ref where the target is checked out nowhere', LONG, async () => {
    const { branch, landed, repository, tip } = await landingHub(engine);
    repository.git('checkout', '-q', '--detach');
    const at = repository.git('rev-parse', 'HEAD');
    const first = await landed(await branch('one', { 'a.txt': 'a\n' }));
    expect(first.commit).toBe(tip());
    expect(repository.git('rev-parse', 'HEAD')).toBe(at);
    expect(existsSync(join(repository.path, 'a.txt'))).toBe(false);
    repository.git('checkout', '-q', '-b', 'other');
    writeFileSync(join(repository.path, 'README.md'), 'mine\n');
    expect(await landed(await branch('two', { 'b.txt': 'b\n' }))).toMatchObject({ state: 'landed' });
    expect(readFileSync(join(repository.path, 'README.md'), 'utf8')).toBe('mine\n');
  });

  it('begins again when the target moved by hand while it was tested', LONG, async () => {
    const { checks, open } = gatedCheck();
    const { branch, land, wait, until, repository } = await landingHub(engine, { checks });
    const { id } = await land(await branch('good', { 'a.txt': 'a\n' }));
    await until(id, 'testing');
    repository.commit('by-hand', 'x\n');
    const byHand = repository.git('rev-parse', 'HEAD').trim();
    open();
    expect(await wait(id)).toMatchObject([{ state: 'landed' }]);
    expect(repository.git('rev-list', '--first-parent', 'main')).toContain(byHand);
    expect(readFileSync(join(repository.path, 'a.txt'), 'utf8')).toBe('a\n');
  });

  it(
    'looks anew at a branch that moved: a person again, or the checks; one that is gone is withdrawn',
    LONG,
    async () => {
      const { branch, land, until, work, hub, repository, tip } = await landingHub(engine);
      const before = tip();
      await hub.ask('POST', '/api/landings/pause', { paused: true });
      const [task, gone] = [
        await branch('good', { 'a.txt': 'a\n' }),
        await branch('gone', { 'b.txt': 'b\n' }),
      ];
      const [one, two] = [await land(task), await land(gone)];
      await hub.ask('POST', '/api/landings/pause', { paused: true });
      work('good', { 'more.txt': 'more\n' });
      repository.git('branch', '-D', 'gone');
      await hub.ask('POST', '/api/landings/pause', { paused: false });
      const waiting = await until(one.id, 'waiting_person');
      expect(waiting).toMatchObject({ why: 'its branch moved after it was asked for' });
      expect(waiting.head).toBe(repository.git('rev-parse', 'good').trim());
      await until(two.id, 'withdrawn');
      expect(tip()).toBe(before);
    },
  );

  it(
    'does not land what was withdrawn while it was tested, nor what nobody wants any more',
    LONG,
    async () => {
      const { checks, open } = gatedCheck();
      const { branch, land, until, hub, tip } = await landingHub(engine, { checks });
      const before = tip();
      const { id } = await land(await branch('good', { 'a.txt': 'a\n' }));
      await until(id, 'testing');
      expect((await hub.ask('POST', `/api/landings/${id}/withdraw`, {})).body.state).toBe('withdrawn');
      open();
      const task = await branch('unwanted', { 'b.txt': 'b\n' });
      await hub.ask('POST', '/api/landings/pause', { paused: true });
      const second = await land(task);
      await hub.ask('PATCH', `/api/board/tasks/${task}`, { status: 'cancelled' });
      await hub.ask('POST', '/api/landings/pause', { paused: false });
      expect(await until(second.id, 'withdrawn')).toMatchObject({ why: 'its task was cancelled' });
      expect(tip()).toBe(before);
    },
  );

  it.each(['rebase', 'squash'])('keeps the author by %s', LONG, async (how) => {
    const { branch, landed, work, repository, task: again } = await landingHub(engine, { land: { how } });
    const task = await branch('good', { 'a.txt': 'a\n' });
    work('good', { 'b.txt': 'b\n' });
    repository.git('config', 'user.name', 'the person');
    repository.commit('c.txt', 'c\n');
    expect(await landed(task)).toMatchObject({ state: 'landed' });
    const told = repository.git('log', '--format=%an %p', '-n', how === 'rebase' ? '2' : '1', 'main');
    for (const line of told.trim().split('\n')) expect(line).toMatch(/^test \w+$/);
    expect(repository.git('log', '-1', '--format=%B')).toContain(`Holdfast-Task: ${task}`);
    expect(repository.git('ls-files').split('\n')).toEqual(
      expect.arrayContaining(['a.txt', 'b.txt', 'c.txt']),
    );
    // The same commits again are in the target already, in other words.
    expect(await landed(await again('good'))).toMatchObject({ state: 'landed', why: expect.any(String) });
  });

  it('holds everybody while the target itself fails, and tries again when it is mended', LONG, async () => {
    const { branch, landed, until, repository, runs } = await landingHub(engine);
    repository.commit('bad-already', '');
    const held = await landed(await branch('good', { 'a.txt': 'a\n' }));
    expect(held).toMatchObject({ state: 'held', why: 'main itself fails its checks.' });
    const count = await runs();
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(await runs()).toBe(count);
    repository.git('rm', '-q', 'bad-already');
    repository.git('commit', '-q', '-m', 'mended');
    await until(held.id, 'landed');
  });
});
