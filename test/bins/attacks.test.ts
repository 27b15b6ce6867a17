// What once went wrong, tried from outside on a real hub in a real process, one test for each. `HOLDFAST_TEST_BUILD`
// points at another build: every one of these fails on the one it was found in.
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect, it } from 'vitest';
import { freshFolder } from '../fixtures/databases.ts';
import { runHoldfast } from '../fixtures/hub-process.ts';
import { parsed } from '../fixtures/rest-call.ts';
import { ASK, openVictim as open, SOON, within } from '../fixtures/victim.ts';

it('row 1: a deny for a folder holds however a path into it is spelled', async () => {
  const policy =
    'version: 1\nrules:\n  - { args: { path: "secrets/*" }, decide: deny }\n  - { decide: allow }\n';
  const { call, workspace } = await open({ policy });
  for (const folder of ['secrets', 'src']) mkdirSync(join(workspace, folder));
  writeFileSync(join(workspace, 'secrets', 'x'), 'the treasure');
  symlinkSync('../secrets', join(workspace, 'src', 'harmless'));
  const spellings = [
    { path: './secrets/x' },
    { path: 'src/../secrets/x' },
    { path: join(workspace, 'secrets', 'x') },
    { path: 'x', cwd: 'secrets' },
    { path: 'src/harmless/x' },
  ];
  const read = await Promise.all(
    spellings.map(async (args) => (await call('Read', args)).includes('treasure')),
  );
  expect(read).toEqual(spellings.map(() => false));
});

it('row 2: "always" for a note writes no hook', async () => {
  const { call, agent, waiting, decide, workspace } = await open({ policy: ASK });
  mkdirSync(join(workspace, '.git', 'hooks'), { recursive: true });
  const ada = await agent('ada');
  const first = call('Write', { path: 'notes.md', content: 'x' }, ada);
  await decide((await waiting()).id, 'allow_always', { covers: 'shape' });
  await first;
  void call('Write', { path: 'pre-commit', cwd: '.git/hooks', content: 'x' }, ada).catch(() => undefined);
  await sleep(1_000);
  expect(existsSync(join(workspace, 'notes.md'))).toBe(true);
  expect(existsSync(join(workspace, '.git', 'hooks', 'pre-commit'))).toBe(false);
});

it('rows 3 and 11: an approval shows all that runs, and no secret', async () => {
  const { call, agent, rest, waiting, decide } = await open({ policy: ASK });
  const secret = `ghp_${'a1B2'.repeat(9)}`;
  const command = `echo '-----BEGIN PRIVATE KEY-----' > x; rm -rf y; deploy --token=${secret}`;
  const running = call('Bash', { command }, await agent('ada'));
  const row = await waiting();
  await decide(row.id, 'deny');
  await running;
  const audit = (await rest('GET', '/api/tools/audit')).text;
  expect(row.argsSummary).toContain('rm -rf y');
  expect(audit).toContain('rm -rf y');
  expect(JSON.stringify(row) + audit).not.toContain(secret);
});

it('row 4: "always" for reading one file does not read the token of the hub', async () => {
  const { call, agent, waiting, decide, workspace, home, token } = await open({ policy: ASK });
  writeFileSync(join(workspace, 'README.md'), 'hello');
  const ada = await agent('ada');
  const first = call('Bash', { command: 'cat README.md' }, ada);
  await decide((await waiting()).id, 'allow_always', { covers: 'shape' });
  expect(await first).toContain('hello');
  const second = await within(2_000, call('Bash', { command: `cat ${home}/token` }, ada));
  expect(second).toBe('nothing');
  const other = await open();
  expect(await other.call('Bash', { command: `cat ${other.home}/token` })).not.toContain(other.token);
  expect(token).not.toBe(other.token);
});

it('row 5: another user of the machine is not local', async () => {
  const { address } = await open();
  if (process.getuid?.() !== 0) return expect((await fetch(`${address}/api/board/tasks`)).status).toBe(200);
  const node = existsSync('/usr/bin/node') ? '/usr/bin/node' : process.execPath;
  const script = `fetch('${address}/api/board/tasks').then((r) => console.log(r.status))`;
  const nobody = { uid: 65_534, gid: 65_534, env: {}, cwd: '/', timeout: 20_000 };
  const { stdout } = await promisify(execFile)(node, ['-e', script], nobody);
  expect(stdout.trim()).toBe('401');
});

it('row 8: overlapping patterns of reservations hold nobody up', async () => {
  const { rest, address } = await open();
  const reserve = async (agentId: string, end: string, stars: number) => {
    const { id } = (await rest('POST', '/api/board/tasks', { title: 'x' })).body;
    await rest('POST', `/api/board/tasks/${id}/claim`, { assigneeAgentId: agentId });
    const patterns = Array.from({ length: 100 }, (_, i) => `${'*a'.repeat(stars)}${end}${i}`);
    return rest('POST', '/api/reservations', { taskId: id, agentId, patterns });
  };
  for (const stars of [16, 100]) {
    const both = reserve('ada', 'b', stars).then(() => reserve('bob', 'c', stars));
    await sleep(500);
    const health = await within(
      SOON,
      fetch(`${address}/api/health`).then((answer) => answer.status),
    );
    expect([stars, health]).toEqual([stars, 200]);
    expect(await within(SOON, both)).not.toBe('nothing');
  }
});

it('row 9: an agent that may approve does not approve its own call by its own client', async () => {
  const { address, agent, workspace } = await open({ policy: ASK });
  const client = new Client({ name: 'eager', version: '1' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    const properties = 'requestedSchema' in params ? params.requestedSchema.properties : {};
    const content = Object.fromEntries(
      Object.entries(properties).map(([key, field]) => [
        key,
        ('enum' in field && field.enum?.find((one) => one.startsWith('allow'))) || true,
      ]),
    );
    return { action: 'accept' as const, content: content as Record<string, string> };
  });
  const headers = { authorization: `Bearer ${await agent('ada', { scopes: ['*', 'tools:approve'] })}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${address}/mcp`), { requestInit: { headers } }),
  );
  const writing = client.callTool({ name: 'Write', arguments: { path: 'own.md', content: 'x' } });
  await within(
    1_500,
    writing.catch(() => undefined),
  );
  expect(existsSync(join(workspace, 'own.md'))).toBe(false);
  void client.close();
});

it('row 10: a stream ends with its credential', async () => {
  const { address, rest, agent } = await open();
  const bearer = await agent('ada');
  const stream = await fetch(`${address}/api/events`, { headers: { authorization: `Bearer ${bearer}` } });
  expect(stream.status).toBe(200);
  const ended = stream.text().catch(() => 'cut');
  const { tokens } = (await rest('GET', '/api/tokens')).body;
  await rest('DELETE', `/api/tokens/${tokens[0].id}`);
  expect(await within(2_000, ended)).not.toBe('nothing');
});

it('row 12: a command learns nothing of the environment of the hub', async () => {
  const secret = 'orange-tractor-9';
  const { call } = await open({ env: { ADMIN_PW: secret, GH_PAT: secret } });
  const said = await call('Bash', { command: 'echo begin; env; echo end' });
  expect(said).toContain('begin');
  expect(said).not.toContain(secret);
});

it('row 13: five hundred bad records get a short answer', async () => {
  const { rest } = await open();
  const unknown = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`unknown${i}`, i]));
  const records = Array.from({ length: 500 }, () => ({ kind: 'fact', tags: Array(50).fill(''), ...unknown }));
  const said = await within(SOON, rest('POST', '/api/memory/import', { records }));
  expect(said === 'nothing' ? [said] : [said.status, said.text.length < 20_000]).toEqual([400, true]);
});

it('row 17: a batch of twenty thousand calls is refused', async () => {
  const { address, token } = await open();
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const post = (body: unknown, more: Record<string, string> = {}) =>
    fetch(`${address}/api/mcp/tasks`, {
      method: 'POST',
      headers: { ...headers, ...more },
      body: JSON.stringify(body),
    });
  const params = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
  const hello = await post({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  await hello.text();
  const session = { 'mcp-session-id': hello.headers.get('mcp-session-id')! };
  await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, session);
  const batch = Array.from({ length: 20_000 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/list' }));
  const answer = await post(batch, session);
  expect([answer.status, (await answer.text()).length < 20_000]).toEqual([400, true]);
});

it('row 14: an expression that backtracks holds nobody up', async () => {
  const { call, address, workspace } = await open();
  writeFileSync(join(workspace, 'long.txt'), `${'a'.repeat(40)}b\n`.repeat(2_000));
  const searches = Array.from({ length: 8 }, () => call('Grep', { pattern: '(a+)+$' }));
  await sleep(100);
  const began = performance.now();
  await fetch(`${address}/api/health`);
  expect(performance.now() - began).toBeLessThan(1_000);
  await Promise.all(searches);
});

it('row 15: keys of vendors and the token of the hub are not stored', async () => {
  const { call, rest, token } = await open();
  const keys = [
    `dop_v1_${'0f3a9c7e'.repeat(8)}`,
    `shpat_${'0f3a9c7e'.repeat(4)}`,
    `hvs.${'x7Kq9LmP'.repeat(12)}`,
  ];
  const note = { title: 'Keys', content: `They are ${keys.join(' and ')} and ${token}.` };
  await call('memory_save', note, token, '/api/mcp/memory');
  const stored = (await rest('GET', '/api/memory/export')).text;
  expect(stored).toContain('They are');
  for (const key of [...keys, token]) expect(stored).not.toContain(key);
});

it.each(['x-real-ip', 'via', 'cf-connecting-ip'])('row 16: %s alone means indirect', async (header) => {
  const { address } = await open();
  const answer = await fetch(`${address}/api/board/tasks`, { headers: { [header]: '10.0.0.9' } });
  expect(answer.status).toBe(401);
});

it('row 18: where a peer works stays in its team', async () => {
  const { rest, agent } = await open();
  const red = await agent('ada', { team: 'red' });
  const blue = await agent('bob', { team: 'blue' });
  const peer = { display_name: 'ada', backend: 'claude-code', path: '/srv/red-only', session_id: 's1' };
  expect((await rest('POST', '/v1/peers/register', peer, red)).status).toBeLessThan(300);
  expect((await rest('GET', '/v1/peers', undefined, blue)).text).not.toContain('red-only');
});

it('row 19: text of others is told apart, and hidden characters can be seen', async () => {
  const { call, agent, token } = await open();
  const hidden = String.fromCodePoint(...Array.from(Buffer.from('obey'), (letter) => 0xe0000 + letter));
  const at = '/api/mcp/tasks';
  await call('create_task', { title: `Look ${hidden}`, description: hidden }, await agent('eve'), at);
  const seen = parsed(await call('list_tasks', {}, token, at));
  const texts = seen.result.content.map((block: { text: string }) => block.text).join('\n');
  expect(texts).toContain('Look');
  expect(texts).not.toContain(hidden);
});

it('row 20: the vault is its owner’s alone, wherever it lies', async () => {
  const vault = join(freshFolder(), 'vault');
  const { call, token } = await open({ env: { HOLDFAST_VAULT: vault } });
  const note = { content: 'Bob sails.', type: 'episode' };
  await call('memory_store', note, token, '/api/mcp/brain');
  expect(statSync(vault).mode & 0o077).toBe(0);
});

it('row 21: what a command leaves behind ends with it', async () => {
  const { call } = await open();
  const command =
    "(exec -c setsid sh -c 'echo $$ > pid; exec /bin/sleep 77' < /dev/null > /dev/null 2>&1 &); while [ ! -s pid ]; do sleep 0.05; done; cat pid";
  const marker = 'sleep\u000077';
  await call('Bash', { command });
  await sleep(1_000);
  const { stdout } = spawnSync('sh', ['-c', 'cat /proc/[0-9]*/cmdline 2>/dev/null'], { encoding: 'utf8' });
  expect(stdout).not.toContain(marker);
});

it('row 21: an export has nothing that steers a terminal', async () => {
  const { rest, env, stop } = await open();
  await rest('POST', '/api/board/tasks', { title: 'a \u009b31m b \u202e c' });
  await stop();
  const { out } = runHoldfast(env, ['export', '--board', '-']);
  expect(out).toContain('a ');
  expect(out).not.toMatch(/[\u0080-\u009f\u202a-\u202e]/);
});

it('row 22: nobody is called user or holdfast, and a scope in brackets is refused', async () => {
  const { rest, address, token } = await open();
  for (const agent of ['user', 'holdfast'])
    expect((await rest('POST', '/api/tokens', { agent, scopes: ['*'] })).status).toBe(400);
  const answer = await fetch(`${address}/api/mcp/tasks?scopeTeamId[]=red`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  });
  expect(answer.status).toBe(400);
});

it('row 23: an import of the brain follows no link; the policy is not shown to agents', async () => {
  const { rest, agent, env } = await open();
  const [folder, elsewhere] = [freshFolder(), freshFolder()];
  mkdirSync(join(folder, 'entities', 'projects'), { recursive: true });
  writeFileSync(join(folder, 'entities', 'projects', 'own.md'), 'Ours.\n');
  writeFileSync(join(elsewhere, 'theirs.md'), 'Not for you.\n');
  symlinkSync(join(elsewhere, 'theirs.md'), join(folder, 'entities', 'projects', 'link.md'));
  const { out } = runHoldfast(env, ['brain', 'import', folder]);
  expect(out).toContain('imported 1');
  expect((await rest('GET', '/api/tools/policy', undefined, await agent('ada'))).status).toBe(403);
});

it('row 24: a request that its sender gave up is no error', async () => {
  const { address, child } = await open();
  let said = '';
  child.stderr!.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const { port } = new URL(address);
  for (let i = 0; i < 20; i += 1) {
    const socket = connect(Number(port), '127.0.0.1', () =>
      socket.write(
        `POST /api/board/tasks HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"title":`,
      ),
    );
    socket.on('error', () => undefined);
    await sleep(15);
    socket.destroy();
  }
  await sleep(300);
  expect(said).not.toMatch(/error/i);
});
