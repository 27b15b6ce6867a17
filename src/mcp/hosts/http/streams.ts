import type { Outlet } from './outlet.ts';

/** The GET streams that are open, one per session: a second one replaces the first, whose socket may be half dead. */
export interface SessionStreams {
  has(seat: string): boolean;
  /** Resolves when the stream is over. */
  hold(seat: string, outlet: Outlet): Promise<void>;
  endAll(): void;
  end(seat: string): void;
}

export function createStreams(): SessionStreams {
  const open = new Map<string, Outlet>();
  const end = (seat: string) => open.get(seat)?.end();
  return {
    has: (seat) => open.has(seat),
    async hold(seat, outlet) {
      end(seat);
      open.set(seat, outlet);
      outlet.open();
      await outlet.whenOver();
      if (open.get(seat) === outlet) open.delete(seat);
    },
    end,
    endAll: () => [...open.keys()].forEach(end),
  };
}
