import { z } from 'zod';
import { HubError } from '../../kernel/errors.ts';
import { work } from '../../operation/operation.ts';
import { channelsOf, type NoticeChannel } from './channels.ts';
import type { Notice } from './notice.ts';
import { isQuiet } from '../../kernel/quiet-hours.ts';
import type { NoticeSettings } from './settings.ts';

type NoticeDesk = Readonly<{ read(): NoticeSettings; now(): number }>;

const PATIENCE_MS = 6_000;

const testNotices = work({
  name: 'test_notices',
  summary: 'Send a notice that says nothing to every receiver, or to one, and say which it reached.',
  scope: 'access:admin',
  refusals: ['not_found'],
  effect: 'state',
  input: { to: z.string().min(1).max(64).optional().describe('The name of one receiver.') },
  output: z.object({
    reached: z.array(
      z.object({
        to: z.string(),
        ok: z.boolean(),
        error: z.string().nullable(),
        quietNow: z.boolean().describe('A real notice would not be sent at this hour.'),
      }),
    ),
  }),
  route: 'POST /api/notices/test',
  async run({ read, now }: NoticeDesk, { to }) {
    const settings = read();
    const channels = channelsOf(settings).filter(({ name }) => to === undefined || name === to);
    if (to !== undefined && channels.length === 0) throw unknown(settings, to);
    const isNight = isQuiet(settings.quiet, new Date(now()));
    const reached = await Promise.all(
      channels.map(async (channel) => ({
        to: channel.name,
        ...(await attempt(channel, now())),
        quietNow: isNight && channel.isLoud,
      })),
    );
    return { reached };
  },
});

export const noticeOperations = [testNotices] as const;

async function attempt(channel: NoticeChannel, at: number): Promise<{ ok: boolean; error: string | null }> {
  const notice: Notice = {
    kind: 'mail',
    text: 'This is a test: notices reach you here.',
    subject: 'test',
    team: undefined,
    at,
    seq: 0,
  };
  try {
    await channel.send(notice, AbortSignal.timeout(PATIENCE_MS));
    return { ok: true, error: null };
  } catch (error) {
    return { ok: false, error: (error as Error).message };
  }
}

function unknown({ to, desktop }: NoticeSettings, name: string): HubError {
  const names = [...(desktop ? ['desktop'] : []), ...Object.keys(to)];
  const hint =
    names.length === 0 ? 'There is none yet: see docs/guides/notices.md.' : `There are ${names.join(', ')}.`;
  return new HubError('not_found', `No receiver of notices is called ${name}.`, { hint });
}
