import type { Config } from './config.ts';

/** A running hub, as the command line sees it. `app.ts` builds it. */
export interface Hub {
  readonly id: string;
  /** http://host:port */
  readonly address: string;
  readonly engine: 'sqlite' | 'postgres';
  readonly schema: number;
  /** Orderly: stops accepting, ends streams, lets requests finish, checkpoints, unlocks. Safe to call twice. */
  close(): Promise<void>;
}

/**
 * `public` owns the database's lock and announces itself; `private` serves one command on a port of its own,
 * beside whoever else has the database open.
 */
export type HubMode = 'public' | 'private';

export type CreateHub = (config: Config, mode: HubMode) => Promise<Hub>;
