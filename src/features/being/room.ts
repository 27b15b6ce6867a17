import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { systemClock } from '../../kernel/clock.ts';
import { readOrCreateSecret } from '../../kernel/home.ts';
import { createMeaning } from '../../recall/vectors/meaning.ts';
import { embeddingSettings } from '../../recall/vectors/provider.ts';
import type { Access } from '../access/access.ts';
import type { RoomDeclaration } from '../room.ts';
import { type Beings, createBeings } from './being.ts';
import { modelPlace } from './patrol/model.ts';
import { createPatrol } from './patrol/patrol.ts';
import { createRecalling } from './recalling.ts';
import { createSealing } from './sealing.ts';
import { beingServer } from './tools.ts';

export const beingRoom: RoomDeclaration<{ access: Access }, Beings> = {
  key: 'being',
  needs: ['access'],
  open({ db, config, log, acting }, { access }) {
    const meaning = createMeaning(db, embeddingSettings(process.env), systemClock);
    const recalling = createRecalling({ db, meaning, log });
    const sealing = createSealing(() => process.env['HOLDFAST_SECRET_KEY'] || readOrCreateSecret(join(config.home, 'secrets.key')));
    const parts = { db, acting, recalling, sealing, log };
    const patrol = createPatrol(parts, modelPlace(process.env));
    // Its server is in no registry: it is no part of the hub's catalogue, and only a token of a Being leads to it.
    const beings = createBeings({ recalling, sealing, server: beingServer({ ...parts, patrol, pick: randomInt }) });
    access.oauth.knowBeings((q) => beings.list(q));
    return {
      service: beings,
      routes: async () => (await import('./routes.ts')).beingRoutes({ ...parts, beings, patrol, oauth: access.oauth }),
      start: (hub) => [patrol.start(hub, log)],
    };
  },
};
