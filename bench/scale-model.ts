// Agents, hubs and one PostgreSQL as queues: what a number of hubs costs and what is full first. Every figure it starts from is measured;
// what it leaves out is said in docs/design/scale.md.
import { chanceOf } from '../test/fuzz/generate.ts';

/** Of one operation, in milliseconds of CPU. */
export type OperationCost = Readonly<{
  what: string;
  /** How often it is asked for, beside the others. */
  share: number;
  hub: number;
  server: number;
  /** How many events it writes; one that writes none takes no counter. */
  events: number;
}>;

export type Scale = Readonly<{
  operations: readonly OperationCost[];
  /** What one event costs each hub that did not write it, and the server for telling it, in milliseconds of CPU. */
  heard: Readonly<{ hub: number; server: number }>;
  /** How long the row of the counter is held: from its update to the end of the commit. */
  heldMs: number;
  serverCores: number;
  /** Connections of one hub that write. */
  writers: number;
}>;

export type Crowd = Readonly<{
  hubs: number;
  agents: number;
  /** Between an answer and the next call, on average. */
  thinkMs: number;
  seconds: number;
  /** Counters of events: one for all, or one per tenant. */
  counters?: number;
  /** How many other hubs hear of an event; all, unless each has tenants of its own. */
  listeners?: number;
}>;

export type Outcome = Readonly<{
  perSecond: number;
  hubCpu: number;
  serverCpu: number;
  p50: number;
  p95: number;
  /** Shares of the time in which each was taken: the fullest hub, the server's cores, the fullest counter, the connections. */
  busy: Readonly<Record<'hub' | 'server' | 'counter' | 'connections', number>>;
}>;

/** First come first served, by some that serve at once. */
class Line {
  readonly #waiting: (() => void)[] = [];
  readonly #time: Time;
  readonly servers: number;
  #free: number;
  busyMs = 0;

  constructor(time: Time, servers: number) {
    this.#time = time;
    this.servers = servers;
    this.#free = servers;
  }

  serve(ms: number, then: () => void = () => undefined): void {
    this.hold((release) =>
      this.#time.after(ms, () => {
        release();
        then();
      }),
    );
  }

  /** Held for as long as it takes: whoever got it gives it back. */
  hold(work: (release: () => void) => void): void {
    const begin = () => {
      const from = this.#time.now;
      work(() => {
        this.busyMs += this.#time.now - from;
        const next = this.#waiting.shift();
        if (next) next();
        else this.#free += 1;
      });
    };
    if (this.#free === 0) this.#waiting.push(begin);
    else {
      this.#free -= 1;
      begin();
    }
  }
}

export function simulate(scale: Scale, crowd: Crowd): Outcome {
  const { hubs, agents, thinkMs, seconds, counters = 1, listeners = hubs - 1 } = crowd;
  const chance = chanceOf(1);
  const time = new Time();
  const lines = (count: number, servers: number) =>
    Array.from({ length: count }, () => new Line(time, servers));
  const [cores, writers, rows] = [lines(hubs, 1), lines(hubs, scale.writers), lines(counters, 1)];
  const server = new Line(time, scale.serverCores);
  const total = scale.operations.reduce((sum, { share }) => sum + share, 0);
  const times: number[] = [];

  const draw = (): OperationCost => {
    let at = chance.next() * total;
    return scale.operations.find(({ share }) => (at -= share) < 0) ?? scale.operations[0]!;
  };

  function call(agent: number): void {
    const [operation, began, hub] = [draw(), time.now, agent % hubs];
    const answer = () => {
      times.push(time.now - began);
      think(agent);
    };
    cores[hub]!.serve(operation.hub, () => {
      if (operation.events === 0) server.serve(operation.server, answer);
      else write(operation, { agent, hub, answer });
    });
  }

  function write(
    operation: OperationCost,
    by: Readonly<{ agent: number; hub: number; answer(): void }>,
  ): void {
    writers[by.hub]!.hold((release) =>
      server.serve(operation.server, () =>
        rows[by.agent % counters]!.serve(scale.heldMs, () => {
          release();
          by.answer();
          for (let i = 1; i <= listeners; i += 1)
            cores[(by.hub + i) % hubs]!.serve(scale.heard.hub * operation.events);
          server.serve(scale.heard.server * operation.events * listeners);
        }),
      ),
    );
  }

  const think = (agent: number) => time.after(-Math.log(1 - chance.next()) * thinkMs, () => call(agent));
  for (let agent = 0; agent < agents; agent += 1) think(agent);
  time.run(seconds * 1_000);
  times.sort((a, b) => a - b);
  const share = (line: Line) => line.busyMs / (seconds * 1_000 * line.servers);
  const fullest = (all: readonly Line[]) => Math.max(...all.map(share));
  return {
    perSecond: times.length / seconds,
    hubCpu: cores.reduce((sum, { busyMs }) => sum + busyMs, 0) / times.length,
    serverCpu: server.busyMs / times.length,
    p50: times[Math.floor(times.length * 0.5)] ?? 0,
    p95: times[Math.floor(times.length * 0.95)] ?? 0,
    busy: {
      hub: fullest(cores),
      server: share(server),
      counter: fullest(rows),
      connections: fullest(writers),
    },
  };
}

type Due = Readonly<{ at: number; work: () => void }>;

/** What is due soonest comes first: a heap. */
class Time {
  now = 0;
  readonly #heap: Due[] = [];

  after(ms: number, work: () => void): void {
    const [heap, due] = [this.#heap, { at: this.now + ms, work }];
    let at = heap.push(due) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (heap[above]!.at <= due.at) break;
      heap[at] = heap[above]!;
      at = above;
    }
    heap[at] = due;
  }

  run(until: number): void {
    for (let due = this.#next(); due && due.at <= until; due = this.#next()) {
      this.now = due.at;
      due.work();
    }
  }

  #next(): Due | undefined {
    const heap = this.#heap;
    const [soonest] = heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return soonest;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && heap[below + 1]!.at < heap[below]!.at) below += 1;
      if (heap[below]!.at >= last.at) break;
      heap[at] = heap[below]!;
      at = below;
    }
    heap[at] = last;
    return soonest;
  }
}
