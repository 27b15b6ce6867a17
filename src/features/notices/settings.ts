import { z } from 'zod';
import { HubError } from '../../kernel/errors.ts';
import { QUIET_HOURS } from '../../kernel/quiet-hours.ts';
import { KINDS } from './notice.ts';

/** `notices` in config.yaml: where notices go, which, and when not. */
const address = z.url({ protocol: /^https?$/ }).refine((text) => {
  const { username, password } = new URL(text);
  return username === '' && password === '';
}, 'must not hold a password');

const channel = z
  .strictObject({
    ntfy: address.optional(),
    slack: address.optional(),
    webhook: address.optional(),
    secret: z.string().min(16).max(200).optional().describe('Signs the body of a webhook.'),
    private: z
      .boolean()
      .default(false)
      .describe('The address is on this machine or its network, and meant to be.'),
    always: z.boolean().default(false).describe('Also in quiet hours.'),
    kinds: z.array(z.enum(KINDS)).min(1).optional(),
    projects: z.array(z.string().min(1).max(200)).min(1).optional(),
  })
  .refine(
    ({ ntfy, slack, webhook }) => [ntfy, slack, webhook].filter(Boolean).length === 1,
    'must have one of ntfy, slack and webhook',
  )
  .refine(
    ({ webhook, secret }) => secret === undefined || webhook !== undefined,
    'has a secret, which belongs to a webhook',
  );

const settings = z.strictObject({
  terminal: z.boolean().default(true),
  desktop: z.boolean().default(false),
  address: address
    .transform((text) => text.replace(/\/+$/, ''))
    .optional()
    .describe('Where this hub is reached from elsewhere.'),
  quiet: z.string().regex(QUIET_HOURS, 'must look like 22:00-07:00').optional(),
  to: z.record(z.string().regex(/^[a-z][a-z0-9-]{0,31}$/), channel).default({}),
});

export type NoticeSettings = z.output<typeof settings>;
export type ChannelSettings = z.output<typeof channel>;

export function readNoticeSettings(given: unknown): NoticeSettings {
  const parsed = settings.safeParse(given ?? {});
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0]!;
  throw new HubError(
    'invalid',
    `${['notices', ...path].join('.')} in config.yaml ${message.replace(/^Invalid/, 'is wrong: invalid')}.`,
    {
      hint: 'See docs/guides/notices.md.',
    },
  );
}
