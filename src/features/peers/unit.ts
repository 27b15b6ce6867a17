import type { Principal } from '../../kernel/principal.ts';
import type { Query, Tx } from '../../store/database.ts';
import type { Presence } from './register/presence.ts';

/** For whom the register and the mail are read, in which snapshot, and as of when. */
export type PeerLook = Readonly<{ q: Query; who: Principal; presence: Presence; now: number }>;

/** The same in a transaction: what reads in it sees what it has changed. */
export type PeerUnit = PeerLook & Readonly<{ tx: Tx; isPerson: boolean }>;
