import { createHmac, timingSafeEqual } from 'node:crypto';
import { type KeySource, keyOf } from '../kernel/signing-key.ts';

/**
 * Facts we hand to a client and want back unchanged: a session, the state of an unfinished call.
 * Readable by the holder, so nothing secret goes in; a changed byte makes it worthless.
 */
export interface Seal {
  close(facts: unknown): string;
  /** Undefined for anything this seal did not close. */
  open(sealed: string): unknown;
}

/** `purpose` keeps apart what the same key seals: a call's state is never accepted as a session. */
export function createSeal(key: KeySource, purpose: string): Seal {
  let [from, own] = [undefined as Uint8Array | undefined, Buffer.alloc(0)];
  const sign = (body: string) => {
    const now = keyOf(key);
    if (now !== from) [from, own] = [now, createHmac('sha256', now).update(`holdfast ${purpose}`).digest()];
    return createHmac('sha256', own).update(body).digest();
  };
  return {
    close(facts) {
      const body = Buffer.from(JSON.stringify(facts)).toString('base64url');
      return `${body}.${sign(body).toString('base64url')}`;
    },
    open(sealed) {
      const dot = sealed.lastIndexOf('.');
      if (dot <= 0) return undefined;
      const body = sealed.slice(0, dot);
      const given = Buffer.from(sealed.slice(dot + 1), 'base64url');
      const right = sign(body);
      // The exact text is compared too: base64 has several spellings of the same bytes.
      if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined;
      if (right.toString('base64url') !== sealed.slice(dot + 1)) return undefined;
      return JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as unknown;
    },
  };
}
