import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  type HubAnnouncement,
  isHubAlive,
  readAnnouncement,
  announcementPath,
  withdrawHub,
  socketPath,
  announceHub,
} from './discovery.ts';
import { ensureRunFolder } from './home.ts';

const base = mkdtempSync(join(tmpdir(), 'holdfast-run-'));
const record = (part: Partial<HubAnnouncement>): HubAnnouncement => ({
  pid: process.pid,
  hub: 'h1',
  version: '0.1.0',
  address: 'http://127.0.0.1:18790',
  socket: join(base, 'hub.sock'),
  startedAt: 0,
  ...part,
});

afterAll(() => rmSync(base, { recursive: true }));

describe('where the hub of a database is announced', () => {
  it('is beside a SQLite file, by whatever link it is reached', () => {
    mkdirSync(join(base, 'real'));
    symlinkSync(join(base, 'real'), join(base, 'link'));
    const direct = { home: base, database: join(base, 'real', 'x.db') };
    const linked = { home: '/elsewhere', database: join(base, 'link', 'x.db') };
    expect(announcementPath(direct)).toBe(join(base, 'real', 'x.db.hub.json'));
    expect(announcementPath(linked)).toBe(announcementPath(direct));
  });

  it('is in the home for PostgreSQL, whoever logs in', () => {
    const at = (database: string) => announcementPath({ home: base, database });
    expect(at('postgres://a:1@db/holdfast')).toBe(at('postgres://b:2@db/holdfast'));
    expect(at('postgres://a:1@db/holdfast')).not.toBe(at('postgres://a:1@db/other'));
    expect(at('postgres://a:1@db/holdfast')).toContain(join(base, 'run'));
  });
});

describe('the socket path', () => {
  it('stays in the home while the kernel accepts it', () => {
    expect(socketPath({ home: base, database: join(base, 'x.db') })).toContain(join(base, 'run'));
  });

  it('moves to a short private folder when the home is deep', () => {
    const path = socketPath({ home: join(base, 'd'.repeat(120)), database: join(base, 'x.db') });
    expect(Buffer.byteLength(path)).toBeLessThanOrEqual(100);
    ensureRunFolder(path);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
  });
});

describe('a hub record', () => {
  const path = join(base, 'x.db.hub.json');

  it('is written whole, for the owner alone, and read back', () => {
    announceHub(path, record({}));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readAnnouncement(path)).toEqual(record({}));
  });

  it('is removed by its own hub only', () => {
    announceHub(path, record({ pid: 4242 }));
    for (const other of [{ pid: process.pid }, { hub: 'another hub, whose process has the same number' }])
      withdrawHub(path, record({ pid: 4242, ...other }));
    expect(readAnnouncement(path)?.pid).toBe(4242);
    withdrawHub(path, record({ pid: 4242 }));
    expect(readAnnouncement(path)).toBeUndefined();
  });

  it('that is not one is taken for none', () => {
    for (const text of ['', '{', 'null', '{"pid":"1"}', '{"pid":-1,"socket":"s","address":"a"}']) {
      writeFileSync(path, text);
      expect(readAnnouncement(path), text).toBeUndefined();
    }
  });
});

describe('a hub is alive', () => {
  it('only while its process and its socket answer', async () => {
    const socket = join(base, 'live.sock');
    const server = createServer().listen(socket);
    await new Promise((resolve) => server.once('listening', resolve));
    const deadPid = spawnSync(process.execPath, ['-e', '']).pid;
    expect(await isHubAlive(record({ socket }))).toBe(true);
    expect(await isHubAlive(record({ socket, pid: deadPid }))).toBe(false);
    await new Promise((resolve) => server.close(resolve));
    expect(await isHubAlive(record({ socket }))).toBe(false);
  });
});
