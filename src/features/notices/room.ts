import { hideAlways } from '../../kernel/redact.ts';
import { behindService, routesOf } from '../../operation/faces.ts';
import type { Broker } from '../broker/broker.ts';
import type { RoomDeclaration } from '../room.ts';
import { createDenials } from './denials.ts';
import { followNotices } from './follow.ts';
import type { Notice, NoticeActions } from './notice.ts';
import { noticeOperations } from './operations.ts';
import { type NoticeSettings, readNoticeSettings } from './settings.ts';

export const noticesRoom: RoomDeclaration<{ broker: Broker }, undefined> = {
  key: 'notices',
  needs: ['broker'],
  open({ db, acting, config, log }, { broker }) {
    const read = (): NoticeSettings => hidden(readNoticeSettings(config.notices));
    // A hub does not start with settings that say nothing.
    const { address } = read();
    const ring = () => void (process.stderr.isTTY && process.stderr.write('\u0007'));
    const denials = createDenials({ db, broker });
    const actionsFor = async ({ subject }: Notice): Promise<NoticeActions | undefined> => {
      const ticket = address === undefined ? undefined : await denials.ticketFor(subject);
      if (ticket === undefined) return undefined;
      return {
        open: { url: `${address}/approvals?at=${subject}` },
        deny: { url: `${address}/api/notices/deny/${ticket}`, method: 'POST' },
      };
    };
    return {
      service: undefined,
      start: () => [followNotices(db.feed, { read, log, ring, ...(address !== undefined && { actionsFor }) })],
      routes: async () => [
        ...routesOf(behindService('notices', acting, { read, now: () => db.now() }), noticeOperations),
        ...(address === undefined ? [] : (await import('./routes.ts')).noticeRoutes(denials)),
      ],
    };
  },
};

function hidden(settings: NoticeSettings): NoticeSettings {
  for (const { secret } of Object.values(settings.to)) if (secret !== undefined) hideAlways(secret);
  return settings;
}
