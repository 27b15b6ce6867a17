// A person sees where a target is pushed, and confirms exactly that.
import type { Config } from '../../../kernel/config.ts';
import { landSettingsOf } from '../../../kernel/land-settings.ts';
import { requireOperator } from '../../../kernel/principal.ts';
import type { Acting, Call } from '../../../store/calls.ts';
import type { Database } from '../../../store/database.ts';
import type { LandPlaces } from './land-places.ts';
import { LAND_SUBJECT } from '../landing-shapes.ts';
import { confirmRemote, lookAtRemote, type RemoteView, requireSeen } from '../move/remotes.ts';

type RemoteParts = Readonly<{ db: Database; acting: Acting; config: Config; where: LandPlaces }>;
export type PushPlace = RemoteView & Readonly<{ repository: string; project: string; pushed: boolean }>;

export function createRemotes({ db, acting, config, where }: RemoteParts) {
  async function remoteFor(call: Call, folder: string | undefined) {
    requireOperator(call.who, 'Seeing where targets are pushed', 'Use `holdfast land confirm`');
    const repository = await where.repositoryOf(call.who, null, folder);
    const project = await where.projectAt(repository);
    const { push } = landSettingsOf(config.land, project);
    // Pull requests go there also where nothing is pushed by itself.
    return { repository, project, remote: push ?? 'origin', pushed: push !== undefined };
  }

  return {
    async remote(call: Call, folder: string | undefined): Promise<PushPlace> {
      const { remote, ...place } = await remoteFor(call, folder);
      return { ...place, ...(await lookAtRemote(db, { repository: place.repository, remote })) };
    },

    async confirmRemote(
      call: Call,
      { folder, url }: Readonly<{ folder?: string | undefined; url: string }>,
    ): Promise<PushPlace> {
      const { remote, ...place } = await remoteFor(call, folder);
      const named = { repository: place.repository, remote };
      await requireSeen({ ...named, url });
      await acting.change(call, async (tx) => {
        await confirmRemote(tx, { ...named, url });
        tx.emit({ kind: 'landing.confirmed', subject: LAND_SUBJECT, realm: 'hub', team: place.project });
      });
      return { ...place, ...(await lookAtRemote(db, named)) };
    },
  };
}
