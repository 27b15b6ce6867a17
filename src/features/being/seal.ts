import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { HubError } from '../../kernel/errors.ts';

/**
 * Secrets at rest: AES-256-GCM. What a secret belongs to is authenticated with it, so that a sealed text cannot be moved
 * to another row; the id of the key tells a text that was sealed under another key from one that was tampered with.
 */
export interface Sealing {
  seal(text: string, place: readonly string[]): string;
  /** Throws when the text was sealed elsewhere, under another key, or changed. */
  open(sealed: string, place: readonly string[]): string;
}

/** `secret` is read on first use: a hub without Beings needs no key file. */
export function createSealing(secret: () => string): Sealing {
  let known: Readonly<{ key: Buffer; id: string }> | undefined;
  const keyed = () => (known ??= keyOf(secret()));
  return {
    seal(text, place) {
      const { key, id } = keyed();
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(placed(place));
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return ['v1', id, ...[iv, cipher.getAuthTag(), body].map((part) => part.toString('base64url'))].join(
        '.',
      );
    },
    open(sealed, place) {
      const { key, id } = keyed();
      const [version, sealedBy, ...parts] = sealed.split('.');
      if (version !== 'v1' || parts.length !== 3) throw unreadable('is damaged');
      if (sealedBy !== id) throw unreadable('was sealed with another key');
      const [iv, tag, body] = parts.map((part) => Buffer.from(part, 'base64url'));
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, iv!, { authTagLength: 16 });
        decipher.setAAD(placed(place)).setAuthTag(tag!);
        return Buffer.concat([decipher.update(body!), decipher.final()]).toString('utf8');
      } catch (cause) {
        throw unreadable('is damaged', cause);
      }
    },
  };
}

function keyOf(secret: string): Readonly<{ key: Buffer; id: string }> {
  const key = createHash('sha256').update(`holdfast being secrets\n${secret}`).digest();
  return { key, id: createHash('sha256').update(key).digest('hex').slice(0, 8) };
}

function placed(place: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify(place));
}

function unreadable(why: string, cause?: unknown): HubError {
  const hint =
    'Use the key it was sealed with (HOLDFAST_SECRET_KEY, or secrets.key in the home), or write the secret again.';
  return new HubError('unavailable', `A stored secret ${why}.`, { retryable: false, hint }).because(cause);
}
