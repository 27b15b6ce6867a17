import { signingKey } from '../../kernel/home.ts';
import { hideAlways } from '../../kernel/redact.ts';
import { behindService, routesOf } from '../../operation/faces.ts';
import type { Broker } from '../broker/broker.ts';
import type { RoomDeclaration } from '../room.ts';
import { createDenials } from './denials.ts';
import type { Notice, NoticeActions } from './notice.ts';
import { noticeOperations } from './operations.ts';
import { type NoticeSettings, readNoticeSettings } from './settings.ts';
import type { Feed } from '../../kernel/event.ts';
import type { Running } from '../../store/consumers.ts';
import { type NoticeParts, startNotices } from './notices.ts';

export const noticesRoom: RoomDeclaration<{ broker: Broker }, undefined> = {
  key: 'notices',
  needs: ['broker'],
  open({ db, acting, config, log }, { broker }) {
    const read = (): NoticeSettings => hidden(readNoticeSettings(config.notices));
    // A hub does not start with settings that say nothing.
    const { address } = read();
    const ring = () => void (process.stderr.isTTY && process.stderr.write('\u0007'));
    const key = () => Buffer.from(signingKey(config.home, process.env));
    const denials = createDenials({ db, broker, key });
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
      start: () => [
        followNotices(db.feed, { read, log, ring, ...(address !== undefined && { actionsFor }) }),
      ],
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

type Followed = Omit<NoticeParts, 'settings'> & Readonly<{ read(): NoticeSettings }>;

const LOOK_MS = 1_000;

/** Notices as config.yaml has them by now; while what it says cannot be understood, as it had them before. */
function followNotices(feed: Feed, { read, ...parts }: Followed): Running {
  let known = JSON.stringify(read());
  let running = startNotices(feed, { ...parts, settings: read() });
  let refused: string | undefined;

  function look(): void {
    try {
      const settings = read();
      const text = JSON.stringify(settings);
      refused = undefined;
      if (text === known) return;
      known = text;
      const before = running;
      running = startNotices(feed, { ...parts, settings });
      void before.stop();
    } catch (error) {
      const { message } = error as Error;
      if (message !== refused) parts.log.warn(`Notices go on as they were: ${message}`);
      refused = message;
    }
  }

  const timer = setInterval(look, LOOK_MS).unref();
  return {
    stop() {
      clearInterval(timer);
      return running.stop();
    },
  };
}
