import { z } from 'zod';
import type { Access } from '../access/access.ts';
import type { Beings } from './being.ts';
import type { Parts } from './parts.ts';
import type { Patrol } from './patrol/patrol.ts';
import { isUuid } from './rules.ts';

/** What the files of `/v1/beings` share. */
export type BeingRouteParts = Parts & Readonly<{ beings: Beings; patrol: Patrol; oauth: Access['oauth'] }>;

export const idParams = z.object({
  id: z
    .string()
    .refine(isUuid, 'must be a UUID')
    .transform((id) => id.toLowerCase())
    .pipe(z.string()),
});
export const answered = z.looseObject({ ok: z.literal(true) });
export const shared = { tag: 'being', refusals: ['unauthorized', 'not_found'] } as const;
export const label = z.string().trim().min(1).max(80);
