import { createChangeBoard } from '../../mcp/changes.ts';
import { behindService, routesOf } from '../../operation/faces.ts';
import type { Broker } from '../broker/broker.ts';
import type { RoomDeclaration } from '../room.ts';
import { sourceOffer, sourceTools } from './served/offer.ts';
import { createPassThrough } from './served/pass-through.ts';
import { createReader } from './served/reader.ts';
import { createSources, type Sources } from './sources.ts';
import { createSubscriptions } from './served/subscriptions.ts';

/** How often a hub says that it still runs its sources. */
const RENEW_MS = 60_000;

export const sourcesRoom: RoomDeclaration<{ broker: Broker }, Sources> = {
  key: 'sources',
  needs: ['broker'],
  open({ db, config, log, acting, changes = createChangeBoard() }, { broker }) {
    const sources = createSources({ db, config, log, broker, changes });
    const reader = createReader(sources, broker);
    const subscriptions = createSubscriptions();
    sources.onReady((source) => void subscriptions.again(source));
    return {
      service: sources,
      figures: async (q, { hub }) => ({ sources: await sources.register.countStates(q, hub) }),
      hubSource: sourceTools(sources),
      offer: sourceOffer(sources, reader, subscriptions),
      passThrough: createPassThrough(sources, reader, subscriptions),
      async routes() {
        const { createAdministration } = await import('./administration.ts');
        const { sourceOperations } = await import('./operations.ts');
        return routesOf(
          behindService('sources', acting, createAdministration(acting, sources)),
          sourceOperations,
        );
      },
      start(hub) {
        const started = sources.start(hub);
        const timer = setInterval(() => void sources.register.renew(), RENEW_MS);
        timer.unref();
        return [
          {
            async stop() {
              clearInterval(timer);
              await started;
            },
          },
        ];
      },
      close: () => sources.close(),
    };
  },
};
