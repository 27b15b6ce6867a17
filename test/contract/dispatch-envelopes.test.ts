import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createIdentity } from '../../src/features/dispatch/messages/envelopes.ts';
import { systemActor } from '../../src/kernel/principal.ts';
import { sql } from '../../src/store/sql.ts';
import { eachEngine, freshFolder } from '../fixtures/databases.ts';
import { dispatchHub, type DispatchHub, openAt, PATIENCE } from '../fixtures/dispatch-hub.ts';

const messagesOf = async (hub: DispatchHub, id: string) =>
  (await hub.ask('GET', `/v1/biam/tasks/${id}`)).body.messages;

type Stored = { id: string; envelope: string; signature: string };

/** Somebody who can write into the database, and what they can read there. */
async function intruder(hub: DispatchHub) {
  const db = await hub.place.open();
  return {
    prompt: (run: string) =>
      db.read((q) =>
        q.get<Stored>(
          sql`select id, envelope, signature from run_messages where run_id = ${run} and kind = 'prompt'`,
        ),
      ) as Promise<Stored>,
    write: (run: string, { id, envelope, signature }: Stored) =>
      db.write(systemActor, (tx) =>
        tx.run(sql`
          update run_messages
          set id = ${id}, envelope = ${envelope}, signature = ${signature}
          where run_id = ${run} and kind = 'prompt'`),
      ),
  };
}

/** The token of whoever acts as that run. */
async function tokenOf(hub: DispatchHub, run: string): Promise<string> {
  const { agent } = (await hub.ask('GET', `/v1/biam/tasks/${run}`)).body.task;
  return (await hub.ask('POST', '/api/tokens', { agent })).body.token;
}

const nested = (hub: DispatchHub, token: string) =>
  hub.tool('SendMessage', { instance: 'script', prompt: 'say nested', async: true }, token);

it('hubs on one PostgreSQL, each with a home and a key of its own, read each other’s', async () => {
  const one = await dispatchHub('postgres');
  const two = await openAt(one.place, freshFolder());
  const { task_id: id } = await one.run('say hello');
  const [mine, theirs] = [await messagesOf(one, id), await messagesOf(two, id)];
  expect(theirs).toMatchObject([{ verified: true }, { verified: true, envelope: { kind: 'result' } }]);
  expect(theirs).toEqual(mine);
});

eachEngine('envelopes of runs', (engine) => {
  it('are verified when they are read: what was changed, forged or moved shows', async () => {
    const hub = await dispatchHub(engine);
    const [id, other] = [await hub.start('forever'), await hub.start('forever')];
    const { prompt, write } = await intruder(hub);
    const [mine, theirs] = [await prompt(id), await prompt(other)];
    expect(await messagesOf(hub, id)).toMatchObject([{ verified: true, expired: false }]);
    const reordered = JSON.stringify(
      Object.fromEntries(Object.entries(JSON.parse(mine.envelope) as object).toReversed()),
    );
    const forged: Stored[] = [
      { ...mine, envelope: mine.envelope.replace('"forever"', '"for ever"') },
      { ...mine, envelope: mine.envelope.replace('"hop_count":0', '"hop_count":9') },
      { ...mine, envelope: mine.envelope.replace('"ttl_seconds":86400', '"ttl_seconds":864000') },
      { ...mine, envelope: reordered },
      { ...mine, signature: theirs.signature },
      { ...mine, signature: `ed25519:${'0'.repeat(128)}` },
      { ...mine, signature: 'none' },
      // Signed by this very hub, but for another run, or under another number.
      { ...theirs, id: mine.id },
      theirs,
      { ...mine, id: theirs.id },
    ];
    for (const stored of forged) {
      await write(id, stored);
      expect(await messagesOf(hub, id), JSON.stringify(stored)).toEqual([
        { verified: false, expired: false },
      ]);
      const { structuredContent } = await hub.tool('TaskGet', { task_id: id });
      expect(structuredContent.messages).toEqual([{ from: '', kind: '', text: '', verified: false }]);
    }
    await write(id, mine);
    expect(await messagesOf(hub, id)).toMatchObject([{ verified: true, envelope: { task_id: id } }]);
  });

  it('live for a day, and what they lead to no longer; a run whose request was changed starts nothing', async () => {
    const hub = await dispatchHub(engine);
    writeFileSync(
      `${hub.home}/policy.yaml`,
      'version: 1\nrules:\n  - tool: SendMessage\n    decide: allow\n',
    );
    const id = await hub.start('forever');
    await expect
      .poll(async () => (await hub.ask('GET', `/v1/biam/tasks/${id}`)).body.task.status, PATIENCE)
      .toBe('active');
    const token = await tokenOf(hub, id);
    const { prompt, write } = await intruder(hub);
    const stored = await prompt(id);

    const child = (await nested(hub, token)).structuredContent.task_id;
    const [{ envelope }] = await messagesOf(hub, child);
    expect(envelope).toMatchObject({ parent_id: stored.id, correlation_id: id, hop_count: 1 });
    expect(envelope.trace).toHaveLength(2);
    expect(envelope.ttl_seconds).toBeLessThan(86_400);

    const own = createIdentity(hub.home, 10);
    const request = {
      runId: id,
      kind: 'prompt',
      text: 'forever',
      from: 'operator',
      to: 'x',
      hops: 0,
    } as const;
    const sealedAt = (at: number, hops = 0) => {
      const { id: number, text, signature } = own.seal({ ...request, hops, at });
      return { id: number, envelope: text, signature };
    };
    await write(id, sealedAt(Date.now() - 25 * 3_600_000));
    expect(await messagesOf(hub, id)).toMatchObject([{ verified: true, expired: true }]);
    const refused = (code: string) => ({ isError: true, structuredContent: { code } });
    expect(await nested(hub, token)).toMatchObject(refused('limited'));
    await write(id, sealedAt(Date.now(), 10));
    expect(await nested(hub, token)).toMatchObject(refused('limited'));
    await write(id, { ...stored, signature: `ed25519:${'0'.repeat(128)}` });
    expect(await nested(hub, token)).toMatchObject(refused('forbidden'));
    await write(id, stored);
    expect((await nested(hub, token)).structuredContent).toMatchObject({ task: { hops: 1, parent: id } });
  });
});
