import { HubError } from '../../../kernel/errors.ts';
import type { Principal } from '../../../kernel/principal.ts';

/** Which version of a file a caller has seen, so that nobody overwrites what they do not know. */
export interface SeenVersions {
  note(who: Principal, path: string, hash: string): void;
  /** Throws unless the caller has seen exactly this version, by an earlier read or by the hash it names. */
  require(
    who: Principal,
    file: Readonly<{ path: string; name: string; hash: string; expected?: string | undefined }>,
  ): void;
}

const MOST = 20_000;

export function createSeen(): SeenVersions {
  const versions = new Map<string, string>();
  const keyOf = (who: Principal, path: string) =>
    JSON.stringify([who.seat || who.id, who.bound.agent ?? '', path]);
  return {
    note(who, path, hash) {
      const key = keyOf(who, path);
      versions.delete(key);
      versions.set(key, hash);
      if (versions.size > MOST) versions.delete(versions.keys().next().value!);
    },
    require(who, { path, name, hash, expected }) {
      if (expected === hash) return;
      const seen = versions.get(keyOf(who, path));
      if (seen === hash && expected === undefined) return;
      if (seen === undefined && expected === undefined) {
        throw new HubError('conflict', `${name} has not been read yet.`, {
          denied: 'write:unread',
          hint: 'Read it first, or send its file_hash as expected_hash.',
        });
      }
      throw new HubError('conflict', `${name} has changed since it was read.`, {
        denied: 'write:changed',
        currentHash: hash,
        hint: 'Read it again, then repeat the change on what is there now.',
      });
    },
  };
}
