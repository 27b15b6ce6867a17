import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createCoreTools } from '../../src/features/coretools/coretools.ts';
import { localPrincipal } from '../../src/kernel/principal.ts';
import { brokerHost, worldTool } from '../fixtures/broker-host.ts';
import { eachEngine, freshDatabase, freshFolder } from '../fixtures/databases.ts';

const corpus = JSON.parse(
  readFileSync(new URL('../fixtures/evasions.json', import.meta.url), 'utf8'),
) as Record<string, unknown[]>;
const DISGUISES = Object.values(corpus)
  .flat()
  .filter((each) => typeof each === 'string');

const issue = worldTool('issue', {
  risk: 'destructive',
  input: z.object({
    repo: z.string(),
    title: z.string(),
    body: z.string().optional(),
    extra: z.unknown().optional(),
  }),
  open: (args: never) => Object.keys(args).filter((name) => name !== 'repo'),
  handler: async () => ({ ok: true, value: undefined, text: 'made' }),
});

eachEngine('what "always" may mean', (engine) => {
  async function open(policy?: string) {
    const workspace = freshFolder();
    mkdirSync(join(workspace, 'src/deep'), { recursive: true });
    mkdirSync(join(workspace, '.github'));
    mkdirSync(join(workspace, 'srcs'));
    const db = await freshDatabase(engine);
    const core = createCoreTools({
      db,
      scratch: freshFolder(),
      closed: [],
      sandbox: 'off',
      env: process.env,
      search: () => ({}),
      fetching: { isOpen: () => true },
    });
    onTestFinished(() => core.close());
    // Nothing here reaches beyond this machine: a page is asked for and never fetched.
    const tools = core.tools.map((tool) =>
      tool.name === 'WebFetch'
        ? { ...tool, handler: async () => ({ ok: false, code: 'unavailable', line: 'not here', hint: '' }) }
        : tool,
    );
    const host = brokerHost(db, {
      workspace,
      tools: [...(tools as typeof core.tools), issue],
      terms: { waitMs: 20_000 },
      ...(policy !== undefined && { policy }),
    });
    const ada = host.connect({ agent: 'ada' });
    const offers = async (id: string) => (await host.rest('GET', `/api/tools/approvals/${id}/offers`)).body;
    const resolve = (id: string, body: object) =>
      host.rest('POST', `/api/tools/approvals/${id}/resolve`, body);
    /** Asks, chooses among what is offered, and answers the offers as they were. */
    async function allow(tool: string, args: object, choose: (offered: any) => unknown) {
      const calling = ada.call(tool, args);
      const { id } = await host.pending();
      const offered = await offers(id);
      const { status } = await resolve(id, { decision: 'allow_always', covers: choose(offered) });
      expect(status).toBe(200);
      await calling;
      return offered;
    }
    /** Is such a call let through without asking? Whoever is asked says no at once. */
    async function isCovered(tool: string, args: object): Promise<boolean> {
      const ended = new AbortController();
      const calling = ada.call(tool, args).finally(() => ended.abort());
      while (!ended.signal.aborted) {
        const { body } = await host.rest('GET', '/api/tools/approvals');
        for (const { id } of body.approvals) await resolve(id, { decision: 'deny' });
        await Promise.race([calling, new Promise((done) => setTimeout(done, 5))]);
      }
      const { isError, lines } = await calling;
      return !isError || lines.join('').includes('not here');
    }
    return { host, workspace, ada, offers, resolve, allow, isCovered };
  }
  const shows = (offered: any) => offered.choices.map((choice: any) => choice.shows);
  const pick = (field: string, value: string) => (offered: any) =>
    offered.choices.find((choice: any) => choice.shows[field] === value).covers;

  it('a file: itself, its folder, what is below its folders; judged by where it leads', async () => {
    const { workspace, allow, isCovered } = await open();
    const write = (path: string) => ({ path, content: 'x' });
    const offered = await allow('Write', write('src/deep/a.ts'), pick('below', 'src'));
    expect(shows(offered)).toEqual([
      {},
      { file: 'src/deep/a.ts' },
      { path: 'src/deep/*' },
      { below: 'src/deep' },
      { below: 'src' },
      { below: '.' },
    ]);
    for (const path of ['src/b.ts', 'src/deep/deeper/c.ts', './src/../src/d.ts'])
      expect([path, await isCovered('Write', write(path))]).toEqual([path, true]);
    symlinkSync(join(workspace, 'srcs'), join(workspace, 'src/link'));
    for (const path of [
      'b.ts',
      'srcs/b.ts',
      'src/../srcs/b.ts',
      'src/link/b.ts',
      'src/.env',
      'src/.git/hooks/pre-commit',
      '.github/ci.yml',
    ])
      expect([path, await isCovered('Write', write(path))]).toEqual([path, false]);
  });

  it('a file whose name reads like a pattern is one file', async () => {
    const { allow, isCovered } = await open();
    await allow('Write', { path: 'src/*', content: 'x' }, pick('file', 'src/*'));
    expect(await isCovered('Write', { path: 'src/other', content: 'x' })).toBe(false);
  });

  it('a command: its words kept one by one, a remote always', async () => {
    const { allow, isCovered } = await open();
    const bash = (command: string) => ({ command });
    const offered = await allow('Bash', bash('git push -q origin main'), (all) => all.choices.at(-1).covers);
    expect(shows(offered).slice(1)).toEqual([{ command: 'git push -q origin *', cwd: '.' }]);
    expect(await isCovered('Bash', bash('git push -q origin release/1.2'))).toBe(true);
    const others = [
      'git push -q backup main',
      'git push origin main',
      'git push -q origin',
      'git push -q origin +main',
      'git push -q origin :main',
      'git push -q origin a:b',
      'git push -q origin --force',
      'git push -q origin main --receive-pack=x',
      'git push -q origin main; id',
      'git push -q origin main\nid',
      'git push -q origin $(id)',
      'git push -q origin `id`',
      'git push -q origin "main"',
      'git push -q origin ../x',
      'git push -q ext::sh main',
      'git -c core.sshCommand=id push -q origin main',
    ];
    for (const command of others)
      expect([command, await isCovered('Bash', bash(command))]).toEqual([command, false]);
    expect(await isCovered('Bash', { command: 'git push -q origin main', cwd: 'src' })).toBe(false);
  });

  it('an address: the page, what begins with its folders, the host; never one that can be read in two ways', async () => {
    const { allow, isCovered } = await open();
    const page = (url: string) => ({ url });
    const offered = await allow(
      'WebFetch',
      page('https://docs.example.com/guide/one/page.html?a=1#top'),
      pick('begins', 'https://docs.example.com/guide/'),
    );
    expect(shows(offered).slice(1)).toEqual([
      { page: 'https://docs.example.com/guide/one/page.html?a=1' },
      { begins: 'https://docs.example.com/guide/one/' },
      { begins: 'https://docs.example.com/guide/' },
      { url: 'https://docs.example.com/*' },
    ]);
    for (const url of ['https://docs.example.com/guide/x', 'https://DOCS.example.com:443/guide/a/b?c'])
      expect([url, await isCovered('WebFetch', page(url))]).toEqual([url, true]);
    for (const url of [
      'https://docs.example.com/guides/x',
      'https://docs.example.com/guide',
      'https://docs.example.com/guide/../admin',
      'https://docs.example.com/guide/%2e%2e/admin',
      'https://docs.example.com/guide/..%2fadmin',
      'https://docs.example.com/guide/%2e%2e%2fadmin',
      'https://docs.example.com/guide//admin',
      'https://docs.example.com/guide/..;/admin',
      'http://docs.example.com/guide/x',
      'https://docs.example.com.evil.example/guide/x',
      'https://docs.example.com@evil.example/guide/x',
      'https://evil.example/guide/x',
      'https://docs.example.com:8443/guide/x',
      'https://user:word@docs.example.com/guide/x',
    ])
      expect([url, await isCovered('WebFetch', page(url))]).toEqual([url, false]);
  });

  it('other tools: some arguments left open, everything else as it was, and nothing new', async () => {
    const { host, allow, isCovered } = await open();
    const first = { repo: 'tide/log', title: 'One', body: 'x' };
    const offered = await allow('issue', first, () => ({ open: ['title'] }));
    expect(offered.open).toEqual(['body', 'title']);
    const { body } = await host.rest('GET', '/api/tools/grants');
    expect(body.grants[0].shape).toEqual({ repo: '"tide/log"', title: 'anything', body: '"x"' });
    expect(await isCovered('issue', { ...first, title: 'Two' })).toBe(true);
    for (const other of [
      { ...first, repo: 'tide/other' },
      { ...first, body: 'y' },
      { ...first, extra: 1 },
      { repo: first.repo, title: 'Two' },
    ])
      expect([other, await isCovered('issue', other)]).toEqual([other, false]);
  });

  it('what an inspector is wary of is never covered by a shape, however it is spelled', async () => {
    const { allow, isCovered } = await open();
    const first = { repo: 'tide/log', title: 'One', body: 'x' };
    await allow('issue', first, () => ({ open: ['body', 'title'] }));
    await allow('Bash', { command: 'git push origin main' }, (all) => all.choices.at(-1).covers);
    const texts = DISGUISES.filter((_, at) => at % 9 === 0);
    const harmless = new Set(corpus['harmless']);
    for (const text of texts.filter((each) => !harmless.has(each)))
      expect([text, await isCovered('issue', { ...first, title: text })]).toEqual([text, false]);
    for (const text of DISGUISES.filter((each) => /[^\w./ -]|(^| )-/.test(each)).slice(0, 60))
      expect([text, await isCovered('Bash', { command: `git push origin ${text}` })]).toEqual([text, false]);
  });

  it('a grant holds for what the same rule asks for: a rule that came later asks again', async () => {
    const { host, allow, isCovered } = await open();
    await allow('Write', { path: 'src/a.ts', content: 'x' }, pick('below', '.'));
    expect(await isCovered('Write', { path: 'src/b.ts', content: 'x' })).toBe(true);
    host.writePolicy('version: 1\nrules:\n  - { tool: Write, args: { path: "src/*" }, decide: ask }\n');
    host.broker.policy.lookAgain();
    expect(await isCovered('Write', { path: 'src/c.ts', content: 'x' })).toBe(false);
    expect(await isCovered('Write', { path: 'other.ts', content: 'x' })).toBe(true);
  });

  it('refuses what was not offered for this very request, and leaves it open', async () => {
    const { host, ada, offers, resolve, allow } = await open();
    const wide = (await allow('Write', { path: 'a.ts', content: 'x' }, () => 'exact')).choices.at(-1).covers;
    const calling = ada.call('issue', { repo: 'tide/log', title: 'One', extra: {} });
    const { id } = await host.pending();
    expect((await offers(id)).open).toEqual(['title']);
    for (const covers of [
      wide,
      { open: ['repo'] },
      { open: ['title', 'extra'] },
      { open: [] },
      { offer: '*' },
      'all',
    ]) {
      const { status, body } = await resolve(id, { decision: 'allow_always', covers });
      expect([covers, status, body.code]).toEqual([covers, 400, 'invalid']);
    }
    expect((await host.rest('GET', `/api/tools/approvals/${id}`)).body.approval.status).toBe('pending');
    expect((await host.rest('GET', '/api/tools/grants')).body.grants).toHaveLength(1);
    await resolve(id, { decision: 'deny' });
    await calling;
  });

  it('an agent that may decide narrows, and leaves widening to persons', async () => {
    const { host, ada, offers } = await open();
    const decider = {
      ...localPrincipal(''),
      kind: 'agent' as const,
      id: 'bob',
      bound: { agent: 'bob' },
      scopes: new Set(['tools:approve']),
    };
    const calling = ada.call('Write', { path: 'src/a.ts', content: 'x' });
    const { id } = await host.pending();
    const { choices } = await offers(id);
    const wide = { id, decision: 'allow_always' as const, covers: pick('below', '.')({ choices }) };
    await expect(host.decide(decider, (desk) => desk.resolve(wide))).rejects.toMatchObject({
      code: 'forbidden',
    });
    await host.decide(decider, (desk) =>
      desk.resolve({ ...wide, covers: pick('file', 'src/a.ts')({ choices }) }),
    );
    expect((await calling).isError).toBe(false);
    const other = ada.call('issue', { repo: 'tide/log', title: 'One' });
    const { id: second } = await host.pending();
    const opened = { id: second, decision: 'allow_always' as const, covers: { open: ['title'] } };
    await expect(host.decide(decider, (desk) => desk.resolve(opened))).rejects.toMatchObject({
      code: 'forbidden',
    });
    await host.decide(decider, (desk) => desk.resolve({ id: second, decision: 'deny' }));
    await other;
  });

  it('says how many calls of the past each would have covered', async () => {
    const { host, workspace, ada, offers, resolve } = await open(
      'version: 1\nrules:\n  - { tool: Write, decide: allow }\n',
    );
    writeFileSync(join(workspace, 'seen'), '');
    for (const path of ['src/a.ts', 'src/b.ts', 'src/deep/c.ts', 'd.ts'])
      await ada.call('Write', { path, content: 'x' });
    await host.connect({ agent: 'bob' }).call('Write', { path: 'src/z.ts', content: 'x' });
    host.writePolicy('version: 1\nrules: []\n');
    host.broker.policy.lookAgain();
    const calling = ada.call('Write', { path: 'src/e.ts', content: 'x' });
    const { id } = await host.pending();
    const { looked, choices } = await offers(id);
    expect(looked).toBe(5);
    expect(choices.map(({ shows, past }: any) => [JSON.stringify(shows), past])).toEqual([
      ['{}', 1],
      ['{"file":"src/e.ts"}', 1],
      ['{"path":"src/*"}', 3],
      ['{"below":"src"}', 4],
      ['{"below":"."}', 5],
    ]);
    await resolve(id, { decision: 'deny' });
    await calling;
  });
});
