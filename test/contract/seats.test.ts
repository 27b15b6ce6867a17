import { expect, it, onTestFinished } from 'vitest';
import { createSeats, LIVING_MS, type SeatParts } from '../../src/features/access/seats/seats.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { localPrincipal, systemActor, type Principal } from '../../src/kernel/principal.ts';
import { seatOf } from '../../src/kernel/seat.ts';
import { createAccess } from '../../src/features/access/access.ts';
import { hubCaller } from '../../src/store/calls.ts';
import { handClock } from '../fixtures/board-host.ts';
import { eachEngine, freshPlace } from '../fixtures/databases.ts';

const MINUTE = 60_000;
const HUB = { key: 'hub', takesDefaults: true } as const;
const TASKS = { key: 'tasks' } as const;

eachEngine('seats', (engine) => {
  async function open(options: Partial<SeatParts> = {}) {
    const clock = handClock();
    const place = await freshPlace(engine);
    const process = async () => {
      const db = await place.open({ clock });
      const seats = createSeats({
        db,
        log: silentLog,
        leaseMs: 30 * MINUTE,
        longestMs: 480 * MINUTE,
        ...options,
      });
      onTestFinished(() => seats.close().catch(() => undefined));
      return { db, seats };
    };
    return { clock, process, ...(await process()) };
  }

  const from = (seat: string, client: string, more: object = {}) => ({
    who: localPrincipal(seat),
    server: HUB,
    client,
    ...more,
  });
  const nameOf = async (work: Promise<Principal>) => (await work).name;

  it('gives the first free name of a client, and numbers those who come while it is here', async () => {
    const { seats } = await open();
    expect(await nameOf(seats.settle(from('a', 'claude-code')))).toBe('claude-code');
    expect(await nameOf(seats.settle(from('b', 'claude-code')))).toBe('claude-code-2');
    expect(await nameOf(seats.settle(from('c', 'codex-mcp-client')))).toBe('codex');
    expect(await nameOf(seats.settle(from('b', 'claude-code')))).toBe('claude-code-2');
  });

  it('takes a name for its caller on the hub endpoint only; elsewhere it is only shown', async () => {
    const { seats } = await open();
    expect(await seats.settle(from('a', 'codex'))).toMatchObject({
      name: 'codex',
      default: { agent: 'codex' },
    });
    const documented = await seats.settle({ ...from('b', 'codex'), server: TASKS });
    expect(documented).toMatchObject({ name: 'codex-2' });
    expect(documented).not.toHaveProperty('default');
  });

  it('never gives one name twice, however many processes give names at the same instant', async () => {
    const { process, seats } = await open();
    const houses = [seats, (await process()).seats, (await process()).seats];
    const names = await Promise.all(
      Array.from({ length: 24 }, (_, i) => nameOf(houses[i % 3]!.settle(from(`seat-${i}`, 'gemini')))),
    );
    expect(new Set(names).size).toBe(24);
    expect(names).toContain('gemini');
    expect(names).toContain('gemini-24');
  });

  it('keeps the name over a reconnect and over a restart of the hub, and gives it away once its owner is gone', async () => {
    const { process, seats, clock } = await open();
    await seats.settle(from('a', 'codex'));
    expect(await nameOf(seats.settle(from('b', 'codex')))).toBe('codex-2');
    const restarted = (await process()).seats;
    expect(await nameOf(restarted.settle(from('b', 'codex')))).toBe('codex-2');
    clock.advance(LIVING_MS);
    expect(await nameOf(restarted.settle(from('c', 'codex')))).toBe('codex');
    expect(await nameOf((await process()).seats.settle(from('a', 'codex')))).not.toBe('codex');
  });

  it('frees the name at once when the connection ends', async () => {
    const { seats } = await open();
    const who = await seats.settle(from('a', 'codex'));
    seats.leave(who);
    await expect.poll(() => nameOf(seats.settle(from(`x-${Math.random()}`, 'codex')))).toBe('codex');
  });

  it.each([
    ['x'.repeat(500), 'x'.repeat(40)],
    ['\u0000\u001b[31mEvil\n\u202e', '31mevil'],
    ['', 'agent'],
    ['日本語', 'agent'],
    ['system', 'agent'],
    ['Holdfast', 'agent'],
    ['ＣＯＤＥＸ', 'codex'],
    ['Claude Code', 'claude-code'],
  ])('makes a short plain word of what a client calls itself (case %#)', async (client, name) => {
    const { seats } = await open();
    expect(await nameOf(seats.settle(from('a', client)))).toBe(name);
  });

  it('leaves names alone that a token has, or that only look alike', async () => {
    const { db, seats } = await open();
    const access = createAccess({ db, log: silentLog });
    await db.write(systemActor, (tx) => access.in(tx, hubCaller).createToken({ agent: 'Codex' }));
    expect(await nameOf(seats.settle(from('a', 'codex')))).toBe('codex-2');
    const bound = { ...from('b', 'codex'), who: localPrincipal('b', { agent: 'codex-3' }) };
    expect(await seats.settle(bound)).toMatchObject({ name: 'codex-3', bound: { agent: 'codex-3' } });
    expect(await nameOf(seats.settle(from('c', 'codex')))).toBe('codex-4');
  });

  it('names agents per project, and takes the project of the folder as the default', async () => {
    const locate = async (folder: string) => ({
      teamId: folder.slice(1),
      name: folder.slice(1).toUpperCase(),
    });
    const { seats } = await open({ locate });
    const here = (cwd: string) => ({ from: { pid: process.pid, parent: 1, cwd } });
    expect(await seats.settle(from('a', 'codex', here('/web')))).toMatchObject({
      name: 'codex',
      project: 'WEB',
      default: { agent: 'codex', team: 'web' },
    });
    expect(await nameOf(seats.settle(from('b', 'codex', here('/api'))))).toBe('codex');
    expect(await nameOf(seats.settle(from('c', 'codex', here('/web'))))).toBe('codex-2');
  });

  it('lives by calls, beats and open streams, and not beyond', async () => {
    const { db, seats, clock } = await open();
    const who = await seats.settle(from('a', 'codex'));
    const isLiving = () => db.read((q) => seats.isLiving(q, seatOf(who)!));
    clock.advance(LIVING_MS - 1);
    expect(await isLiving()).toBe(true);
    seats.beat(who);
    clock.advance(LIVING_MS - 1);
    expect(await isLiving()).toBe(true);
    clock.advance(1);
    expect(await isLiving()).toBe(false);
    seats.heard(who);
    expect(await isLiving()).toBe(true);
  });

  it('knows a process of this machine that is gone, though it never said goodbye', async () => {
    const { process: another, seats } = await open();
    const gone = { from: { pid: 2 ** 22 + 1, parent: 1, cwd: '' } };
    const who = await seats.settle(from('a', 'codex', gone));
    const { db, seats: elsewhere } = await another();
    expect(await db.read((q) => elsewhere.isLiving(q, seatOf(who)!))).toBe(false);
    expect(await nameOf(elsewhere.settle(from('b', 'codex')))).toBe('codex');
  });

  it('counts a beat as a sign of life, but no further than the longest silence allows', async () => {
    const { seats, clock } = await open();
    const heard: number[] = [];
    seats.onSign((_, agoMs) => heard.push(clock.now() - agoMs));
    const who = await seats.settle(from('a', 'codex'));
    const start = clock.now();
    seats.heard(who);
    clock.advance(60 * MINUTE);
    seats.beat(who);
    clock.advance(10 * 60 * MINUTE);
    seats.beat(who);
    expect(heard).toEqual([start, start + 60 * MINUTE, start + 450 * MINUTE]);
  });

  it('is nothing that a machine which takes runs has: nobody can be reached there', async () => {
    const { seats } = await open();
    const heard: string[] = [];
    seats.onSign((seat) => heard.push(seat));
    const agent = { kind: 'agent', seat: '', bound: { agent: 'desktop' } } as const;
    seats.heard({ ...agent, id: 'a', scopes: new Set(['runs:work']) });
    expect(heard).toEqual([]);
    seats.heard({ ...agent, id: 'b', scopes: new Set(['runs:work', 'board:read']) });
    expect(heard).toHaveLength(1);
  });

  it('comes back to life by a sign after it was thought to have left', async () => {
    const { db, seats, process: another } = await open();
    const who = await seats.settle(from('a', 'codex'));
    seats.leave(who);
    seats.beat(who);
    await seats.flush();
    const { seats: elsewhere } = await another();
    await expect.poll(() => db.read((q) => elsewhere.isLiving(q, seatOf(who)!))).toBe(true);
  });

  it('tells when somebody comes, leaves, falls silent and comes back, each once', async () => {
    const { db, clock, seats, process } = await open();
    const told: string[] = [];
    const reading = new AbortController();
    onTestFinished(() => reading.abort());
    void db.feed
      .follow(
        0,
        (page) => {
          for (const each of page)
            if ('kind' in each && each.kind.startsWith('seat.')) told.push(`${each.subject} ${each.kind}`);
          return undefined;
        },
        reading.signal,
      )
      .catch(() => undefined);
    const [ada, bob] = [localPrincipal('a'), localPrincipal('b')];
    await seats.settle({ ...from('a', 'ada'), who: ada });
    await seats.settle({ ...from('b', 'bob'), who: bob });
    await expect.poll(() => told).toEqual(['ada seat.taken', 'bob seat.taken']);
    seats.heard(bob);
    seats.leave(bob);
    await expect.poll(() => told.at(-1)).toBe('bob seat.left');
    // A sign that was still on its way does not bring back who said goodbye.
    await seats.flush();
    clock.advance(LIVING_MS + 1);
    // However many hubs look, it is told once.
    const other = await process();
    await Promise.all([seats.endSilent(), other.seats.endSilent()]);
    await expect.poll(() => told.slice(3)).toEqual(['ada seat.left']);
    seats.heard(ada);
    await seats.flush();
    await expect.poll(() => told.slice(4)).toEqual(['ada seat.taken']);
    seats.heard(ada);
    await seats.flush();
    expect(await seats.endSilent()).toBe(0);
    expect(told).toHaveLength(5);
  });
});
