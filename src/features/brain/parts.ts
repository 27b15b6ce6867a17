import type { Log } from '../../kernel/log.ts';
import type { Principal } from '../../kernel/principal.ts';
import type { Database } from '../../store/database.ts';
import type { Catalogue } from './catalogue.ts';
import type { Vault } from './vault/vault.ts';

/** What the parts of the brain share once the vault is open. */
export type BrainParts = Readonly<{ db: Database; vault: Vault; catalogue: Catalogue; log: Log }>;

/** Whose turns these are: the session it came through, or the caller when there is none. */
export function sessionOf(who: Principal): string {
  return who.seat === '' ? `${who.kind}:${who.bound.agent ?? who.id}` : who.seat;
}
