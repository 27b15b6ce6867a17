import { hideAlways } from '../../kernel/redact.ts';
import type { RoomDeclaration } from '../room.ts';
import { startNotices } from './notices.ts';
import { readNoticeSettings } from './settings.ts';

export const noticesRoom: RoomDeclaration<object, undefined> = {
  key: 'notices',
  needs: [],
  open({ db, config, log }) {
    const settings = readNoticeSettings(config.notices);
    for (const { secret } of Object.values(settings.to)) if (secret !== undefined) hideAlways(secret);
    const ring = () => void (process.stderr.isTTY && process.stderr.write('\u0007'));
    return { service: undefined, start: () => [startNotices(db.feed, { settings, log, ring })] };
  },
};
