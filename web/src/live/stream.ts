import type { Api } from '../../../src/features/api.ts';
import type { Event as HubEvent } from '../../../src/kernel/event.ts';

export type { HubEvent };

/** What a listener of the stream hears. `past` comes first and makes nothing stale. */
export type LiveMessage =
  | Readonly<{ kind: 'past'; events: readonly HubEvent[] }>
  | Readonly<{ kind: 'event'; event: HubEvent }>
  | Readonly<{ kind: 'gap' }>
  | Readonly<{ kind: 'state'; state: LiveState; missed: number }>;

export type LiveState = 'opening' | 'open' | 'lost' | 'refused';

/** How much of the past is fetched for the timeline. */
const PAST = 400;

/**
 * One event stream, for a worker or for a page alone. The browser resumes it by Last-Event-ID; what happened while it was
 * away is replayed, so nothing has to be guessed.
 */
export function openStream(hear: (message: LiveMessage) => void): void {
  const past: HubEvent[] = [];
  let head = Infinity;
  let hasOpened = false;
  let lostAt: number | undefined;
  let missed = 0;

  void begin();

  async function begin(): Promise<void> {
    try {
      const answer = await fetch('/api/health', { headers: { accept: 'application/json' } });
      if (answer.status === 401 || answer.status === 403)
        return hear({ kind: 'state', state: 'refused', missed: 0 });
      ({ eventHead: head } = (await answer.json()) as Api['GET /api/health']['answer']);
    } catch {
      hear({ kind: 'state', state: 'lost', missed: 0 });
      setTimeout(() => void begin(), 2000);
      return;
    }
    follow(Math.max(0, head - PAST));
  }

  function follow(since: number): void {
    const source = new EventSource(`/api/events?since=${since}`);
    source.addEventListener('open', () => {
      lostAt = undefined;
      hasOpened = true;
      if (head === 0) tellPast();
      hear({ kind: 'state', state: 'open', missed });
      missed = 0;
    });
    source.addEventListener('message', ({ data }: MessageEvent<string>) =>
      take(JSON.parse(data) as HubEvent),
    );
    source.addEventListener('gap', () => {
      tellPast();
      hear({ kind: 'gap' });
    });
    source.addEventListener('error', () => {
      lostAt ??= Date.now();
      if (hasOpened || source.readyState === EventSource.CLOSED)
        hear({ kind: 'state', state: 'lost', missed });
      // A refusal closes the stream for good; the hub may only have been starting.
      if (source.readyState === EventSource.CLOSED) {
        source.close();
        setTimeout(() => void begin(), 3000);
      }
    });
  }

  function take(event: HubEvent): void {
    if (event.seq <= head) {
      past.push(event);
      if (event.seq === head) tellPast();
      return;
    }
    tellPast();
    hear({ kind: 'event', event });
  }

  function tellPast(): void {
    if (head === -1) return;
    head = -1;
    hear({ kind: 'past', events: past.splice(0) });
  }
}
