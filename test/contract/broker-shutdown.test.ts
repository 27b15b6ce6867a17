import { describe, expect, it } from 'vitest';
import { freshHome, runHoldfast, startHub } from '../fixtures/hub-process.ts';
import { modernCall } from '../fixtures/modern-call.ts';

describe('a hub that shuts down while a call waits for approval', () => {
  it('answers "pending, retry" at once and keeps the request', async () => {
    const env = freshHome();
    const hub = await startHub(env);
    const calling = modernCall(`${hub.address}/api/mcp/tools`, {
      name: 'delete_path',
      args: { path: '/tmp/x' },
    }).then((response) => response.text());
    const pending = () =>
      (JSON.parse(runHoldfast(env, ['approvals', 'list', '--json']).out) as { approvals: { id: string }[] })
        .approvals;
    let waiting: { id: string }[] = [];
    while (waiting.length === 0) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      waiting = pending();
    }
    const startedAt = Date.now();
    expect(await hub.stop('SIGTERM')).toBe(0);
    expect(Date.now() - startedAt).toBeLessThan(60_000);
    expect(await calling).toContain('approval pending');
    expect(pending()[0]!.id).toBe(waiting[0]!.id);
  });
});
