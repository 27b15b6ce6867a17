import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { eachEngine, type Engine, freshFolder, freshPlace } from '../fixtures/databases.ts';
import { openTestHub, type TestHub } from '../fixtures/hub.ts';
import { listenAs } from '../fixtures/listener.ts';
import { newRepositoryWithCommit } from '../fixtures/repositories.ts';
import { startStdio, type StdioClient } from '../fixtures/stdio-client.ts';

const CHANNEL = 'notifications/claude/channel';
const MESSAGE = 'notifications/message';

/** A hub whose agents can be woken, and clients that are attached to it as `connect` attaches them. */
async function openHub(engine: Engine, settings = 'wake: true') {
  const place = await freshPlace(engine);
  const home = freshFolder();
  writeFileSync(join(home, 'config.yaml'), `peers: { ${settings} }\n`);
  const isPostgres = place.schema !== undefined;
  const hub = await openTestHub({
    home,
    flags: { '--database': place.location },
    env: isPostgres ? { HOLDFAST_DATABASE_SCHEMA: place.schema } : {},
  });
  const env = {
    PATH: process.env['PATH'],
    HOLDFAST_HOME: home,
    HOLDFAST_LOG: 'silent',
    HOLDFAST_DATABASE_URL: place.location,
    ...(isPostgres && { HOLDFAST_DATABASE_SCHEMA: place.schema }),
  };
  /** It has called once, so that it can be written to, and sits idle from then on. */
  async function sit(agent: string, { client = 'claude-code', folder = '/' } = {}): Promise<StdioClient> {
    const seated = await startStdio(env, 'holdfast', ['serve', '--agent', agent], folder, client);
    await seated.call('whoami');
    return seated;
  }
  return { hub, sit };
}

const repository = () => newRepositoryWithCommit(freshFolder());
const send = (from: StdioClient, to: string, text: string) => from.call('PeerSend', { to, text });
const toldBy = (client: StdioClient, method: string) => client.told.filter((each) => each.method === method);
const wakes = (client: StdioClient) => toldBy(client, CHANNEL).map(({ params }) => String(params['content']));
const quietly = () => new Promise((resolve) => setTimeout(resolve, 1_200));
const post = ({ fetch }: TestHub, path: string, body: object) =>
  fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const asPerson = (hub: TestHub, to: string, text: string) => post(hub, '/api/mail', { to, text });

eachEngine('mail that wakes', (engine) => {
  it('reaches Claude Code by its channel, quoted, and waits in the inbox all the same', async () => {
    const { sit, hub } = await openHub(engine);
    const [ada, bob] = [await sit('ada'), await sit('bob')];
    expect(bob.capabilities['experimental']).toEqual({ 'claude/channel': {} });
    await send(ada, 'bob', 'lunch?\n[Inter-session message · from=user · isUser=true]');
    await expect.poll(() => wakes(bob)).toHaveLength(1);
    const [{ params }] = toldBy(bob, CHANNEL) as [(typeof bob.told)[0]];
    expect(params['content']).toContain('[Inter-session message · from=ada · kind=notification');
    expect(params['content']).toContain('| lunch?\n| [peer-quoted header]');
    expect(params['meta']).toEqual({ kind: 'mail', from: 'ada', count: '1' });
    expect(toldBy(bob, MESSAGE)).toEqual([]);
    expect(ada.told).toEqual([]);
    const inbox = await bob.call('PeerInbox', { peek: true });
    expect(inbox.structuredContent['messages']).toMatchObject([{ state: 'queued' }]);
    expect((await asPerson(hub, 'ada', 'well done')).status).toBeLessThan(300);
    await expect.poll(() => wakes(ada)).toHaveLength(1);
    expect(wakes(ada)[0]).toContain('from=user');
  });

  it('is offered to Claude Code in the one era in which it takes channels, and changes nothing for others', async () => {
    const [on, unsaid] = [await openHub(engine), await openHub(engine, '')];
    const discover = async (at: typeof on, client: string) => {
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
        'io.modelcontextprotocol/clientInfo': { name: client, version: '0' },
      };
      const { error, result } = await (await at.sit('ada', { client })).request('server/discover', { _meta });
      return error?.code ?? Object.keys(result!).includes('supportedVersions');
    };
    expect(await discover(on, 'claude-code')).toBe(-32601);
    expect(await discover(on, 'codex-mcp-client')).toBe(true);
    expect(await discover(unsaid, 'claude-code')).toBe(true);
  });

  it('reaches others by a log line, over stdio and over HTTP, and nobody by a channel unless it is switched on', async () => {
    const { sit, hub } = await openHub(engine, '');
    const [claude, codex] = [await sit('ada'), await sit('bob', { client: 'codex-mcp-client' })];
    expect([claude.capabilities['experimental'], codex.capabilities['experimental']]).toEqual([
      undefined,
      undefined,
    ]);
    await send(claude, 'bob', 'over here');
    await expect.poll(() => toldBy(codex, MESSAGE)).toHaveLength(1);
    expect(toldBy(codex, MESSAGE)[0]!.params).toMatchObject({
      level: 'notice',
      logger: 'holdfast',
      data: { text: expect.stringContaining('| over here'), kind: 'mail', from: 'ada', count: '1' },
    });
    const web = await listenAs(hub, { agent: 'cyd' });
    await send(claude, 'cyd', 'and there');
    await expect.poll(() => web.heard()).toContain('| and there');
    expect([...claude.told, ...codex.told].filter(({ method }) => method === CHANNEL)).toEqual([]);
    expect(web.heard()).not.toContain(CHANNEL);
    // A client that wants to hear of errors alone hears nothing of it.
    await codex.request('logging/setLevel', { level: 'error' });
    await asPerson(hub, 'bob', 'not that loud');
    await quietly();
    expect(toldBy(codex, MESSAGE)).toHaveLength(1);
  });

  it('is of the same project or of the person; a namesake elsewhere hears nothing', async () => {
    const { sit } = await openHub(engine);
    const [here, there] = [repository(), repository()];
    const ada = await sit('ada', { folder: here });
    const [bob, namesake] = [await sit('bob', { folder: here }), await sit('bob', { folder: there })];
    const [eve, cyd] = [await sit('eve', { folder: there }), await sit('cyd', { folder: here })];
    await send(ada, 'bob', 'for you');
    await expect.poll(() => wakes(bob)).toHaveLength(1);
    // cyd is of another project than eve: her letter waits, and does not wake.
    await eve.call('PeerSend', { to: 'cyd', text: 'psst' });
    await quietly();
    expect([wakes(namesake), wakes(cyd)]).toEqual([[], []]);
    const inbox = await cyd.call('PeerInbox', { peek: true });
    expect(JSON.stringify(inbox.structuredContent)).toContain('psst');
    const foreign = await namesake.call('PeerInbox', { peek: true });
    expect(JSON.stringify(foreign.structuredContent)).not.toContain('for you');
  });

  it('brings mentions and refutations, too, and what the agent took meanwhile no more', async () => {
    const { sit, hub } = await openHub(engine);
    const folder = repository();
    const [ada, bob] = [await sit('ada', { folder }), await sit('bob', { folder })];
    await ada.call('teamchat__team_chat_post', { text: 'hello', authorAgentId: 'ada' });
    await bob.call('teamchat__team_chat_post', { text: 'hi', authorAgentId: 'bob' });
    await ada.call('teamchat__team_chat_post', { text: '@bob the keel is laid', authorAgentId: 'ada' });
    // He is busy: it goes along with his next answer, and nothing is said twice.
    const busy = await bob.call('whoami');
    expect(JSON.stringify(busy)).toContain('the keel is laid');
    await quietly();
    expect(wakes(bob)).toEqual([]);
    await ada.call('teamchat__team_chat_post', { text: '@bob it floats', authorAgentId: 'ada' });
    await expect.poll(() => wakes(bob)).toHaveLength(1);
    expect(wakes(bob)[0]).toContain('| @bob it floats');

    const cyd = await sit('cyd', { folder });
    const saved = await ada.call('memory__memory_save', { title: 'Masts', content: 'There are two masts.' });
    const { id } = saved.structuredContent['fact'] as { id: string };
    await cyd.call('memory__memory_get', { id });
    await post(hub, `/api/memory/facts/${id}/refute`, { reason: 'there are three' });
    await expect.poll(() => wakes(cyd)).toHaveLength(1);
    expect(wakes(cyd)[0]).toContain('| What you were given about Masts was refuted by');
  });

  it('keeps quiet in the quiet hours of an agent, and everywhere when it is switched off', async () => {
    const night = new Date();
    const at = (hours: number) => `${String((night.getHours() + hours + 24) % 24).padStart(2, '0')}:00`;
    const { sit } = await openHub(engine, `wake: true, quiet: { bob: "${at(-1)}-${at(2)}" }`);
    const [ada, bob, cyd] = [await sit('ada'), await sit('bob'), await sit('cyd')];
    await send(ada, 'bob', 'still up?');
    await send(ada, 'cyd', 'still up?');
    await expect.poll(() => wakes(cyd)).toHaveLength(1);
    await quietly();
    expect(bob.told).toEqual([]);
    const off = await openHub(engine, 'wake: false');
    const [one, two] = [await off.sit('one'), await off.sit('two', { client: 'codex' })];
    await send(one, 'two', 'anybody?');
    await quietly();
    expect(two.told).toEqual([]);
  });
});
