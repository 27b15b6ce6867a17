import { hideAlways } from '../../kernel/redact.ts';
import type { Broker } from '../broker/broker.ts';
import type { RoomDeclaration } from '../room.ts';
import { createDenials } from './denials.ts';
import type { Notice, NoticeActions } from './notice.ts';
import { startNotices } from './notices.ts';
import { readNoticeSettings } from './settings.ts';

export const noticesRoom: RoomDeclaration<{ broker: Broker }, undefined> = {
  key: 'notices',
  needs: ['broker'],
  open({ db, config, log }, { broker }) {
    const settings = readNoticeSettings(config.notices);
    for (const { secret } of Object.values(settings.to)) if (secret !== undefined) hideAlways(secret);
    const ring = () => void (process.stderr.isTTY && process.stderr.write('\u0007'));
    const { address } = settings;
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
      routes: async () => (address === undefined ? [] : (await import('./routes.ts')).noticeRoutes(denials)),
      start: () => [
        startNotices(db.feed, { settings, log, ring, ...(address !== undefined && { actionsFor }) }),
      ],
    };
  },
};
