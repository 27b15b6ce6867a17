// Branches that do not go together are found while they are worked on, and both holders hear of it.
import { expect, it } from 'vitest';
import { PATIENCE } from '../fixtures/dispatch-hub.ts';
import { eachEngine } from '../fixtures/databases.ts';
import { landingHub, type LandingHub } from '../fixtures/landing-hub.ts';
import { listenAs } from '../fixtures/listener.ts';

const LONG = { timeout: 60_000 };
const lines = (...changed: string[]) =>
  `${[...changed, ...Array.from({ length: 12 }, (_, at) => `line ${at}`)].join('\n')}\n`;

async function collisionsOf({ hub }: LandingHub): Promise<any[]> {
  const { body } = await hub.ask('GET', '/api/collisions');
  expect(Object.keys(body)).toEqual(['collisions']);
  return body.collisions;
}

async function expectCollisions(at: LandingHub, count: number): Promise<void> {
  await expect.poll(async () => (await collisionsOf(at)).length, PATIENCE).toBe(count);
}

const postsIn = async ({ hub, project }: LandingHub): Promise<any[]> =>
  (await hub.ask('GET', `/api/chat/rooms/team:${project}/posts`)).body.posts ?? [];

async function held(at: LandingHub, agent: string, task: string): Promise<string> {
  const token = await at.token(agent);
  await at.hub.ask('POST', `/api/board/tasks/${task}/claim`, { assigneeAgentId: agent }, token);
  return token;
}

eachEngine('collisions', (engine) => {
  it(
    'tell both holders what conflicts, where, who was first and what to do, until it is solved',
    LONG,
    async () => {
      const at = await landingHub(engine);
      const { repository, hub, branch, work } = at;
      repository.commit('a.txt', lines());
      const one = await branch('one', { 'a.txt': lines('first'), 'own.txt': '' });
      const ada = await held(at, 'ada', one);
      const two = await branch('two', { 'b.txt': 'b\n' });
      const bob = await held(at, 'bob', two);
      const far = await branch('far', { 'a.txt': `${lines()}far\n` });
      await new Promise((resolve) => setTimeout(resolve, 1_100));
      work('two', { 'a.txt': `${lines()}second\n` });
      await expectCollisions(at, 1);
      const head = (name: string) => repository.git('rev-parse', name).trim();
      expect(await collisionsOf(at)).toEqual([
        {
          a: { task: far, agent: null, branch: 'far', head: head('far') },
          b: { task: two, agent: 'bob', branch: 'two', head: head('two') },
          files: [{ path: 'a.txt', ranges: [[13, 13]] }],
          first: far,
        },
      ]);
      work('two', { 'a.txt': `${lines('top')}second\n` });
      await expectCollisions(at, 2);
      const [, found] = await collisionsOf(at);
      expect(found).toEqual({
        a: { task: one, agent: 'ada', branch: 'one', head: head('one') },
        b: { task: two, agent: 'bob', branch: 'two', head: head('two') },
        files: [{ path: 'a.txt', ranges: [[1, 1]] }],
        first: one,
      });
      // What was tried is not left in the repository: only the work itself came.
      expect(repository.git('fsck', '--unreachable', '--no-reflogs')).toBe('');
      const mail = async (token: string) => {
        const { _inbox: inbox = [] } = (await hub.tool('list_reservations', {}, token)).structuredContent;
        return inbox.map(({ fromAgent, wrapped }: any) => `${fromAgent}: ${wrapped}`).join('\n');
      };
      const toAda = await mail(ada);
      expect(toAda).toMatch(/^holdfast: /);
      expect(toAda).toContain(`Your branch one conflicts with two (task ${two}, held by bob) in`);
      expect(toAda).toContain('- a.txt, lines 1 of one');
      expect(toAda).toContain('You were there first');
      const toBob = await mail(bob);
      expect(toBob).toContain(
        'one was there first. Ask ada what becomes of these lines, then merge one into yours',
      );
      const said = (await postsIn(at)).filter(({ body }) => body.includes('do not go together'));
      expect(said).toHaveLength(2);
      expect(said.at(-1)).toMatchObject({ authorAgentId: 'holdfast', kind: 'system' });
      // The same conflict again is nothing new.
      work('two', { 'c.txt': 'c\n' });
      await expect.poll(async () => (await collisionsOf(at))[1]?.b.head, PATIENCE).toBe(head('two'));
      expect(await mail(bob)).toBe('');
      // Solved: bob takes over what ada wrote.
      work('two', { 'a.txt': `${lines('first')}second\n` });
      repository.git('branch', '-D', 'far');
      await expectCollisions(at, 0);
      expect((await postsIn(at)).map(({ body }) => body).join('\n')).toContain(
        'one and two go together again.',
      );
    },
  );

  it('wake both holders where they sit idle, by the same knock as mail', LONG, async () => {
    const at = await landingHub(engine);
    const { repository, hub, branch } = at;
    repository.commit('a.txt', lines());
    const [ada, bob, eve] = [
      await held(at, 'ada', await branch('one', { 'a.txt': lines('first') })),
      await held(at, 'bob', await branch('two', { 'b.txt': 'b\n' })),
      await held(at, 'eve', await branch('apart', { 'c.txt': 'c\n' })),
    ];
    const idle = await Promise.all([ada, bob, eve].map((token) => listenAs(hub, { token })));
    at.work('two', { 'a.txt': lines('second') });
    const [toAda, toBob, toEve] = idle.map(({ heard }) => heard);
    await expect.poll(toAda!, PATIENCE).toContain('| Your branch one conflicts with two');
    await expect.poll(toBob!, PATIENCE).toContain('| Your branch two conflicts with one');
    expect(toBob!()).toContain('one was there first. Ask ada');
    expect(toBob!()).toContain('notifications/message');
    expect(toEve!()).not.toContain('conflicts');
    for (const { end } of idle) end();
  });

  it('of attempts at one task, of branches apart, and of names that are none are none', LONG, async () => {
    const at = await landingHub(engine);
    const { repository, branch, hub, task, project } = at;
    await branch('one', { 'README.md': 'one\n' });
    await branch('apart', { 'other.txt': '' });
    for (const name of ['../../HEAD', '--all', 'no such', 'main'])
      await hub.ask('PATCH', `/api/board/tasks/${await task('x')}`, { branchRef: name });
    const elsewhere = await hub.ask('POST', '/api/board/tasks', { title: 'of nobody' });
    await hub.ask('PATCH', `/api/board/tasks/${elsewhere.body.id}`, { branchRef: 'one' });
    const two = await branch('two', { 'README.md': 'two\n' });
    await expectCollisions(at, 1);
    // A file that one side takes away has no lines to tell.
    repository.git('checkout', '-q', '-b', 'removing');
    repository.git('rm', '-q', 'README.md');
    repository.git('commit', '-q', '-m', 'gone');
    repository.git('checkout', '-q', 'main');
    repository.git('pack-refs', '--all');
    await task('removing');
    await expectCollisions(at, 3);
    const files = (await collisionsOf(at)).map(({ files: [file] }) => file);
    expect(files).toContainEqual({ path: 'README.md', ranges: [] });
    // Done is no longer alive.
    await hub.ask('PATCH', `/api/board/tasks/${two}`, { status: 'cancelled' });
    await expectCollisions(at, 1);
    expect((await hub.ask('GET', `/api/collisions?project=${project}`)).body.collisions).toHaveLength(1);
    expect((await hub.ask('GET', '/api/collisions?project=other')).body.collisions).toEqual([]);
  });

  it('are named in advance by a reservation', LONG, async () => {
    const at = await landingHub(engine);
    const one = await at.branch('one', { 'src/a.txt': 'one\n', 'src/b.txt': 'one\n' });
    await held(at, 'ada', one);
    await at.branch('two', { 'docs/a.md': '' });
    const three = await at.task('none yet');
    const bob = await held(at, 'bob', three);
    const reserve = async (patterns: string[]) => {
      const answer = await at.hub.ask('POST', '/api/reservations', { taskId: three, patterns }, bob);
      return answer.body.changed;
    };
    const found = { path: 'src/a.txt', branch: 'one', taskId: one, agentId: 'ada' };
    await expect.poll(() => reserve(['src/a.txt']), PATIENCE).toEqual([{ pattern: 'src/a.txt', ...found }]);
    expect(await reserve(['src/**'])).toHaveLength(2);
    expect(await reserve(['lib/**', 'src/c.txt'])).toBe(undefined);
  });
});
