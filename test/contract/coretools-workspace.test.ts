import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listPendingApprovals } from '../../src/features/broker/rows/approvals.ts';
import { listAudit } from '../../src/features/broker/rows/audit.ts';
import { moveToTrash } from '../../src/features/coretools/workspace/trash.ts';
import { openWorkspace } from '../../src/kernel/workspace.ts';
import { systemActor } from '../../src/kernel/principal.ts';
import { coreHost } from '../fixtures/core-host.ts';
import { freshFolder } from '../fixtures/databases.ts';

const BY = { reach: { mayReach: () => true, isReachRuled: false }, actor: systemActor };
const SECRET = 'the secret outside';

/** A workspace with every kind of way out, and a file outside that none of them may reach. */
function trap() {
  const root = mkdtempSync(join(tmpdir(), 'holdfast-jail-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }));
  const [outside, inside] = [join(root, 'outside'), join(root, 'inside')];
  mkdirSync(outside);
  mkdirSync(join(inside, 'sub'), { recursive: true });
  mkdirSync(`${inside}-sibling`);
  writeFileSync(join(outside, 'secret.txt'), SECRET);
  writeFileSync(join(`${inside}-sibling`, 'secret.txt'), SECRET);
  writeFileSync(join(inside, 'ok.txt'), 'fine');
  symlinkSync(join(outside, 'secret.txt'), join(inside, 'link-file'));
  symlinkSync(outside, join(inside, 'link-folder'));
  symlinkSync('../../outside', join(inside, 'sub', 'relative-link'));
  symlinkSync('link-folder', join(inside, 'link-to-link'));
  symlinkSync(join(outside, 'new.txt'), join(inside, 'dangling'));
  symlinkSync('loop-b', join(inside, 'loop-a'));
  symlinkSync('loop-a', join(inside, 'loop-b'));
  symlinkSync('/', join(inside, 'root-link'));
  symlinkSync('/proc/self/cwd', join(inside, 'proc-link'));
  return { outside, inside };
}

const TRAVERSALS = (outside: string, inside: string) => [
  '../outside/secret.txt',
  '../../etc/passwd',
  '../../../../../../../../etc/passwd',
  '/etc/passwd',
  '/etc/../etc/passwd',
  `${outside}/secret.txt`,
  `${inside}/../outside/secret.txt`,
  `${inside}-sibling/secret.txt`,
  '../inside-sibling/secret.txt',
  './../outside/secret.txt',
  'sub/../../outside/secret.txt',
  'sub/../../outside/../outside/secret.txt',
  './/..//outside//secret.txt',
  'sub/./../.././outside/secret.txt',
  '..',
  '../',
  '../.',
  'sub/../..',
  '/',
  '//etc/passwd',
  '/proc/self/environ',
  '/proc/self/root/etc/passwd',
  '/dev/stdin',
  'link-file',
  'link-folder/secret.txt',
  './link-folder/./secret.txt',
  'link-to-link/secret.txt',
  'sub/relative-link/secret.txt',
  'sub/../link-folder/secret.txt',
  'root-link/etc/passwd',
  'proc-link/../../../etc/passwd',
  'link-folder',
  'link-folder/',
  'dangling',
  'link-folder/new/deeper.txt',
  'loop-a',
  'loop-a/x',
  'ok.txt\0/../../outside/secret.txt',
  '..\0/outside/secret.txt',
  'root-link/proc/self/environ',
  'link-folder/./././secret.txt',
];

/** On a POSIX system these are odd names inside the workspace; none of them is a way out. */
const ODD_NAMES = [
  'root-link/../etc/passwd',
  'link-folder/../outside/secret.txt',
  '..%2foutside%2fsecret.txt',
  '%2e%2e/outside/secret.txt',
  '..\\outside\\secret.txt',
  '．．/outside/secret.txt',
  '‥/outside/secret.txt',
  '..∕outside∕secret.txt',
  '..⁄outside⁄secret.txt',
  '..\u200b/outside/secret.txt',
  '.\u200d./outside/secret.txt',
  '~/.ssh/id_rsa',
  '$HOME/.ssh/id_rsa',
  'file:///etc/passwd',
  '..;/outside/secret.txt',
  '...//outside/secret.txt',
  '..././outside/secret.txt',
  '%00/../../etc/passwd',
  '\\\\server\\share',
  'C:\\Windows\\win.ini',
  'sub/..%c0%af../outside/secret.txt',
];

describe(`the workspace against ${TRAVERSALS('', '').length + ODD_NAMES.length} ways out`, () => {
  it('Read reaches nothing outside', async () => {
    const { outside, inside } = trap();
    const { call } = await coreHost({ workspace: inside });
    for (const path of [...TRAVERSALS(outside, inside), ...ODD_NAMES]) {
      const answer = await call('Read', { path });
      expect([path, answer.ok], path).toEqual([path, false]);
      expect(JSON.stringify(answer), path).not.toContain(SECRET);
    }
    expect((await call('Read', { path: 'ok.txt' })).value.content).toBe('fine');
  });

  it('Write and Edit change nothing outside', async () => {
    const { outside, inside } = trap();
    const { call } = await coreHost({ workspace: inside });
    for (const path of TRAVERSALS(outside, inside)) {
      expect(
        (await call('Write', { path, content: 'owned', unsafe_overwrite_without_read: true })).ok,
        path,
      ).toBe(false);
      expect(
        (
          await call('Edit', {
            path,
            old_string: 'secret',
            new_string: 'owned',
            unsafe_overwrite_without_read: true,
          })
        ).ok,
        path,
      ).toBe(false);
    }
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe(SECRET);
    expect(() => readFileSync(join(outside, 'new.txt'))).toThrow(/ENOENT|outside|link|not a folder/);
  });

  it('cwd of any tool is judged like a path', async () => {
    const { outside, inside } = trap();
    const { call } = await coreHost({ workspace: inside });
    for (const cwd of ['..', outside, 'link-folder', 'root-link', '/']) {
      expect((await call('Bash', { command: 'pwd', cwd })).ok, cwd).toBe(false);
      expect((await call('Glob', { pattern: '**', cwd })).ok, cwd).toBe(false);
      expect((await call('Grep', { pattern: 'secret', cwd })).ok, cwd).toBe(false);
      expect((await call('Read', { path: 'secret.txt', cwd })).ok, cwd).toBe(false);
    }
  });

  it('Grep and Glob do not follow links out', async () => {
    const { inside } = trap();
    const { call } = await coreHost({ workspace: inside });
    expect((await call('Grep', { pattern: 'secret' })).value.matches).toEqual([]);
    expect((await call('Glob', { pattern: '**', include_hidden: true })).value.matches).toEqual(['ok.txt']);
    for (const pattern of ['../**', '/etc/*', 'sub/../../**'])
      expect((await call('Glob', { pattern })).ok, pattern).toBe(false);
  });

  it('a link swapped in between the check and the opening is noticed', async () => {
    const { outside, inside } = trap();
    const workspace = await openWorkspace({ root: inside });
    mkdirSync(join(inside, 'swap'));
    writeFileSync(join(inside, 'swap', 'secret.txt'), 'mine');
    const place = await workspace.locate('swap/secret.txt');
    renameSync(join(inside, 'swap'), join(inside, 'swapped'));
    symlinkSync(outside, join(inside, 'swap'));
    await expect(workspace.openFile(place)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(workspace.inFolder(join(inside, 'swap'), async () => 'inside')).rejects.toThrow(
      /ENOENT|outside|link|not a folder/,
    );
    const file = await workspace.locate('ok.txt');
    unlinkSync(join(inside, 'ok.txt'));
    symlinkSync(join(outside, 'secret.txt'), join(inside, 'ok.txt'));
    await expect(workspace.openFile(file)).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('a folder that is swapped for a link over and over leads nowhere outside', async () => {
    const { outside, inside } = trap();
    const swapper = spawn(
      'sh',
      [
        '-c',
        'while :; do mkdir d; echo mine > d/secret.txt; mv d e; ln -s ../outside d; rm d; rm -r e; done',
      ],
      {
        cwd: inside,
        stdio: 'ignore',
      },
    );
    onTestFinished(async () => {
      swapper.kill('SIGKILL');
      await once(swapper, 'exit');
    });
    const { call } = await coreHost({ workspace: inside });
    for (const startedAt = Date.now(); Date.now() - startedAt < 3_000;) {
      const answers = [
        await call('Read', { path: 'd/secret.txt' }),
        await call('Grep', { pattern: 'secret|mine', path: '.' }),
        await call('Write', { path: 'd/owned.txt', content: 'owned' }),
        await call('Write', { path: 'd/secret.txt', content: 'owned', unsafe_overwrite_without_read: true }),
        await call('Edit', {
          path: 'd/secret.txt',
          old_string: 'secret',
          new_string: 'owned',
          unsafe_overwrite_without_read: true,
        }),
      ];
      expect(JSON.stringify(answers)).not.toContain(SECRET);
    }
    expect(readdirSync(outside)).toEqual(['secret.txt']);
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe(SECRET);
  });

  it('a folder that is swapped while a file is written keeps the file', async () => {
    const { outside, inside } = trap();
    const workspace = await openWorkspace({ root: inside });
    mkdirSync(join(inside, 'target'));
    await workspace.inFolder(join(inside, 'target'), async (base) => {
      renameSync(join(inside, 'target'), join(inside, 'moved'));
      symlinkSync(outside, join(inside, 'target'));
      writeFileSync(join(base, 'x.txt'), 'y');
    });
    expect(readFileSync(join(inside, 'moved', 'x.txt'), 'utf8')).toBe('y');
    expect(() => readFileSync(join(outside, 'x.txt'))).toThrow(/ENOENT|outside|link|not a folder/);
  });

  it("the hub's own folder stays closed inside a workspace that holds it", async () => {
    const workspace = freshFolder();
    mkdirSync(join(workspace, '.holdfast'));
    writeFileSync(join(workspace, '.holdfast', 'token'), 'secret');
    const { call } = await coreHost({ workspace, closed: [join(workspace, '.holdfast')] });
    expect((await call('Read', { path: '.holdfast/token' })).denied).toBe('workspace:outside');
  });

  it("neither the hub's own folder nor one above it can be deleted", async () => {
    const { db } = await coreHost();
    const root = freshFolder();
    mkdirSync(join(root, 'state', 'hub'), { recursive: true });
    writeFileSync(join(root, 'state', 'hub', 'token'), 'secret');
    writeFileSync(join(root, 'state', 'other.txt'), 'x');
    const workspace = await openWorkspace({ root, closed: [join(root, 'state', 'hub')] });
    for (const path of ['state', 'state/hub', 'state/hub/token', './state/../state'])
      await expect(moveToTrash(db, workspace, { path, ...BY }), path).rejects.toMatchObject({
        code: 'forbidden',
      });
    expect((await moveToTrash(db, workspace, { path: 'state/other.txt', ...BY })).originalPath).toBe(
      'state/other.txt',
    );
    expect(readFileSync(join(root, 'state', 'hub', 'token'), 'utf8')).toBe('secret');
  });

  it('a link is deleted, not what it leads to', async () => {
    const { outside, inside } = trap();
    const { db } = await coreHost();
    const workspace = await openWorkspace({ root: inside });
    for (const path of ['link-file', 'link-folder', 'dangling'])
      await moveToTrash(db, workspace, { path, ...BY });
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe(SECRET);
    await expect(
      moveToTrash(db, workspace, { path: 'sub/relative-link/secret.txt', ...BY }),
    ).rejects.toMatchObject({
      code: 'forbidden',
    });
  });

  it('an odd name inside is an ordinary file', async () => {
    const { call, workspace } = await coreHost();
    writeFileSync(join(workspace, '..hidden..'), 'dots');
    expect((await call('Read', { path: '..hidden..' })).value.content).toBe('dots');
  });
});

describe('a call that could only fail', () => {
  const ASKING = 'version: 1\nrules: []\n';

  it('is refused before a person is asked for it, and audited', async () => {
    const { call, db, workspace } = await coreHost({ sandbox: 'bwrap', env: { PATH: '' } }, ASKING);
    writeFileSync(join(workspace, 'there.txt'), 'old');
    const refused = [
      await call('Write', { path: '../out.txt', content: 'x' }),
      await call('Write', { path: 'there.txt', content: 'x' }),
      await call('Write', { path: 'there.txt', content: 'x', must_not_exist: true }),
      await call('Edit', { path: 'there.txt', old_string: 'a', new_string: 'b' }),
      await call('Edit', { path: 'none.txt', old_string: 'a', new_string: 'b' }),
      await call('Bash', { command: 'ls', cwd: '..' }),
      await call('Bash', { command: 'ls' }),
      await call('WebFetch', { url: 'http://127.0.0.1/' }),
      await call('WebFetch', { url: 'file:///etc/passwd' }),
    ];
    expect(refused.map(({ denied, code }) => denied ?? code)).toEqual([
      'workspace:outside',
      'write:unread',
      'conflict',
      'write:unread',
      'not_found',
      'workspace:outside',
      'sandbox:missing',
      'web:closed',
      'web:closed',
    ]);
    const { approvals, audit } = await db.read(async (q) => ({
      approvals: await listPendingApprovals(q, db.now(), { before: null, limit: 10, team: undefined }),
      audit: await listAudit(q, { phase: 'before' }, { before: null, limit: 100 }),
    }));
    expect(approvals).toEqual([]);
    expect(audit.map(({ decision, outcome }) => [decision, outcome])).toEqual(
      refused.map(() => ['deny', 'denied']),
    );
    expect(audit.at(-1)!.reason).toBe('workspace:outside');
  });

  it('makes nothing while it is judged', async () => {
    const { call, workspace } = await coreHost({}, ASKING);
    expect((await call('Write', { path: 'new/folder/x.txt', content: 'x' })).denied).toBe('approval:timeout');
    expect(readdirSync(workspace)).toEqual([]);
  });
});
