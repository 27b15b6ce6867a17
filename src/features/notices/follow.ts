import type { Feed } from '../../kernel/event.ts';
import type { Running } from '../../store/consumers.ts';
import { type NoticeParts, startNotices } from './notices.ts';
import type { NoticeSettings } from './settings.ts';

type Followed = Omit<NoticeParts, 'settings'> & Readonly<{ read(): NoticeSettings }>;

const LOOK_MS = 1_000;

/** Notices as config.yaml has them by now; while what it says cannot be understood, as it had them before. */
export function followNotices(feed: Feed, { read, ...parts }: Followed): Running {
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
