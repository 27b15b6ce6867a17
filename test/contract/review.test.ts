// Review: what a change is, what is said about its lines, and what becomes of what a person decides.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
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
      expect(threads).toMatchObject([{ resolvedBy: 'operator', comments: [{}, { author: 'mate' }] }]);
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
