// What earlier versions of clients left: Gemini's one document for a session, OpenCode's tree of files. Both formats as they are described
// in public; the installed versions write them no more.
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { claudeLine } from '../fixtures/claude-lines.ts';
import { eachEngine, freshDatabase, freshFolder } from '../fixtures/databases.ts';
import { person, sessionsOn } from '../fixtures/sessions-host.ts';

const put = (path: string, value: object): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(value, null, 2));
};

const FOLDER = '/home/ada/boat';

function putGemini(home: string): string {
  const digest = createHash('sha256').update(FOLDER).digest('hex');
  const path = join(home, '.gemini/tmp', digest, 'chats/session-2025-12-01T10-00-abcd1234.json');
  put(path, {
    sessionId: 'abcd1234-0000-4000-8000-000000000000',
    projectHash: digest,
    startTime: '2025-12-01T10:00:00.000Z',
    lastUpdated: '2025-12-01T10:01:00.000Z',
    messages: [
      { id: 'm1', timestamp: '2025-12-01T10:00:00.000Z', type: 'user', content: 'where is the anchor' },
      {
        id: 'm2',
        timestamp: '2025-12-01T10:00:30.000Z',
        type: 'gemini',
        content: 'It is under the bow.',
        model: 'gemini-x',
        thoughts: [{ subject: 'Looking', description: 'below', timestamp: '2025-12-01T10:00:20.000Z' }],
        toolCalls: [
          {
            id: 't1',
            name: 'read_file',
            args: { absolute_path: '/home/ada/boat/bow.txt' },
            result: [{ functionResponse: { id: 't1', name: 'read_file', response: { output: 'anchor' } } }],
            status: 'success',
            timestamp: '2025-12-01T10:00:25.000Z',
          },
        ],
      },
    ],
  });
  return path;
}

function putOpenCode(home: string): string {
  const storage = join(home, '.local/share/opencode/storage');
  const session = 'ses_4f1b2b560ffe2PCV8ov3sorUNQ';
  put(join(storage, 'session/12137b58c8e8', `${session}.json`), {
    id: session,
    version: '1.0.138',
    projectID: '12137b58c8e8',
    directory: FOLDER,
    title: 'The rudder',
    time: { created: 1_765_471_505_055, updated: 1_765_471_629_510 },
  });
  const message = (id: string, more: object) =>
    put(join(storage, 'message', session, `${id}.json`), {
      id,
      sessionID: session,
      time: { created: 1_765_471_505_100 },
      ...more,
    });
  const part = (of: string, id: string, more: object) =>
    put(join(storage, 'part', of, `${id}.json`), { id, sessionID: session, messageID: of, ...more });
  message('msg_1', { role: 'user' });
  part('msg_1', 'prt_1', { type: 'text', text: 'mend the rudder' });
  message('msg_2', {
    role: 'assistant',
    modelID: 'model-x',
    cost: 0.25,
    tokens: { input: 3, output: 4, cache: { read: 1, write: 1 } },
  });
  part('msg_2', 'prt_2', {
    type: 'tool',
    tool: 'bash',
    state: { status: 'completed', input: { command: 'ls' }, output: 'rudder.js', time: { start: 1, end: 2 } },
  });
  part('msg_2', 'prt_3', { type: 'text', text: 'The rudder is mended.' });
  part('msg_2', 'prt_4', { type: 'hologram', shape: 'odd' });
  writeFileSync(join(storage, 'part/msg_2/prt_5.json'), '{"type":"text","text":"half');
  return storage;
}

eachEngine('sessions of earlier versions', (engine) => {
  it('are read whole, once, and under their folder', async () => {
    const [db, home] = [await freshDatabase(engine), freshFolder()];
    // The folder is known from another client: Gemini only says its digest.
    mkdirSync(join(home, '.claude/projects/-b'), { recursive: true });
    writeFileSync(
      join(home, '.claude/projects/-b/s.jsonl'),
      claudeLine({ session: 's', folder: FOLDER, text: 'hello' }),
    );
    const chat = putGemini(home);
    const storage = putOpenCode(home);
    const sessions = sessionsOn(db, home);
    const counts = async () =>
      (await sessions.sync()).map(({ client, files, turns, unknown, error }) => [
        client,
        files,
        turns,
        unknown,
        error,
      ]);
    const expected = [
      ['claude-code', 1, 1, 0, null],
      ['codex', 0, 0, 0, null],
      ['gemini', 1, 5, 0, null],
      ['opencode', 1, 5, 1, null],
    ];
    expect(await counts()).toEqual(expected);
    expect(await counts()).toEqual(expected);
    const { sessions: all } = await sessions.list(person, { limit: 9 });
    expect(all.find(({ client }) => client === 'gemini')).toMatchObject({
      folder: FOLDER,
      model: 'gemini-x',
    });
    const opencode = all.find(({ client }) => client === 'opencode')!;
    expect(opencode).toMatchObject({
      clientId: 'ses_4f1b2b560ffe2PCV8ov3sorUNQ',
      folder: FOLDER,
      title: 'The rudder',
      model: 'model-x',
      tokens: { input: 5, output: 4 },
      costUsd: 0.25,
    });
    const { turns } = await sessions.show(person, { id: opencode.id, from: 1, most: 9 });
    expect(turns.map(({ kind }) => kind)).toEqual(['person', 'call', 'result', 'agent', 'unknown']);

    // What is said later is read later, and nothing of it twice.
    put(join(storage, 'part/msg_3/prt_6.json'), { type: 'text', text: 'Thanks.' });
    put(join(storage, 'message/ses_4f1b2b560ffe2PCV8ov3sorUNQ/msg_3.json'), { id: 'msg_3', role: 'user' });
    const outside = freshFolder();
    put(join(outside, 'prt_7.json'), { type: 'text', text: 'from outside' });
    symlinkSync(outside, join(storage, 'part/msg_4'));
    put(join(storage, 'message/ses_4f1b2b560ffe2PCV8ov3sorUNQ/msg_4.json'), { id: 'msg_4', role: 'user' });
    rmSync(chat);
    expect((await counts()).at(-1)).toEqual(['opencode', 1, 6, 1, null]);
    expect((await sessions.search(person, { query: 'outside', limit: 5 })).moments).toEqual([]);
    expect((await sessions.search(person, { query: '"under the bow"', limit: 5 })).moments).toHaveLength(1);
  });
});
