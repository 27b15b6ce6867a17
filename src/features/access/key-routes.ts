import { z } from 'zod';
import { defineRoute, type Route } from '../../http/route.ts';
import { HubError } from '../../kernel/errors.ts';
import { type Acting, byRoute } from '../../store/acting.ts';
import type { Access } from './access.ts';
import type { Bindings } from './bindings.ts';
import { requireOperator } from '../../kernel/principal.ts';

export type KeyParts = Readonly<{
  acting: Acting;
  access: Access;
  bindings: Bindings;
  /** Puts a new signing key in place. Undefined when the key is given by the environment and is not ours to exchange. */
  rotate: (() => void) | undefined;
}>;

const shared = { tag: 'access', scope: 'access:admin', refusals: ['unauthorized'] } as const;

/** Taking back what was signed: one attach URL, or all of them with a new key. */
export function keyRoutes({ acting, access, bindings, rotate }: KeyParts): readonly Route[] {
  return [
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/api/keys/rotate',
      summary: 'Exchange the signing key: attach URLs that were signed before, and sessions, end at once.',
      response: z.object({ ok: z.literal(true), rotatedAt: z.int() }),
      refusals: ['unauthorized', 'conflict'],
      async handler(_input, { who }) {
        requireOperator(who, 'Rotating the key');
        if (!rotate) throw notOurs();
        rotate();
        const rotatedAt = await acting.change(byRoute(who, 'keys'), async (tx) => {
          tx.emit({ kind: 'keys.rotated', subject: 'signing', realm: 'hub' });
          return tx.now;
        });
        return { ok: true as const, rotatedAt };
      },
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/api/keys/revoke',
      summary: 'Take back one signed attach URL.',
      body: z.strictObject({
        url: z.string().min(1).max(8_192).describe('The URL, or the part behind its question mark.'),
      }),
      response: z.object({
        ok: z.literal(true),
        id: z.string(),
        until: z.int().describe('When it would have run out by itself.'),
      }),
      async handler({ body }, { who }) {
        requireOperator(who, 'Revoking an attach URL');
        const params = new URLSearchParams(body.url.slice(body.url.indexOf('?') + 1));
        if (bindings.prove(params) !== 'signed')
          throw new HubError('invalid', 'This URL is not signed; there is nothing to take back.');
        const { id, until } = bindings.credentialOf(params);
        await acting.change(byRoute(who, 'keys'), (tx) => access.revokeUrl(tx, id, until));
        return { ok: true as const, id, until };
      },
    }),
  ];
}

function notOurs(): HubError {
  return new HubError('conflict', 'The signing key comes from HOLDFAST_SIGNING_KEY.', {
    hint: 'Change the variable for every hub that shares it, then restart them.',
  });
}
