import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { systemClock } from '../../kernel/clock.ts';
import { HubError } from '../../kernel/errors.ts';
import { readOrCreateSecret } from '../../kernel/home.ts';
import { createMeaning, embeddingSettings } from '../../recall/recall.ts';
import type { Access } from '../access/access.ts';
import { routesOf } from '../../operation/faces.ts';
import type { RoomDeclaration } from '../room.ts';
import { type Beings, createBeings } from './being.ts';
import { modelPlace } from '../../kernel/language-model.ts';
import { createPatrol } from './patrol/patrol.ts';
import { createRecalling } from './being-recall.ts';
import { createSealing } from './seal.ts';

/** From the environment, for hubs that share a database, else a 0600 file made on first use. */
function secretFrom(env: Readonly<Record<string, string | undefined>>, home: string): string {
  const given = env['HOLDFAST_SECRET_KEY'];
  if (!given) return readOrCreateSecret(join(home, 'secrets.key'));
  if (given.length >= 32) return given;
  throw new HubError('invalid', 'HOLDFAST_SECRET_KEY must have at least 32 characters.', {
    hint: 'Remove it to use secrets.key in the home, or make it longer.',
  });
}

export const beingRoom: RoomDeclaration<{ access: Access }, Beings> = {
  key: 'being',
  needs: ['access'],
  open({ db, config, log, acting }, { access }) {
    const meaning = createMeaning(
      db,
      embeddingSettings({ ...process.env, ...config.embedding }),
      systemClock,
    );
    const recalling = createRecalling({ db, meaning, log });
    const sealing = createSealing(() => secretFrom(process.env, config.home));
    const parts = { db, acting, recalling, sealing, log };
    const patrol = createPatrol(parts, modelPlace(process.env));
    // Its server is in no registry: it is no part of the hub's catalogue, and only a token of a Being leads to it.
    const beings = createBeings({ ...parts, patrol, pick: randomInt, oauth: access.oauth });
    access.oauth.knowBeings(beings.all);
    return {
      service: beings,
      async routes() {
        const { beingOperations } = await import('./operations.ts');
        const behind = { tag: 'being', acting, look: beings.at, change: beings.in, service: beings };
        return routesOf(behind, beingOperations);
      },
      start: (hub) => [patrol.start(hub, log)],
    };
  },
};
