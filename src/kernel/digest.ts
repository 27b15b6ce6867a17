import { hash } from 'node:crypto';

/** SHA-256, the one digest here: as hex, or shorter in text as base64url. */
export function sha256(data: string | Uint8Array, encoding: 'hex' | 'base64url' = 'hex'): string {
  return hash('sha256', data, encoding);
}
