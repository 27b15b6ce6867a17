import { z } from 'zod';
import { defineRoute, type Route } from '../../http/route.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Database } from '../../store/database.ts';
import type { Metrics } from './metrics.ts';
import { type CountRoom, type HubFigures, readFigures } from './figures.ts';

/** Two that scrape, or one that does so without pause, ask the database no more often than this. */
const FRESH_MS = 2_000;

export type MetricsParts = Readonly<{
  db: Database;
  metrics: Metrics;
  rooms: readonly CountRoom[];
  hub: string;
  clock: Clock;
}>;

/** Figures about the whole hub, so for those who may read it whole. */
export function metricsRoute({ db, metrics, rooms, hub, clock }: MetricsParts): Route {
  let last: Readonly<{ at: number; figures: Promise<HubFigures> }> | undefined;
  const look = (): Promise<HubFigures> => {
    const now = clock.now();
    if (!last || now - last.at > FRESH_MS) {
      const figures = readFigures(db, rooms, { hub, now });
      last = { at: now, figures };
      figures.catch(() => (last = undefined));
    }
    return last.figures;
  };
  return defineRoute({
    method: 'GET',
    path: '/metrics',
    summary: 'Counters, latencies and gauges in the text format of Prometheus.',
    tag: 'hub',
    scope: 'hub:read',
    refusals: ['unavailable'],
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
    response: z.string(),
    handler: async () => metrics.render(await look()),
  });
}
