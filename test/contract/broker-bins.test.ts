import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freshFolder } from '../fixtures/databases.ts';
import { freshHome, runHoldfast, startHub } from '../fixtures/hub-process.ts';
import { startStdio } from '../fixtures/stdio-client.ts';

const pendingId = async (env: NodeJS.ProcessEnv): Promise<string> => {
  for (let i = 0; i < 50; i += 1) {
    const { out } = runHoldfast(env, ['approvals', 'list', '--json']);
    const [first] = (JSON.parse(out) as { approvals: { id: string }[] }).approvals;
    if (first) return first.id;
  }
  throw new Error('no approval was asked for');
};

describe('clawboo-mcp-tools', () => {
  it('lists the documented tools and calls them, without a hub', async () => {
    const client = await startStdio(freshHome(), 'clawboo-mcp-tools');
    const { result } = await client.request('tools/list');
    expect((result!['tools'] as { name: string }[]).map(({ name }) => name)).toEqual([
      'delete_path',
      'echo',
      'note',
    ]);
    const said = (await client.request('tools/call', { name: 'echo', arguments: { message: 'hi' } })).result!;
    expect((said['content'] as { text: string }[])[0]!.text).toBe('hi');
    expect(await client.end()).toBe(0);
  });

  it('a call without a hub is approved by another process', async () => {
    const env = freshHome();
    const client = await startStdio(env, 'clawboo-mcp-tools');
    const calling = client.request('tools/call', { name: 'delete_path', arguments: { path: '/tmp/x' } });
    expect(runHoldfast(env, ['approvals', 'allow', await pendingId(env)]).code).toBe(0);
    expect((await calling).result!['isError'] ?? false).toBe(false);
    await client.end();
  });

  it('an approval outlives the hub that was killed while a call waited', async () => {
    const env = freshHome({ HOLDFAST_APPROVAL_WAIT: '60s' });
    const hub = await startHub(env);
    const client = await startStdio(env, 'clawboo-mcp-tools');
    const first = client
      .request('tools/call', { name: 'delete_path', arguments: { path: '/tmp/x' } })
      .catch((error: Error) => error);
    const id = await pendingId(env);
    await hub.stop('SIGKILL');
    await first;
    expect(runHoldfast(env, ['approvals', 'allow', id]).out).toContain('allow_once');
    await startHub(env);
    const again = await client.request('tools/call', { name: 'delete_path', arguments: { path: '/tmp/x' } });
    expect(again.result!['isError'] ?? false).toBe(false);
    expect(runHoldfast(env, ['audit', 'verify']).code).toBe(0);
    await client.end();
  });

  it('deletes inside the workspace of the hub, and a key in secrets.yaml brings web_search', async () => {
    const workspace = freshFolder();
    mkdirSync(join(workspace, 'docs'));
    writeFileSync(join(workspace, 'docs', 'a.txt'), 'x');
    const env = freshHome({ HOLDFAST_WORKSPACE: workspace });
    writeFileSync(
      join(env['HOLDFAST_HOME']!, 'policy.yaml'),
      'version: 1\nrules:\n  - { tool: delete_path, args: { path: "docs/*" }, decide: allow }\n',
    );
    await startHub(env);
    const client = await startStdio(env, 'clawboo-mcp-tools');
    await client.request('tools/call', { name: 'delete_path', arguments: { path: 'docs/a.txt' } });
    expect(existsSync(join(workspace, 'docs', 'a.txt'))).toBe(false);
    const names = async () =>
      ((await client.request('tools/list')).result!['tools'] as { name: string }[]).map(({ name }) => name);
    expect(await names()).not.toContain('web_search');
    writeFileSync(join(env['HOLDFAST_HOME']!, 'secrets.yaml'), 'TAVILY_API_KEY: tvly-x\n', { mode: 0o600 });
    let listed = await names();
    for (let i = 0; i < 60 && !listed.includes('web_search'); i += 1) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      listed = await names();
    }
    expect(listed).toContain('web_search');
    await client.end();
  });
});
