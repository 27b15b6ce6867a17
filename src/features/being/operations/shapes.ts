// What the operations of `/v1/beings` share.
import { z } from 'zod';
import { isUuid } from '../rules.ts';

const refusals = ['unauthorized', 'not_found'] as const;
export const reads = { scope: 'being:read', refusals } as const;
export const writes = { scope: 'being:write', refusals } as const;
/** For who owns the hub. */
export const owners = { scope: 'being:admin', refusals } as const;

export const id = z
  .string()
  .refine(isUuid, 'must be a UUID')
  .transform((text) => text.toLowerCase())
  .pipe(z.string());
export const label = z.string().trim().min(1).max(80);

/** Documented so: every answer says `ok` first. */
export function answered<S extends z.ZodRawShape>(fields: S) {
  return z.object({ ok: z.literal(true), ...fields });
}

export function ok<T extends object>(answer: T): T & { ok: true } {
  return { ok: true, ...answer };
}
