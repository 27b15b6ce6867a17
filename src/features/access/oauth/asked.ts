import type { Query } from '../../../store/database.ts';
import type { OAuthClient } from './clients.ts';
import type { Scope } from './rows.ts';

type KnownBeing = Readonly<{ id: string; name: string; owner: string }>;
export type ListBeings = (q: Query) => Promise<readonly KnownBeing[]>;

/** What was asked, after everything about it was checked. */
export type Asked = Readonly<{
  client: OAuthClient;
  redirectUri: string;
  state: string | null;
  /** Who the client was told answers. */
  issuer: string;
  scope: Scope;
  challenge: string;
  resource: string | null;
  /** The Beings a person may choose from; one when the resource names it. */
  beings: readonly KnownBeing[];
}>;
