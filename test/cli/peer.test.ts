import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { builtBin } from '../fixtures/built.ts';
import { freshHome, runHoldfast, startHub } from '../fixtures/hub-process.ts';
import { openTerminal } from '../fixtures/terminal.ts';

type Peer = { peer_id: string; agent_id: string; status: string; path: string };

it('registers, lists, sends, fetches and deregisters', async () => {
  const terminal = openTerminal(undefined, freshHome({ HOLDFAST_PEER_SESSION: 's1' }));
  const peer = await terminal.json<Peer>('peer', 'register', '--backend', 'codex', '--name', 'ada');
  expect(peer).toMatchObject({ agent_id: 'ada', status: 'online', path: '/' });
  expect((await terminal.run('peer', 'register', '--backend', 'codex', '--name', 'ada')).out).toBe(
    peer.peer_id,
  );
  expect((await terminal.json<Peer>('peer', 'heartbeat', '--status', 'busy')).status).toBe('busy');
  expect((await terminal.run('peer', 'list')).out).toMatch(/ada .*busy/);
  const sent = await terminal.run('peer', 'send', 'ada', 'look', 'here');
  expect(sent.err).toContain('Queued for ada');
  expect((await terminal.json<{ messages: object[] }>('peer', 'inbox', '--peek')).messages).toHaveLength(1);
  expect((await terminal.run('peer', 'inbox')).out).toMatch(/user \(notification, .*\): look here$/);
  expect((await terminal.run('peer', 'inbox', 'ada')).err).toBe('No mail.');
  expect((await terminal.run('peer', 'deregister')).code).toBe(0);
  expect((await terminal.run('peer', 'deregister')).code).toBe(3);
  expect((await terminal.run('peer', 'list')).err).toBe('Nobody is registered.');
});

it('names a session by the end of its peer_id, as the list shows it', async () => {
  const terminal = openTerminal();
  const register = (name: string) =>
    terminal.json<Peer>('peer', 'register', '--backend', 'codex', '--name', name, '--session', name);
  const [ada, bob] = [await register('ada'), await register('bob')];
  const short = ada.peer_id.slice(-8);
  expect((await terminal.run('peer', 'list')).out).toMatch(new RegExp(`^${short}  ada`, 'm'));
  await terminal.run('peer', 'send', short, 'look', '--from', bob.peer_id.slice(-8));
  expect((await terminal.run('peer', 'inbox', short)).out).toMatch(/bob \(notification, .*\): look$/);
  expect((await terminal.run('peer', 'heartbeat', short, '--status', 'busy')).out).toBe('ada is busy.');
  expect((await terminal.run('peer', 'deregister', short)).code).toBe(0);
  expect((await terminal.run('peer', 'heartbeat', short)).code).toBe(3);
});

it('shows the person at the hub what was answered', async () => {
  const terminal = openTerminal();
  expect((await terminal.run('peer', 'inbox')).err).toBe('No mail.');
  const { agent_id: ada } = await terminal.json<Peer>(
    'peer',
    'register',
    '--backend',
    'codex',
    '--name',
    'ada',
    '--circle',
    'red',
  );
  const { id } = await terminal.json<{ id: string }>('peer', 'send', ada, 'how far are you?');
  await terminal.run('peer', 'send', 'user', 'done', '--from', ada, '--reply-to', id);
  expect((await terminal.run('peer', 'inbox')).out).toMatch(/ada \(notification, .*\): done$/);
  expect((await terminal.run('peer', 'inbox', '--circle', 'blue')).code).toBe(5);
});

it('says what is wrong', async () => {
  const terminal = openTerminal();
  expect((await terminal.run('peer', 'register')).code).toBe(2);
  expect((await terminal.run('peer', 'heartbeat')).err).toContain('HOLDFAST_PEER_SESSION');
  expect((await terminal.run('peer', 'send', 'nobody', 'x')).code).toBe(3);
  expect((await terminal.run('peer', 'list', '--status', 'asleep')).code).toBe(2);
});

it.each(['claude-code', 'codex', 'gemini'])(
  'prints a hook pack for %s that is JSON and calls only holdfast',
  async (client) => {
    const terminal = openTerminal();
    const { out, err, code } = await terminal.run('hooks', 'print', client, '--agent', 'ada');
    expect([code, err]).toEqual([0, expect.stringContaining('Put this into')]);
    const { hooks } = JSON.parse(out) as { hooks: Record<string, { hooks: { command: string }[] }[]> };
    const database = join(terminal.env['HOLDFAST_HOME']!, 'holdfast.db');
    const absolute = `${process.execPath} ${builtBin('holdfast')} hooks run ${client} --database ${database} --agent ada`;
    for (const groups of Object.values(hooks)) expect(groups[0]!.hooks[0]!.command).toBe(absolute);
    const shared = await terminal.run('hooks', 'print', client, '--project');
    expect(shared.out).toContain(`"holdfast hooks run ${client}"`);
    expect(shared.out).not.toContain(process.execPath);
  },
);

it('prints a plugin for opencode and refuses clients it does not know', async () => {
  const terminal = openTerminal();
  const { out } = await terminal.run('hooks', 'print', 'opencode');
  const module = (await import(`data:text/javascript,${encodeURIComponent(out)}`)) as { Holdfast: unknown };
  expect(module.Holdfast).toBeTypeOf('function');
});

it(
  'takes a session through its life by hooks: registered, mail brought once, gone',
  { timeout: 60_000 },
  async () => {
    const env = freshHome();
    await startHub(env);
    const hook = (event: string, cwd = '/repo/shop') =>
      runHoldfast(
        env,
        ['hooks', 'run', 'claude-code'],
        JSON.stringify({ hook_event_name: event, session_id: 's1', cwd }),
      );
    const peers = () =>
      (JSON.parse(runHoldfast(env, ['peer', 'list', '--json']).out) as { peers: Peer[] }).peers;
    expect(hook('SessionStart')).toMatchObject({ code: 0, out: '' });
    expect(peers()).toMatchObject([
      { agent_id: 'shop-claude-code', status: 'online', metadata: { team: 'shop' } },
    ]);
    runHoldfast(env, ['peer', 'send', 'shop-claude-code', 'tests are red']);
    const { out } = hook('UserPromptSubmit');
    expect(JSON.parse(out)).toEqual({
      hookSpecificOutput: {
        hookEventName: 'UserPromptSubmit',
        additionalContext: expect.stringContaining('| tests are red'),
      },
    });
    expect(peers()[0]!.status).toBe('busy');
    expect(hook('PostToolUse', '/repo/shop/src').out).toBe('');
    expect(peers()).toHaveLength(1);
    hook('Stop');
    expect(peers()[0]!.status).toBe('online');
    hook('SessionEnd');
    expect(peers()).toEqual([]);
  },
);

it(
  'goes the short way beside a hub, and the long one where config.yaml says more about the database than its place',
  { timeout: 60_000 },
  async () => {
    const short = readFileSync(builtBin('hook-main'), 'utf8');
    // Nothing is loaded but what Node has in itself; what starts programs only when it does.
    expect(short).not.toMatch(/\bfrom ?["'`]/);
    const builtins = [...short.matchAll(/getBuiltinModule\(`([^`]+)`\)/g)].map(([, name]) => name);
    expect(builtins.toSorted()).toEqual([
      'node:child_process',
      'node:fs',
      'node:net',
      'node:os',
      'node:path',
    ]);
    const env = freshHome();
    const config = join(env['HOLDFAST_HOME']!, 'config.yaml');
    writeFileSync(config, 'limits:\n  children: 20\n');
    await startHub(env);
    const event = (name: string, session: string) =>
      JSON.stringify({ hook_event_name: name, session_id: session, cwd: '/repo/shop' });
    const hook = (name: string, session: string) =>
      runHoldfast(env, ['hooks', 'run', 'codex'], event(name, session));
    expect(hook('SessionStart', 's1')).toMatchObject({ code: 0, out: '', err: '' });
    writeFileSync(config, `database: "${join(env['HOLDFAST_HOME']!, 'holdfast.db')}"\n`);
    expect(hook('SessionStart', 's2')).toMatchObject({ code: 0, out: '', err: '' });
    writeFileSync(config, `{ database: ${join(env['HOLDFAST_HOME']!, 'holdfast.db')} }\n`);
    expect(hook('SessionStart', 's3')).toMatchObject({ code: 0, out: '', err: '' });
    const { peers } = JSON.parse(runHoldfast(env, ['peer', 'list', '--json']).out) as { peers: Peer[] };
    expect(peers).toHaveLength(3);
  },
);

it(
  'the plugin for opencode loses no mail: it fetches only where a result can carry it',
  { timeout: 60_000 },
  async () => {
    const env = freshHome();
    await startHub(env);
    const { out } = runHoldfast(env, ['hooks', 'print', 'opencode']);
    const { Holdfast } = (await import(`data:text/javascript,${encodeURIComponent(out)}`)) as {
      Holdfast: OpenCodePlugin;
    };
    const shell = (
      _: TemplateStringsArray,
      [node, holdfast, ...args]: readonly string[],
      input: Response,
    ) => ({
      quiet: () => ({
        async nothrow() {
          expect([node, holdfast]).toEqual([process.execPath, builtBin('holdfast')]);
          return { stdout: runHoldfast(env, args, await input.text()).out };
        },
      }),
    });
    const plugin = await Holdfast({ $: shell, directory: '/repo/shop' });
    const afterTool = async (output: object) => {
      await plugin['tool.execute.after']({ sessionID: 's1' }, output);
      return output;
    };
    const mail = (text: string) => runHoldfast(env, ['peer', 'send', 'shop-opencode', text]);

    await plugin.event({
      event: { type: 'session.created', properties: { info: { id: 'child', parentID: 's1' } } },
    });
    await plugin.event({ event: { type: 'session.created', properties: { info: { id: 's1' } } } });
    mail('one');
    await plugin.event({ event: { type: 'session.created', properties: { info: { id: 's1' } } } });
    expect(await afterTool({ title: 'no place for text' })).toEqual({ title: 'no place for text' });
    expect(await afterTool({ output: 'ok' })).toEqual({
      output: expect.stringMatching(/^ok\n\nMail for you[^]*\| one$/),
    });
    mail('two');
    expect(await afterTool({ content: [] })).toEqual({
      content: [{ type: 'text', text: expect.stringMatching(/\| two$/) }],
    });
    expect(await afterTool({ output: 'ok' })).toEqual({ output: 'ok' });
    await plugin.event({ event: { type: 'session.deleted', properties: { info: { id: 's1' } } } });
    expect(JSON.parse(runHoldfast(env, ['peer', 'list', '--json']).out)).toMatchObject({ count: 0 });
  },
);

type OpenCodePlugin = (context: object) => Promise<{
  event(given: object): Promise<void>;
  'tool.execute.after'(input: object, output: object): Promise<void>;
}>;

it('a hook that cannot do its work never fails its client', () => {
  const env = freshHome();
  for (const input of [
    '',
    'not json',
    '{}',
    '{"hook_event_name":"SessionStart"}',
    '{"hook_event_name":"Unknown","session_id":"x"}',
  ]) {
    expect(runHoldfast(env, ['hooks', 'run', 'claude-code'], input)).toMatchObject({ code: 0, out: '' });
  }
});
