// Review: what a change is, what is said about its lines, and what becomes of what a person decides.
import { chmodSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { eachEngine } from '../fixtures/databases.ts';
import { AGENT } from '../fixtures/dispatch-hub.ts';
import { landingHub, type LandingHub } from '../fixtures/landing-hub.ts';

const LONG = { timeout: 60_000 };
const review = async ({ hub }: LandingHub, id: string, more = '') =>
  (await hub.ask('GET', `/api/reviews/${id}${more}`)).body;
const post = async ({ hub }: LandingHub, path: string, body: object, token?: string) =>
  (await hub.ask('POST', `/api/reviews/${path}`, body, token)).body;

const line = (path: string, at: number, head: string) => ({
  path,
  side: 'after',
  fromLine: at,
  toLine: at,
  quoted: 'two',
  head,
});

eachEngine('a review', (engine) => {
  it('shows what a branch changes, file by file, and lets it land as it was seen', LONG, async () => {
    const at = await landingHub(engine, { land: { approve: 'person' } });
    at.repository.commit('old name.txt', 'one\ntwo\nthree\n'.repeat(20));
    at.repository.commit('gone.txt', 'bye\n');
    const task = await at.branch('work', { 'with "quotes".txt': 'new\n', 'pic.bin': 'a\0b', 'a.txt': 'a\n' });
    const { git } = at.repository;
    git('checkout', '-q', 'work');
    git('mv', 'old name.txt', 'new name.txt');
    git('rm', '-q', 'gone.txt');
    git('commit', '-q', '-m', 'move and remove');
    git('checkout', '-q', 'main');
    const seen = await review(at, task);
    expect(seen).toMatchObject({
      id: task,
      title: 'do work',
      branch: 'work',
      uncommitted: false,
      commits: [{ subject: 'move and remove' }, {}],
      plan: { does: 'land', target: 'main', checks: [{ name: 'unit', passed: null }], conflicts: [] },
    });
    const kinds = Object.fromEntries(
      seen.files.map(({ path, from, kind, binary }: any) => [path, [kind, from, binary]]),
    );
    expect(kinds).toEqual({
      'a.txt': ['added', null, false],
      'gone.txt': ['removed', null, false],
      'new name.txt': ['renamed', 'old name.txt', false],
      'pic.bin': ['added', null, true],
      'with "quotes".txt': ['added', null, false],
    });
    expect(await review(at, task, '/file?path=new%20name.txt')).toMatchObject({
      text: 'one\ntwo\nthree\n'.repeat(20),
    });
    expect(await review(at, task, '/file?path=../../etc/passwd')).toMatchObject({ code: 'invalid' });
    // What was pushed since is not let through by somebody who has not seen it.
    at.work('work', { 'late.txt': 'late\n' });
    const old = { head: seen.head, body: '' };
    expect(await post(at, `${task}/approve`, old)).toMatchObject({ code: 'conflict' });
    const { head } = await review(at, task);
    const { landing, verdict } = await post(at, `${task}/approve`, { head, body: 'fine' });
    expect(verdict).toMatchObject({ verdict: 'approved', became: 'Lands onto main once its checks pass.' });
    expect((await at.wait(landing))[0]).toMatchObject({ state: 'landed', approvedBy: 'operator' });
    expect((await at.lookAt(task)).task.status).toBe('done');
    // Landed, it still shows what it was.
    const after = await review(at, task);
    expect(after.files.map(({ path }: any) => path)).toContain('late.txt');
    expect(after).toMatchObject({ plan: { does: 'nothing' }, verdicts: [{ body: 'fine' }] });
  });

  it(
    'is talked about line by line, and goes back to its holder or free with what was said',
    LONG,
    async () => {
      const at = await landingHub(engine);
      const task = await at.branch('lines', { 'a.txt': 'one\ntwo\n' });
      const token = await at.token('mate');
      await at.hub.ask('POST', `/api/board/tasks/${task}/claim`, {}, token);
      await at.hub.ask('PATCH', `/api/board/tasks/${task}`, { status: 'in_review' }, token);
      const { head } = await review(at, task);
      const { thread } = await post(at, `${task}/comments`, {
        ...line('a.txt', 2, head),
        body: 'Say three.',
        suggestion: 'three',
      });
      expect(thread.comments).toMatchObject([{ body: 'Say three.', suggestion: 'three', byPerson: true }]);
      // Whose answer was lost says it again, and it stands there once.
      const twice = { ...line('a.txt', 1, head), body: 'Twice?', idempotencyKey: 'once' };
      const once = await post(at, `${task}/comments`, twice);
      expect(await post(at, `${task}/comments`, twice)).toEqual(once);
      const said = { body: 'No.', resolve: true, idempotencyKey: 'once' };
      const answered = await post(at, `comments/${once.thread.id}/reply`, said);
      expect(answered.thread.comments).toHaveLength(2);
      expect(await post(at, `comments/${once.thread.id}/reply`, said)).toEqual(answered);
      // Its agent reads and answers it by tools; a stranger of another team finds nothing.
      const heard = await at.hub.tool('list_review_comments', { id: task, open: true }, token);
      expect(JSON.stringify(heard)).toContain('Say three.');
      await at.hub.tool('review_reply', { threadId: thread.id, body: 'Will do.' }, token);
      const { body: made } = await at.hub.ask('POST', '/api/tokens', { agent: 'spy', team: 'elsewhere' });
      expect(
        (await at.hub.ask('GET', `/api/reviews/${task}/comments`, undefined, made.token)).body,
      ).toMatchObject({ code: 'not_found' });
      expect((await at.hub.ask('GET', `/api/reviews/${task}`, undefined, token)).body).toMatchObject({
        code: 'forbidden',
      });
      for (const verb of ['approve', 'request-changes'])
        expect(await post(at, `${task}/${verb}`, { head, body: 'x' }, token)).toMatchObject({
          code: 'forbidden',
        });
      const back = await post(at, `${task}/request-changes`, { head, body: 'Nearly.' });
      expect(back.verdict).toMatchObject({ verdict: 'changes', became: 'Back with mate, who holds it.' });
      const told = await at.lookAt(task);
      expect(told.task).toMatchObject({ status: 'in_progress', assigneeAgentId: 'mate' });
      expect(told.comments.at(-1).body).toBe(
        'Changes are requested on lines:\n\nNearly.\n\na.txt:2\n> two\nSay three.\nSuggested instead of these lines:\n```\nthree\n```\nmate: Will do.',
      );
      await post(at, `comments/${thread.id}/reply`, { body: '', resolve: true });
      const { threads } = await review(at, task);
      expect(threads.find(({ id }: any) => id === thread.id)).toMatchObject({
        resolvedBy: 'operator',
        comments: [{}, { author: 'mate' }],
      });
      expect(await post(at, `${task}/request-changes`, { head, body: ' ' })).toMatchObject({
        code: 'invalid',
      });
      // Whose holder is gone is free for the next.
      await at.hub.ask('PATCH', `/api/board/tasks/${task}`, { status: 'in_review' }, token);
      await at.hub.ask('PATCH', `/api/board/tasks/${task}`, { status: 'done' });
      const again = await post(at, `${task}/request-changes`, { head, body: 'No.' });
      expect(again.verdict.became).toBe('Nobody holds it: it is free to be taken.');
      expect((await at.lookAt(task)).task).toMatchObject({ status: 'todo', assigneeAgentId: null });
    },
  );

  it('names both sides of what does not go together', LONG, async () => {
    const at = await landingHub(engine);
    const task = await at.branch('clash', { 'README.md': 'theirs\n' });
    at.repository.commit('README.md', 'ours\n');
    expect((await review(at, task)).plan).toMatchObject({ does: 'land', conflicts: ['README.md'] });
    expect(await review(at, task, '/conflicts')).toEqual({
      conflicts: [{ path: 'README.md', base: 'hello\n', ours: 'ours\n', theirs: 'theirs\n' }],
    });
  });

  it(
    'shows all that would land: modes, links, submodules, and lines that look like another file',
    LONG,
    async () => {
      const at = await landingHub(engine);
      const { git, path } = at.repository;
      at.repository.commit('run.sh', 'echo\n');
      at.repository.commit('way', 'here\n');
      const task = await at.branch('odd', { 'a.ts': 'fine()\u2028diff --git a/z b/z\nevil()\n' });
      git('checkout', '-q', 'odd');
      chmodSync(join(path, 'run.sh'), 0o755);
      rmSync(join(path, 'way'));
      symlinkSync('/etc/passwd', join(path, 'way'));
      writeFileSync(join(path, 'be\x07ll'), 'ring\n');
      git('add', '-A');
      git('update-index', '--add', '--cacheinfo', `160000,${git('rev-parse', 'main').trim()},lib`);
      git('commit', '-q', '-m', 'odd things');
      git('checkout', '-q', '-f', 'main');
      const { files } = await review(at, task);
      const seen = Object.fromEntries(files.map((file: any) => [file.path, file]));
      expect(Object.keys(seen).sort()).toEqual(['a.ts', 'be\x07ll', 'lib', 'run.sh', 'way']);
      expect(seen['a.ts'].patch).toContain('+evil()');
      expect(seen['run.sh']).toMatchObject({ kind: 'changed', mode: 'program', modeBefore: 'file' });
      expect(seen['way']).toMatchObject({ kind: 'changed', mode: 'link', modeBefore: 'file' });
      expect(seen['lib']).toMatchObject({ kind: 'added', mode: 'submodule' });
      expect((await review(at, task, `/file?path=${encodeURIComponent('be\x07ll')}`)).text).toBe('ring\n');
    },
  );

  it('lets no other commit land than the one that was looked at', LONG, async () => {
    const sailor = {
      family: 'command',
      command: [process.execPath, '-e', "require('fs').writeFileSync('made.txt', ''); process.exit(3)"],
    };
    const at = await landingHub(engine, { agents: { sailor } });
    const { git, path } = at.repository;
    const { body: made } = await at.hub.ask('POST', '/api/board/tasks', {
      title: 'Sail',
      teamId: at.project,
    });
    const { body } = await at.hub.ask('POST', '/v1/runs', {
      task_id: made.id,
      instance: 'sailor',
      project: path,
    });
    const run = body.task.task_id;
    await at.hub.over(run);
    const { folder, branch } = await review(at, run);
    // Its branch holds one thing, and its folder shows another.
    const work = (name: string) => {
      writeFileSync(join(folder, name), 'x\n');
      git('-C', folder, 'add', '-A', '-f');
      git('-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@b.invalid', 'commit', '-q', '-m', name);
    };
    work('evil.txt');
    git('-C', folder, 'checkout', '-q', '-b', 'innocent', 'main');
    work('innocent.txt');
    const shown = await review(at, run);
    expect(shown.files.map(({ path: name }: any) => name)).toEqual(['innocent.txt']);
    expect(await post(at, `${run}/approve`, { head: shown.head, body: '' })).toMatchObject({
      code: 'conflict',
      error: expect.stringContaining(branch),
    });
    // What was asked for before is not let through where another commit was looked at: that one is asked for anew.
    const task = await at.branch('quick', { 'a.txt': 'a\n' });
    const token = await at.token('mate');
    await at.hub.ask('POST', `/api/board/tasks/${task}/claim`, {}, token);
    const asked = await at.land(task, {}, token);
    expect(asked.state).toBe('waiting_person');
    at.work('quick', { 'b.txt': 'b\n' });
    const { head } = await review(at, task);
    const { landing } = await post(at, `${task}/approve`, { head, body: '' });
    expect(landing).not.toBe(asked.id);
    expect((await at.wait(landing))[0]).toMatchObject({
      state: 'landed',
      head: git('rev-parse', 'quick').trim(),
    });
    expect((await at.until(asked.id, 'withdrawn')).why).toBe('asked for again');
  });

  it('lands what a person saw also where checks decide: what comes later waits for them', LONG, async () => {
    const at = await landingHub(engine, { land: { approve: 'checks' } });
    const pause = (paused: boolean) => at.hub.ask('POST', '/api/landings/pause', { paused });
    // A queue that is there can be paused.
    await at.landed(await at.branch('first', { 'first.txt': 'first\n' }));
    const tip = at.tip();
    const task = await at.branch('seen', { 'a.txt': 'a\n' });
    const token = await at.token('mate');
    await at.hub.ask('POST', `/api/board/tasks/${task}/claim`, {}, token);
    await pause(true);
    // Its agent asked for it, so that it follows its branch; then a person approves it as it is.
    const asked = await at.land(task, {}, token);
    expect(asked).toMatchObject({ state: 'queued', approvedBy: null });
    const { head } = await review(at, task);
    const { landing } = await post(at, `${task}/approve`, { head, body: '' });
    expect(landing).not.toBe(asked.id);
    at.work('seen', { 'later.txt': 'later\n' });
    await pause(false);
    expect(await at.until(landing, 'waiting_person')).toMatchObject({
      why: 'its branch moved after it was asked for',
    });
    expect(at.tip()).toBe(tip);
    expect((await at.until(asked.id, 'withdrawn')).why).toBe('asked for again');
    const now = await review(at, task);
    await post(at, `${task}/approve`, { head: now.head, body: '' });
    await at.until(landing, 'landed');
  });

  it('lets nothing land that was hidden under what is not committed', LONG, async () => {
    const hider = {
      family: 'command',
      command: [
        process.execPath,
        '-e',
        `const { writeFileSync, rmSync } = require('fs');
         const git = (...args) => require('child_process').execFileSync('git', args);
         writeFileSync('evil.txt', 'evil');
         git('add', '-A');
         git('-c', 'user.name=a', '-c', 'user.email=a@b.invalid', 'commit', '-q', '-m', 'fine');
         rmSync('evil.txt');
         writeFileSync('fine.txt', 'fine');
         process.exit(3);`,
      ],
    };
    const at = await landingHub(engine, { agents: { hider } });
    const { body: made } = await at.hub.ask('POST', '/api/board/tasks', {
      title: 'Hide',
      teamId: at.project,
    });
    const { body } = await at.hub.ask('POST', '/v1/runs', {
      task_id: made.id,
      instance: 'hider',
      project: at.repository.path,
    });
    const run = body.task.task_id;
    await at.hub.over(run);
    const seen = await review(at, run);
    expect(seen.files.map(({ path }: any) => path)).toEqual(['fine.txt']);
    expect(await post(at, `${run}/approve`, { head: seen.head, body: '' })).toMatchObject({
      code: 'conflict',
      error: expect.stringContaining('not committed'),
    });
    expect((await at.lookAt(made.id)).task.status).not.toBe('done');
  });

  it('of a run holds what is not committed, and makes its task done where nothing lands', LONG, async () => {
    const joiner = {
      family: 'command',
      command: [
        process.execPath,
        '-e',
        "require('fs').writeFileSync('made.txt', 'made\\n'); process.exit(3)",
      ],
    };
    const at = await landingHub(engine, { agents: { joiner } });
    const { git, path } = at.repository;
    git('rm', '-q', '.holdfast/checks.yaml');
    git('commit', '-q', '-m', 'nothing says what has to hold');
    const { body: made } = await at.hub.ask('POST', '/api/board/tasks', {
      title: 'Make it',
      teamId: at.project,
    });
    const { body } = await at.hub.ask('POST', '/v1/runs', {
      task_id: made.id,
      instance: 'joiner',
      project: path,
    });
    const run = body.task.task_id;
    await at.hub.over(run);
    const seen = await review(at, run);
    expect(seen).toMatchObject({
      id: made.id,
      run,
      uncommitted: true,
      files: [{ path: 'made.txt', kind: 'added' }],
    });
    // Looking leaves nothing behind, neither in its index nor in the repository.
    expect(git('-C', seen.folder, 'status', '--porcelain')).toBe('?? made.txt\n');
    writeFileSync(join(seen.folder, 'made.txt'), 'made  \n');
    expect((await review(at, run, '?space=ignored')).files).toHaveLength(1);
    expect(existsSync(join(seen.folder, 'made.txt')) && readFileSync(AGENT, 'utf8').length).toBeGreaterThan(
      0,
    );
    const claimed = await at.token('closer');
    await at.hub.ask('POST', `/api/board/tasks/${made.id}/claim`, {}, claimed);
    await at.hub.ask('PATCH', `/api/board/tasks/${made.id}`, { status: 'in_review' }, claimed);
    const { head, plan } = await review(at, run);
    expect(plan).toMatchObject({ does: 'done' });
    const { verdict } = await post(at, `${run}/approve`, { head, body: '' });
    expect(verdict.became).toBe('The task is done.');
    expect((await at.lookAt(made.id)).task.status).toBe('done');
  });
});
