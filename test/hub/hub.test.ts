import { existsSync, readdirSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { freshFolder } from '../fixtures/databases.ts';
import { freshHome, runHoldfast, startHub } from '../fixtures/hub-process.ts';

describe('a hub', () => {
  it('tells its health', async () => {
    const { address } = await startHub(freshHome());
    expect(await (await fetch(`${address}/api/health`)).json()).toMatchObject({
      ok: true,
      version: '0.1.0',
      engine: 'sqlite',
      schema: expect.any(Number),
    });
  });

  it('describes every route of every room', async () => {
    const { address } = await startHub(freshHome());
    const { paths } = (await (await fetch(`${address}/api/openapi.json`)).json()) as { paths: object };
    for (const path of [
      '/api/board/tasks',
      '/api/memory',
      '/api/tools',
      '/api/chat/rooms',
      '/api/brain/memories',
      '/v1/peers',
      '/api/tokens',
    ])
      expect(paths).toHaveProperty([path]);
  });

  it('on PostgreSQL prints no password', async () => {
    const url = new URL(inject('postgresUrl'));
    url.password = 'hunter2';
    const env = freshHome({
      HOLDFAST_DATABASE_URL: url.href,
      HOLDFAST_DATABASE_SCHEMA: `test_hub_${process.pid}`,
    });
    const hub = await startHub(env);
    expect(await (await fetch(`${hub.address}/api/health`)).json()).toMatchObject({ engine: 'postgres' });
    const { out } = runHoldfast(env, ['status']);
    expect(out).toContain(`${url.host}/postgres (postgres`);
    expect(out).not.toContain('hunter2');
  });

  it('of one command speaks in sentences, not in log lines', () => {
    const env = freshHome({ HOLDFAST_LOG: 'info' });
    const { err } = runHoldfast(env, ['board', 'list']);
    const database = join(env['HOLDFAST_HOME']!, 'holdfast.db');
    expect(err).toBe(
      `Made a new database at ${database}.\nNo tasks. Add one with \`holdfast board add <title>\`.\n`,
    );
  });

  it('refuses a second one on its database and names the first', async () => {
    const env = freshHome();
    const hub = await startHub(env);
    const second = runHoldfast(env, ['up', '--port', '0']);
    expect(second.code).toBe(4);
    expect(second.err).toContain(
      `Another hub is running on this database: process ${hub.pid} at ${hub.address}.`,
    );
  });

  it('stops in order on SIGTERM: nothing is left but the database', async () => {
    const env = freshHome();
    const hub = await startHub(env);
    expect(await hub.stop('SIGTERM')).toBe(0);
    const left = readdirSync(env['HOLDFAST_HOME']!);
    for (const trace of ['holdfast.db-wal', 'holdfast.db-shm', 'holdfast.db.hub.json'])
      expect(left).not.toContain(trace);
    expect(readdirSync(join(env['HOLDFAST_HOME']!, 'run'))).toEqual([]);
  });

  it('that was killed is not mistaken for a live one, and a new one starts at once', async () => {
    const env = freshHome();
    const hub = await startHub(env);
    await hub.stop('SIGKILL');
    expect(existsSync(join(env['HOLDFAST_HOME']!, 'holdfast.db.hub.json'))).toBe(true);
    expect(runHoldfast(env, ['status']).code).toBe(3);
    await startHub(env);
    expect(runHoldfast(env, ['status']).code).toBe(0);
  });

  it('keeps its secrets to its owner', async () => {
    const env = freshHome();
    await startHub(env);
    const modeOf = (name: string) => statSync(join(env['HOLDFAST_HOME']!, name)).mode & 0o777;
    expect(modeOf('.')).toBe(0o700);
    for (const name of ['signing.key', 'holdfast.db', 'holdfast.db.hub.json'])
      expect(modeOf(name), name).toBe(0o600);
  });

  it('serves from a home too deep for a socket path', async () => {
    const env = { ...freshHome(), HOLDFAST_HOME: join(freshFolder(), 'd'.repeat(120)) };
    await startHub(env);
    expect(runHoldfast(env, ['status']).code).toBe(0);
  });
});

describe('holdfast up refuses', () => {
  it('a taken port that was asked for, and says how to choose another', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as { port: number };
    const { code, err } = runHoldfast(freshHome({ CLAWBOO_API_PORT: String(port) }), ['up']);
    expect([code, err]).toEqual([
      6,
      expect.stringContaining(`Port ${port} on 127.0.0.1 is taken. Choose another with --port`),
    ]);
    other.close();
  });

  it.each([
    [['--port', 'abc'], {}, 2, '--port must be a whole number'],
    [['--prot', '1'], {}, 2, "unknown option '--prot'"],
    [[], { HOLDFAST_LEASE: 'soon' }, 2, 'HOLDFAST_LEASE must be a duration'],
  ])('%j %j with exit code %i', (args, extra, code, message) => {
    const answer = runHoldfast(freshHome(extra), ['up', ...args]);
    expect([answer.code, answer.out, answer.err]).toEqual([code, '', expect.stringContaining(message)]);
  });
});
