import type { Caller } from '../../store/calls.ts';
import type { Query, Tx } from '../../store/database.ts';
import type { Settings } from './settings.ts';

/** One look at the board: who looks, in which snapshot, at which moment. */
export type BoardSight = Settings & Readonly<{ q: Query; caller: Caller; now: number }>;

/** One change of the board: the same in a transaction. */
export type Unit = BoardSight & Readonly<{ tx: Tx }>;
