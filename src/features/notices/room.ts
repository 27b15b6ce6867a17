import { hideAlways } from '../../kernel/redact.ts';
import { behindService, routesOf } from '../../operation/faces.ts';
import type { RoomDeclaration } from '../room.ts';
import { followNotices } from './follow.ts';
import { noticeOperations } from './operations.ts';
import { type NoticeSettings, readNoticeSettings } from './settings.ts';

export const noticesRoom: RoomDeclaration<object, undefined> = {
  key: 'notices',
  needs: [],
  open({ db, acting, config, log }) {
    const read = (): NoticeSettings => hidden(readNoticeSettings(config.notices));
    // A hub does not start with settings that say nothing.
    read();
    const ring = () => void (process.stderr.isTTY && process.stderr.write('\u0007'));
    return {
      service: undefined,
      start: () => [followNotices(db.feed, { read, log, ring })],
      routes: async () =>
        routesOf(behindService('notices', acting, { read, now: () => db.now() }), noticeOperations),
    };
  },
};

function hidden(settings: NoticeSettings): NoticeSettings {
  for (const { secret } of Object.values(settings.to)) if (secret !== undefined) hideAlways(secret);
  return settings;
}
