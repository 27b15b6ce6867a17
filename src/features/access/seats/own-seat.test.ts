import { expect, it } from 'vitest';
import { findOwnSeat } from './own-seat.ts';
import type { LivingSeat } from './living-seat.ts';

const LINES: Record<number, { pid: number; name: string }[]> = {
  // Two clients in one terminal, each with its stdio server.
  11: [kin(10, 'claude'), kin(2, 'bash'), kin(1, 'tmux: server')],
  21: [kin(20, 'claude'), kin(2, 'bash'), kin(1, 'tmux: server')],
  // A client that starts its servers through npx.
  33: [kin(32, 'sh'), kin(31, 'npm exec holdf'), kin(30, 'node'), kin(2, 'bash')],
};

function kin(pid: number, name: string) {
  return { pid, name };
}

const seatAt = (pid: number) => ({ name: `seat-${pid}`, pid }) as LivingSeat;
const seats = [seatAt(11), seatAt(21), seatAt(33)];
const meet = (line: { pid: number; name: string }[], among = seats) =>
  findOwnSeat(among, line, (pid) => LINES[pid] ?? [])?.pid;

it('finds the server of the same client, not of the one beside it', () => {
  expect(meet([kin(12, 'sh'), kin(10, 'claude'), kin(2, 'bash')])).toBe(11);
  expect(meet([kin(20, 'claude'), kin(2, 'bash')])).toBe(21);
  expect(meet([kin(34, 'sh'), kin(30, 'node'), kin(2, 'bash')])).toBe(33);
});

it('ties nobody to a client that has no server, though they share a terminal', () => {
  expect(meet([kin(40, 'codex'), kin(2, 'bash'), kin(1, 'tmux: server')])).toBeUndefined();
  expect(meet([])).toBeUndefined();
});

it('does not guess between two servers of one client', () => {
  LINES[12] = LINES[11]!;
  expect(meet([kin(10, 'claude')], [seatAt(11), seatAt(12)])).toBeUndefined();
});
