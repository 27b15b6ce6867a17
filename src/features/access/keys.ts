import { HubError } from '../../kernel/errors.ts';
import { type Principal, requireOperator } from '../../kernel/principal.ts';
import { type Acting, byRoute } from '../../store/calls.ts';
import type { Access } from './access.ts';
import type { Bindings } from './bindings.ts';

/** Taking back what was signed: one attach URL, or all of them with a new key. */
export interface Keys {
  rotate(who: Principal): Promise<Readonly<{ rotatedAt: number }>>;
  /** The URL, or the part behind its question mark. */
  revoke(who: Principal, url: string): Promise<Readonly<{ id: string; until: number }>>;
}

export type KeyParts = Readonly<{
  acting: Acting;
  access: Access;
  bindings: Bindings;
  /** Puts a new signing key in place. Undefined when the key is given by the environment and is not ours to exchange. */
  rotate: (() => void) | undefined;
}>;

export function createKeys({ acting, access, bindings, rotate }: KeyParts): Keys {
  return {
    async rotate(who) {
      requireOperator(who, 'Rotating the key');
      if (!rotate) throw notOurs();
      rotate();
      const rotatedAt = await acting.change(byRoute(who, 'rotate_key'), async (tx) => {
        tx.emit({ kind: 'keys.rotated', subject: 'signing', realm: 'hub' });
        return tx.now;
      });
      return { rotatedAt };
    },

    async revoke(who, url) {
      requireOperator(who, 'Revoking an attach URL');
      const params = new URLSearchParams(url.slice(url.indexOf('?') + 1));
      if (bindings.prove(params) !== 'signed')
        throw new HubError('invalid', 'This URL is not signed; there is nothing to take back.');
      const signed = bindings.credentialOf(params);
      await acting.change(byRoute(who, 'revoke_url'), (tx, caller) =>
        access.in(tx, caller).revokeUrl(signed),
      );
      return signed;
    },
  };
}

function notOurs(): HubError {
  return new HubError('conflict', 'The signing key comes from HOLDFAST_SIGNING_KEY.', {
    hint: 'Change the variable for every hub that shares it, then restart them.',
  });
}
