import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { systemActor } from '../../src/kernel/principal.ts';
import { sql } from '../../src/store/sql.ts';
import { claudeLine } from '../fixtures/claude-lines.ts';
import { eachEngine, freshDatabase, freshFolder } from '../fixtures/databases.ts';
import { git, newRepository } from '../fixtures/repositories.ts';
import { homeWithRecordings, person, sessionsOn } from '../fixtures/sessions-host.ts';

eachEngine('finding moments', (engine) => {
  const opened = async () => {
    const home = freshFolder();
    homeWithRecordings(home);
    const sessions = sessionsOn(await freshDatabase(engine), home);
    await sessions.sync();
    const find = async (query: string, limit = 20) =>
      (await sessions.search(person, { query, limit })).moments;
    return { home, sessions, find };
  };

  /** One session; a turn that is written again with the same place in it is the same one, grown. */
  const withTurns = async (...texts: string[]) => {
    const home = freshFolder();
    const folder = join(home, '.claude/projects/-x');
    mkdirSync(folder, { recursive: true });
    const write = (...said: string[]) =>
      writeFileSync(
        join(folder, 's1.jsonl'),
        said.map((text, i) => claudeLine({ session: 's1', folder: '/x', text, uuid: `u${i}` })).join(''),
      );
    write(...texts);
    const db = await freshDatabase(engine);
    const sessions = sessionsOn(db, home);
    await sessions.sync();
    const find = async (query: string) =>
      (await sessions.search(person, { query, limit: 9 })).moments.map(({ text }) => text).toSorted();
    return { db, sessions, find, write };
  };

  it('by words, phrases, files, tools, errors, agents and times', async () => {
    const { find } = await opened();
    const words = await find('draught waterline');
    expect(new Set(words.map(({ client }) => client))).toEqual(
      new Set(['claude-code', 'codex', 'gemini', 'opencode']),
    );
    expect(words[0]!.kind).toMatch(/agent|person/);
    const phrase = await find('"counted from the rail"');
    expect(phrase).toHaveLength(4);
    expect(phrase.every(({ text }) => text.includes('counted from the rail'))).toBe(true);
    expect(await find('"rail the from counted"')).toEqual([]);
    expect(await find('draught -waterline -zero -keel.test.js')).toHaveLength(4);
    expect((await find('file:src/keel.js tool:Edit')).map(({ client }) => client).toSorted()).toEqual([
      'claude-code',
      'claude-code',
      'opencode',
      'opencode',
    ]);
    expect(await find('file:keel/src.js')).toEqual([]);
    const errors = await find('error: agent:codex');
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatchObject({ kind: 'result', isError: true, tool: 'exec_command' });
    expect(await find('error:draught tool:Bash agent:claude')).toHaveLength(1);
    expect((await find('keel agent:gemini')).every(({ client }) => client === 'gemini')).toBe(true);
    expect(await find('keel since:2026-11-17')).not.toEqual([]);
    expect(await find('keel agent:nobody')).toEqual([]);
  });

  it('with the turns around them and a line that resumes the session', async () => {
    const { find } = await opened();
    const [moment] = await find('agent:claude error:');
    expect(moment!.before.map(({ kind }) => kind)).toEqual(['thought', 'call']);
    expect(moment!.after.map(({ kind }) => kind)).toEqual(['call', 'result']);
    expect(moment!.resume).toBe(
      'cd -- /home/ada/boat && claude --resume 659b5984-a6b3-470a-a0ce-7266f580c119',
    );
  });

  it('by regular expressions, linear in what they read', async () => {
    const { find, sessions } = await opened();
    expect((await find('/draught from the (rail|keel)/')).map(({ kind }) => kind)).toContain('result');
    expect(await find('/DRAUGHT FROM/')).toEqual([]);
    expect(await find('/DRAUGHT FROM/i')).not.toEqual([]);
    expect(
      (await find('/^export const/ tool:Bash')).every(({ tool }) => tool?.toLowerCase() === 'bash'),
    ).toBe(true);
    await expect(find('/(/')).rejects.toThrow('not a regular expression');
    await expect(find('/(a)\\1/')).rejects.toThrow('not a regular expression');
    const begun = performance.now();
    await sessions.search(person, { query: '/(a+)+(b+)+(c+)+$/', limit: 5 });
    expect(performance.now() - begun).toBeLessThan(4_000);
  });

  it('by words of languages without blanks, accents and halves of questions', async () => {
    const home = freshFolder();
    const folder = join(home, '.claude/projects/-x');
    mkdirSync(folder, { recursive: true });
    const say = (text: string) => claudeLine({ session: 's1', folder: '/x', text });
    writeFileSync(
      join(folder, 's1.jsonl'),
      say('数据库连接失败了') + say('Das Café schließt früh') + say('rudder only'),
    );
    const sessions = sessionsOn(await freshDatabase(engine), home);
    await sessions.sync();
    const find = (query: string) => sessions.search(person, { query, limit: 5 });
    expect((await find('连接失败')).moments).toHaveLength(1);
    expect((await find('früh')).moments).toHaveLength(1);
    const half = await find('rudder zeppelin');
    expect(half.moments[0]!.text).toBe('rudder only');
    expect(half.notes).toEqual(['No turn has all of the words; these have some.']);
  });

  it('by names of code, however they are spelt', async () => {
    const home = freshFolder();
    const folder = join(home, '.claude/projects/-x');
    mkdirSync(folder, { recursive: true });
    const camel = 'the rudder calls getUserById twice';
    const snake = 'SELECT get_user_by_id(7) is slow';
    const loud = 'GET_USER_BY_ID is set in the env';
    const apart = 'get the id by asking the user';
    writeFileSync(
      join(folder, 's1.jsonl'),
      [camel, snake, loud, apart].map((text) => claudeLine({ session: 's1', folder: '/x', text })).join(''),
    );
    const sessions = sessionsOn(await freshDatabase(engine), home);
    await sessions.sync();
    const found = async (query: string) =>
      (await sessions.search(person, { query, limit: 9 })).moments.map(({ text }) => text).toSorted();
    for (const name of ['getUserById', 'get_user_by_id', 'GET_USER_BY_ID', 'GetUserById'])
      expect(await found(name)).toEqual([camel, snake, loud].toSorted());
    expect(await found('get user by id')).toEqual([camel, snake, loud, apart].toSorted());
    expect(await found('"get_user_by_id"')).toEqual([snake, loud].toSorted());
    expect(await found('getUserById rudder')).toEqual([camel]);
    expect(await found('getUserById zeppelin')).toEqual(expect.arrayContaining([camel, snake, loud]));
    expect(await found('/slow|twice/ get_user_by_id')).toEqual([camel, snake].toSorted());
    for (const words of ['user by id', 'the user by its id', 'users by id'])
      expect(await found(words), words).toEqual(expect.arrayContaining([camel, snake, loud]));
    // What was not said in these words is no phrase of the turn.
    expect(await found('"user by id"')).toEqual([]);
    expect(await found('"asking the user"')).toEqual([apart]);
    expect(await found('rudder -user')).toEqual([]);
  });

  it('by the parts of names, in whatever a client writes: paths, errors, options, arguments', async () => {
    const { find } = await withTurns(
      'Error [ERR_MODULE_NOT_FOUND]: Cannot find package',
      'throw new ModuleNotFoundError(name)',
      'see src/auth/sessionStore.ts:40',
      'git commit --no-verify',
      'the HTTPServer of v22.14.0',
    );
    expect(await find('module not found')).toHaveLength(2);
    expect(await find('ModuleNotFound')).toHaveLength(2);
    expect(await find('session store')).toEqual(['see src/auth/sessionStore.ts:40']);
    expect(await find('src/auth/sessionStore.ts')).toEqual(['see src/auth/sessionStore.ts:40']);
    expect(await find('auth session')).toEqual(['see src/auth/sessionStore.ts:40']);
    expect(await find('no verify')).toEqual(['git commit --no-verify']);
    expect(await find('--no-verify')).toEqual(['git commit --no-verify']);
    expect(await find('http server')).toEqual(['the HTTPServer of v22.14.0']);
    expect(await find('v22.14.0')).toEqual(['the HTTPServer of v22.14.0']);
  });

  it('by nothing of a turn that has grown or is forgotten, the parts of its names included', async () => {
    const { db, sessions, find, write } = await withTurns('calls openDatabase', 'the keel');
    const indexed = (word: string) =>
      db.read((q) => q.dialect.turnWords.newest(q, { words: [word], takes: 'all', marks: [], most: 9 }));
    expect(await indexed('database')).toHaveLength(1);
    write('calls closeHatch', 'the keel');
    await sessions.sync();
    expect(await find('open database')).toEqual([]);
    expect(await find('close hatch')).toEqual(['calls closeHatch']);
    for (const word of ['open', 'database', 'opendatabase']) expect(await indexed(word)).toEqual([]);
    const { sessions: all } = await sessions.list(person, { limit: 10 });
    await sessions.forget(
      person,
      all.map(({ id }) => id),
    );
    for (const word of ['close', 'hatch', 'closehatch', 'keel']) expect(await indexed(word)).toEqual([]);
    if (engine === 'sqlite')
      await db.write(systemActor, (tx) =>
        tx.run(sql`insert into transcript_words (transcript_words) values ('integrity-check')`),
      );
  });

  it('as they were, in turns that an earlier version indexed', async () => {
    const { db, sessions, find } = await withTurns('calls openDatabase', 'the keel');
    await db.write(systemActor, async (tx) => {
      const numbers = (await tx.all<{ no: number }>(sql`select no from transcript_turns`)).map(
        ({ no }) => no,
      );
      await tx.dialect.turnWords.remove(tx, numbers);
      await tx.run(sql`update transcript_turns set parts = ''`);
      await tx.dialect.turnWords.add(tx, numbers);
    });
    expect(await find('open_database')).toEqual(['calls openDatabase']);
    expect(await find('keel')).toEqual(['the keel']);
    const { sessions: all } = await sessions.list(person, { limit: 10 });
    await sessions.forget(
      person,
      all.map(({ id }) => id),
    );
    expect(await find('openDatabase')).toEqual([]);
  });

  it('by words of other alphabets, and not by the signs that the index has for filters', async () => {
    const home = freshFolder();
    const folder = join(home, '.claude/projects/-x');
    mkdirSync(folder, { recursive: true });
    const say = (text: string) => claudeLine({ session: 's1', folder: '/x', text });
    writeFileSync(
      join(folder, 's1.jsonl'),
      say('киль заложен') + say('the rudder “holds”—it does') + say('oar'),
    );
    const sessions = sessionsOn(await freshDatabase(engine), home);
    await sessions.sync();
    const found = async (query: string) =>
      (await sessions.search(person, { query, limit: 5 })).moments.map(({ text }) => text);
    expect(await found('киль')).toEqual(['киль заложен']);
    expect(await found('holds')).toEqual(['the rudder “holds”—it does']);
    for (const sign of ['kclaudecode', 'near0', 'far0', '#near0', 'e1'])
      expect(await found(sign)).toEqual([]);
  });

  it('newest first, however far they lie apart, and all of them', { timeout: 60_000 }, async () => {
    const home = freshFolder();
    const folder = join(home, '.claude/projects/-x');
    mkdirSync(folder, { recursive: true });
    const lines = Array.from({ length: 20 }, (_, i) =>
      claudeLine({ session: 's1', folder: '/x', text: `keel number ${i}${i % 4 === 0 ? ' rare' : ''}` }),
    );
    writeFileSync(join(folder, 's1.jsonl'), lines.join(''));
    const db = await freshDatabase(engine);
    const sessions = sessionsOn(db, home);
    await sessions.sync();
    const numbers = (await db.read((q) => q.all<{ no: number }>(sql`select no from transcript_turns`))).map(
      ({ no }) => no,
    );
    // As if thousands of others stood between them.
    await db.write(systemActor, async (tx) => {
      await tx.dialect.turnWords.remove(tx, numbers);
      await tx.run(sql`update transcript_turns set no = no * no * 7000 + 1000000`);
      await tx.dialect.turnWords.add(
        tx,
        (await tx.all<{ no: number }>(sql`select no from transcript_turns`)).map(({ no }) => no),
      );
    });
    const all = (wanted: Readonly<{ word: string; below?: number; most: number }>) =>
      db.read((q) =>
        q.dialect.turnWords.newest(q, { words: [wanted.word], takes: 'all', marks: [], ...wanted }),
      );
    const expected = numbers.map((no) => no * no * 7000 + 1000000).toSorted((a, b) => b - a);
    for (const most of [1, 2, 3, 19, 20, 300])
      expect(await all({ word: 'keel', most })).toEqual(expected.slice(0, most));
    for (const below of [expected[0]!, expected[5]! + 1, expected[19]!, 1])
      expect(await all({ word: 'keel', below, most: 4 })).toEqual(
        expected.filter((no) => no < below).slice(0, 4),
      );
    const rare = await sessions.search(person, { query: 'rare', limit: 10 });
    expect(rare.moments).toHaveLength(5);
  });

  if (engine === 'postgres')
    it('along the index, whose expression the statement repeats', async () => {
      const { db } = await withTurns('calls openDatabase');
      const scans = await db.write(systemActor, async (tx) => {
        await tx.run(sql`set local enable_seqscan = off`);
        await tx.dialect.turnWords.newest(tx, { words: ['open'], takes: 'all', marks: [], most: 1 });
        return tx.get(
          sql`select cast(pg_stat_get_xact_numscans(cast('transcript_words' as regclass)) as int) as n`,
        );
      });
      expect(scans).toEqual({ n: 1 });
    });

  it('from a line of a file to its commit to the moment', async () => {
    const home = freshFolder();
    const folder = newRepository(join(home, 'boat'));
    mkdirSync(join(folder, 'src'));
    writeFileSync(join(folder, 'src/keel.js'), "export const zero = 'rail';\n");
    git(folder, 'add', '.');
    git(folder, 'commit', '-qm', 'A boat');
    writeFileSync(join(folder, 'src/keel.js'), "export const zero = 'waterline';\n");
    git(folder, 'commit', '-qam', 'Count from the waterline');
    homeWithRecordings(home, folder);
    const sessions = sessionsOn(await freshDatabase(engine), home);
    await sessions.sync();
    const asked = { file: join(folder, 'src/keel.js'), line: 1, limit: 5 };
    // The recordings are of a day that the commit may lie before: a commit of long ago has no session behind it.
    const now = await sessions.why(person, asked);
    expect(now.commit?.subject).toBe('Count from the waterline');
    writeFileSync(join(folder, 'src/keel.js'), "export const zero = 'waterline'; //\n");
    const uncommitted = await sessions.why(person, asked);
    expect(uncommitted.commit).toBeNull();
    expect(uncommitted.moments.length).toBeGreaterThan(0);
    expect(
      uncommitted.moments.every(({ files }) => files?.some((file) => file.endsWith('src/keel.js'))),
    ).toBe(true);
    await expect(sessions.why(person, { ...asked, line: 99 })).rejects.toThrow('no line 99');
  });

  it('forgets for good, and what is read again stays forgotten', async () => {
    const { home, sessions, find } = await opened();
    const { sessions: all } = await sessions.list(person, { limit: 10, client: 'codex' });
    await sessions.forget(person, [all[0]!.id]);
    expect(await find('keel agent:codex')).toEqual([]);
    const file = join(home, '.codex/sessions/2026/11/17');
    const name = readFileSync(join(home, '.gemini/tmp/boat/.project_root'), 'utf8') && all[0]!.clientId;
    const path = join(file, `rollout-2026-11-17T10-43-40-${name}.jsonl`);
    writeFileSync(path, `${readFileSync(path, 'utf8')}\n`);
    await sessions.sync();
    expect(await find('keel agent:codex')).toEqual([]);
    await expect(sessions.show(person, { id: all[0]!.id, from: 1, most: 1 })).rejects.toThrow('no session');
  });

  it('keeps no longer than was said', async () => {
    const home = freshFolder();
    const folder = join(home, '.claude/projects/-x');
    mkdirSync(folder, { recursive: true });
    const day = 86_400_000;
    const old = Date.now() - 40 * day;
    writeFileSync(
      join(folder, 'old.jsonl'),
      claudeLine({ session: 'old', folder: '/x', text: 'barnacle', at: old }),
    );
    writeFileSync(join(folder, 'new.jsonl'), claudeLine({ session: 'new', folder: '/x', text: 'barnacle' }));
    const sessions = sessionsOn(await freshDatabase(engine), home, {
      yaml: { from: ['claude-code'], keep: '30d' },
    });
    await sessions.sync();
    await sessions.tidy();
    expect((await sessions.search(person, { query: 'barnacle', limit: 5 })).moments).toHaveLength(1);
  });
});
