import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Proposal } from '../../src/features/sessions/lessons/proposal.ts';
import { claudeLine } from '../fixtures/claude-lines.ts';
import { eachEngine, type Engine, freshFolder, freshPlace } from '../fixtures/databases.ts';
import { freshHome, startHub } from '../fixtures/hub-process.ts';
import { startModel } from '../fixtures/llm-server.ts';
import { newRepositoryWithCommit } from '../fixtures/repositories.ts';
import { openTerminal } from '../fixtures/terminal.ts';

type Offered = Readonly<{ proposals: Proposal[] }>;

const RULE = 'from now on write commit messages in the imperative, with the ticket in front';
const KEY = `sk-ant-api03-${'q'.repeat(40)}`;

/** A hub that reads what Claude Code wrote in one repository: each text is a session in which a person says it. */
async function openHub(engine: Engine, texts: readonly string[], more: Record<string, string> = {}) {
  const place = await freshPlace(engine);
  const home = freshFolder();
  const folder = newRepositoryWithCommit(join(home, 'boat'));
  const say = (session: string, text: string): void => {
    const at = join(home, '.claude/projects/-boat');
    mkdirSync(at, { recursive: true });
    const lines = [
      claudeLine({ session, folder, text: 'write the commit message' }),
      claudeLine({ session, folder, text: 'Fixed stuff in the importer.', role: 'assistant' }),
      claudeLine({ session, folder, text }),
    ];
    writeFileSync(join(at, `${session}.jsonl`), lines.join(''));
  };
  texts.forEach((text, i) => say(`session-${i}`, text));
  const env = freshHome({
    HOME: home,
    HOLDFAST_DATABASE_URL: place.location,
    ...(place.schema !== undefined && { HOLDFAST_DATABASE_SCHEMA: place.schema }),
    ...more,
  });
  writeFileSync(join(env['HOLDFAST_HOME']!, 'config.yaml'), 'sessions: { from: [claude-code] }\n');
  const { address } = await startHub(env);
  const terminal = openTerminal(undefined, env, folder);
  await terminal.json('sessions', 'sync');
  /** The same terminal, of a person with this editor. */
  const withEditor = (editor: string, ...args: string[]) =>
    openTerminal(undefined, { ...env, EDITOR: editor }, folder).run(...args);
  const offered = async () => (await terminal.json<Offered>('memory', 'proposals')).proposals;
  return { terminal, address, say, offered, withEditor };
}

type Told = Readonly<{ kind: string; subject: string }>;

/** The first so many of these kinds, as whoever follows the hub hears of them. */
async function eventsOf(address: string, kinds: readonly string[], count: number): Promise<Told[]> {
  const stream = await fetch(`${address}/api/events?since=0&kinds=${kinds.join(',')}`);
  const told: Told[] = [];
  let text = '';
  for await (const chunk of stream.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const lines = text.split('\n');
    text = lines.pop()!;
    for (const line of lines) if (line.startsWith('data: {')) told.push(JSON.parse(line.slice(6)) as Told);
    if (told.length >= count) break;
  }
  return told;
}

eachEngine('lessons of sessions', (engine) => {
  it(
    'are offered, saved when they are accepted, and not offered again once they were decided about',
    { timeout: 180_000 },
    async () => {
      const { terminal, offered, say, address, withEditor } = await openHub(engine, [
        RULE,
        `never print the key ${KEY} in a log of ours`,
        'great, thanks',
      ]);
      const before = await terminal.json<{ facts: unknown }>('memory', 'stats');
      const found = await offered();
      expect(found.map(({ kind }) => kind)).toEqual(['told', 'told']);
      expect(JSON.stringify(found)).not.toContain(KEY);
      const rule = found.find(({ text }) => text === RULE)!;
      expect(rule).toMatchObject({ title: RULE, turn: 3, client: 'claude-code', isWorded: false });
      // Nothing is saved unasked.
      expect(await terminal.json('memory', 'stats')).toEqual(before);

      const words = ['--title', 'Commit messages', '--text', 'Imperative, ticket first.'];
      const { factId } = await terminal.json<{ factId: string }>(
        'memory',
        'accept',
        rule.id.slice(-8),
        ...words,
      );
      expect(await terminal.json('memory', 'show', factId)).toMatchObject({
        versions: [{ title: 'Commit messages', content: 'Imperative, ticket first.', tags: ['lesson'] }],
      });
      const key = found.find(({ id }) => id !== rule.id)!;
      expect((await terminal.run('memory', 'reject', key.id)).out).toContain('not offered again');
      expect((await terminal.run('memory', 'reject', key.id)).code).toBe(3);
      expect((await terminal.run('memory', 'accept', 'nope')).code).toBe(3);

      // In the person's own editor, too; what is no lesson there is saved nowhere, and told where it lies.
      say('edited', 'from now on every migration has a name that says what it is for');
      await terminal.json('sessions', 'sync');
      const [edited] = await offered();
      const emptied = await withEditor('printf "# \\n" >', 'memory', 'accept', edited!.id, '--edit');
      expect([emptied.code, emptied.err]).toEqual([2, expect.stringContaining('Your text is in ')]);
      expect(await offered()).toHaveLength(1);
      const mended = await withEditor(
        'sed -i s/migration/step/g',
        'memory',
        'accept',
        edited!.id,
        '-e',
        '--json',
      );
      const { factId: stepId } = JSON.parse(mended.out) as { factId: string };
      expect(await terminal.json('memory', 'show', stepId)).toMatchObject({
        versions: [{ content: 'from now on every step has a name that says what it is for' }],
      });

      // What was decided is told to whoever follows the hub, without a word of it.
      const told = await eventsOf(address, ['lesson.accepted', 'lesson.rejected'], 3);
      expect(told.map(({ kind, subject }) => [kind, subject])).toEqual([
        ['lesson.accepted', rule.id],
        ['lesson.rejected', key.id],
        ['lesson.accepted', edited!.id],
      ]);
      expect(JSON.stringify(told)).not.toMatch(/imperative|migration|team/i);

      // Said again elsewhere, in other letters: decided is decided.
      say('again', RULE.toUpperCase());
      say('once-more', `Never print the key ${KEY} in a log of ours!`);
      say('new', 'we decided on uuid v7 for all ids, numbers leak how many customers there are');
      await terminal.json('sessions', 'sync');
      expect((await offered()).map(({ title }) => title.slice(0, 18))).toEqual(['we decided on uuid']);

      // They are the person's: a token sees nothing of them without being given it by name, and decides about none.
      const ask = async (scopes: readonly string[], path: string, method = 'GET') => {
        const made = await terminal.json<{ token: string }>(
          'token',
          'create',
          '--agent',
          `eve-${scopes.length}`,
          '--scope',
          ...scopes,
        );
        const { token } = made;
        const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
        const body = method === 'POST' ? { body: '{}' } : {};
        return (await fetch(`${address}${path}`, { method, headers, ...body })).status;
      };
      expect(await ask(['*'], '/api/memory/proposals')).toBe(403);
      const [open] = await offered();
      expect(
        await ask(['sessions:write', 'sessions:read'], `/api/memory/proposals/${open!.id}/reject`, 'POST'),
      ).toBe(403);

      // A session that is forgotten takes its proposals along.
      await terminal.run('sessions', 'forget', open!.sessionId, '--yes');
      expect(await offered()).toEqual([]);
    },
  );
});

it(
  'are worded by a model where one was named, and are plain extracts where it fails',
  { timeout: 180_000 },
  async () => {
    const model = await startModel(() => 'Commit messages\nWrite them in the imperative, ticket first.');
    const named = {
      HOLDFAST_LLM_URL: `${model.address}/v1`,
      HOLDFAST_LLM_KEY: 'a-key-for-tests',
      HOLDFAST_LLM_MODEL: 'words',
    };
    const { offered } = await openHub('sqlite', [RULE], named);
    expect(await offered()).toMatchObject([
      { title: 'Commit messages', text: 'Write them in the imperative, ticket first.', isWorded: true },
    ]);
    const deaf = await openHub('sqlite', [RULE], { ...named, HOLDFAST_LLM_URL: 'http://127.0.0.1:9/v1' });
    expect(await deaf.offered()).toMatchObject([{ text: RULE, isWorded: false }]);
  },
);
