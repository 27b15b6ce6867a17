import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toAnswer } from '../fixtures/tool-answer.ts';
import { ALICE } from '../fixtures/brain-host.ts';
import { freshFolder } from '../fixtures/databases.ts';
import { freshHome, startHub } from '../fixtures/hub-process.ts';
import { connectMemory } from '../fixtures/memory-host.ts';
import { startStdio } from '../fixtures/stdio-client.ts';

/** The published bin and the hub's path, each in a process of its own. */
const connect = async (env: NodeJS.ProcessEnv, args: readonly string[] = []) => {
  const client = await startStdio(env, 'clawbrain-mcp', [...args]);
  return {
    ...client,
    call: async (name: string, params: object = {}) =>
      toAnswer(await client.request('tools/call', { name, arguments: { ...params } })),
  };
};

describe('clawbrain-mcp', () => {
  it('introduces itself as documented and serves the seven tools', async () => {
    const client = await startStdio(freshHome(), 'clawbrain-mcp', []);
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '0' },
    };
    const { result: info } = await client.request('initialize', params);
    expect(info!['serverInfo']).toMatchObject({ name: 'clawbrain', version: '0.1.0' });
    const { result } = await client.request('tools/list', {});
    expect(result!['tools']).toHaveLength(7);
  });

  it.each([['CLAWBRAIN_DIR'], ['MEMORY_DIR']])(
    'keeps its files where %s says, also beside a hub that has others',
    async (variable) => {
      const folder = freshFolder();
      const env = freshHome();
      const hub = await startHub(env);
      const client = await connect({ ...env, [variable]: folder });
      const { id, path } = (await client.call('memory_store', ALICE)).value;
      expect(existsSync(join(folder, path))).toBe(true);
      expect(existsSync(join(env['HOLDFAST_HOME']!, 'vault', path))).toBe(false);
      const viaHub = await connectMemory(`${hub.address}/api/mcp/brain`, 'legacy', {});
      expect((await viaHub.call('memory_retrieve', { id })).value.code).toBe('not_found');
    },
  );

  it('shares one memory with the hub at /api/mcp/brain, in both eras', async () => {
    const env = freshHome();
    const alone = await connect(env);
    const { id } = (await alone.call('memory_store', ALICE)).value;
    const hub = await startHub(env);
    for (const era of ['legacy', 'modern'] as const) {
      const client = await connectMemory(`${hub.address}/api/mcp/brain`, era, {});
      expect((await client.call('memory_retrieve', { id })).value).toMatchObject({
        id,
        content: ALICE.content,
      });
    }
    const beside = await connect(env);
    expect((await beside.call('memory_search', { query: 'alice' })).value.results[0].id).toBe(id);
    const report = (await (await fetch(`${hub.address}/api/brain/report`)).json()) as {
      total_memories: number;
    };
    expect(report.total_memories).toBe(1);
  });

  it('knows two processes with one SESSION_ID as one session', async () => {
    const env = freshHome({ SESSION_ID: 'my-session' });
    const one = await connect(env);
    const { id } = (await one.call('memory_store', ALICE)).value;
    await one.call('memory_retrieve', { id });
    const two = await connect(env, ['--profile', 'extended']);
    expect((await two.call('memory_feedback', { outcome: 'good' })).value).toMatchObject({
      applied: true,
      moved: [{ id, before: 0.5 }],
    });
  });
});
