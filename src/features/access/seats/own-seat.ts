import type { Kin } from '../../../kernel/process/ancestors.ts';
import type { LivingSeat } from './living-seat.ts';

/**
 * A hook and the stdio server of one client are children of the same process: the client. Of all living seats the one
 * with the nearest common ancestor is the hook's own. A shell or a terminal is an ancestor of everything that was ever
 * started in it, so it ties nobody together.
 */
const COMMON_GROUND =
  /^(-?(ba|z|fi|da|k|tc|c)?sh|tmux.*|screen|login|su|sudo|sshd.*|systemd.*|init|launchd|supervisord|cron|node-pty.*)$/;

export function findOwnSeat(
  seats: readonly LivingSeat[],
  line: readonly Kin[],
  lineOf: (pid: number) => readonly Kin[],
): LivingSeat | undefined {
  let best: Readonly<{ seat: LivingSeat; distance: number }> | undefined;
  let isTie = false;
  for (const seat of seats) {
    const distance = seat.pid === null ? undefined : distanceTo(line, lineOf(seat.pid));
    if (distance === undefined || (best && distance > best.distance)) continue;
    isTie = best?.distance === distance;
    best = { seat, distance };
  }
  return isTie ? undefined : best?.seat;
}

/** How far up the first common ancestor is that is more than common ground. */
function distanceTo(line: readonly Kin[], other: readonly Kin[]): number | undefined {
  const others = new Set(other.map(({ pid }) => pid));
  const at = line.findIndex(({ pid }) => others.has(pid));
  return at < 0 || COMMON_GROUND.test(line[at]!.name) ? undefined : at;
}
