import { canonicalJson } from '../../../kernel/canonical-json.ts';
import { sha256 } from '../../../kernel/digest.ts';

export function fingerprint(value: unknown): string {
  return sha256(canonicalJson(value));
}
