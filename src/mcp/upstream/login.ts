import {
  auth,
  ClientCredentialsProvider,
  extractWWWAuthenticateParams,
  PrivateKeyJwtProvider,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import type { AuthProvider, OAuthClientProvider } from '@modelcontextprotocol/client';

/** Where the credentials of one upstream are kept: short texts under short keys, secret all of them. */
export interface LoginVault {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string | undefined): Promise<void>;
}

export type LoginOptions = Readonly<{
  vault: LoginVault;
  /** Where the authorization server sends the user back to. */
  redirectUrl: string;
  /** Brings the user to this page and resolves with the parameters of the redirect that ends the visit. */
  authorize(page: URL): Promise<URLSearchParams>;
  /** A client that was registered beforehand, by its operator. */
  client?: Readonly<{ id: string; secret?: string }>;
  /** The https address of our own client metadata document, which replaces registration where it is supported. */
  metadataUrl?: string;
  name?: string;
}>;

/** A hub that logs in as itself, without a user: with a secret, or with a key it signs with. */
export type MachineLogin = Readonly<
  { id: string; scope?: string } & ({ secret: string } | { privateKey: string; algorithm: string })
>;

/** Uses and renews what an earlier login was given, and never asks a person. */
export type KeptLogin = Readonly<{ kept: LoginOptions }>;

export interface Login {
  readonly provider: OAuthClientProvider | AuthProvider;
  /** The parameters the last visit ended with; undefined when there was none. */
  returned(): Promise<URLSearchParams> | undefined;
}

/**
 * Credentials are kept per issuer, so that a server which moves to another authorization server never
 * sees what the first one gave out.
 */
export function createLogin(options: LoginOptions): Login {
  const { vault, redirectUrl, client, metadataUrl, name = 'Holdfast' } = options;
  let visit: Promise<URLSearchParams> | undefined;

  const load = async <T>(key: string): Promise<T | undefined> => {
    const text = await vault.get(key);
    return text === undefined ? undefined : (JSON.parse(text) as T);
  };
  const save = (key: string, value: unknown) =>
    vault.set(key, value === undefined ? undefined : JSON.stringify(value));
  const lastIssuer = async () => (await vault.get('issuer')) ?? '';
  const keyFor = async (kind: string, issuer: string | undefined) =>
    `${kind}:${issuer ?? (await lastIssuer())}`;

  const provider: OAuthClientProvider = {
    redirectUrl,
    ...(metadataUrl !== undefined && { clientMetadataUrl: metadataUrl }),
    clientMetadata: {
      client_name: name,
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      application_type: 'native',
    },
    async clientInformation(context) {
      if (client)
        return { client_id: client.id, ...(client.secret !== undefined && { client_secret: client.secret }) };
      return load(await keyFor('client', context?.issuer));
    },
    async saveClientInformation(information, context) {
      await save(await keyFor('client', context?.issuer), information);
    },
    async tokens(context) {
      return load(await keyFor('tokens', context?.issuer));
    },
    async saveTokens(tokens, context) {
      if (context) await vault.set('issuer', context.issuer);
      await save(await keyFor('tokens', context?.issuer), tokens);
      // What was discovered ties a login to its server until it is done; the next one looks again, for servers do move.
      await vault.set('discovery', undefined);
    },
    redirectToAuthorization(page) {
      visit = options.authorize(page);
      // The one who waits for the visit hears of its failure; until then it must not end the process.
      visit.catch(() => undefined);
    },
    saveCodeVerifier: (verifier) => vault.set('verifier', verifier),
    async codeVerifier() {
      const verifier = await vault.get('verifier');
      if (verifier === undefined) throw new Error('the login was not started here');
      return verifier;
    },
    saveDiscoveryState: (state) => save('discovery', state),
    discoveryState: () => load('discovery'),
    async invalidateCredentials(scope) {
      const kinds = scope === 'all' ? ['client', 'tokens', 'verifier', 'discovery'] : [scope];
      for (const kind of kinds)
        await vault.set(
          kind === 'client' || kind === 'tokens' ? await keyFor(kind, undefined) : kind,
          undefined,
        );
    },
  };
  return {
    provider,
    returned() {
      const last = visit;
      visit = undefined;
      return last;
    },
  };
}

export function createMachineLogin(machine: MachineLogin): Login {
  const named = {
    clientId: machine.id,
    clientName: 'Holdfast',
    ...(machine.scope !== undefined && { scope: machine.scope }),
  };
  const provider =
    'secret' in machine
      ? new ClientCredentialsProvider({ ...named, clientSecret: machine.secret })
      : new PrivateKeyJwtProvider({ ...named, privateKey: machine.privateKey, algorithm: machine.algorithm });
  return { provider, returned: () => undefined };
}

/** Calls that were refused a moment before the renewal use what it brought. */
const RECENT_MS = 5_000;

/**
 * Many calls may be refused at once when a token has expired: one of them renews it and the others wait, since a server
 * that hands out a new refresh token with each use takes a second use of the old one for theft.
 */
export function createKeptLogin({ kept }: KeptLogin): Login {
  const { provider } = createLogin(kept) as { provider: OAuthClientProvider };
  let renewing: Promise<void> | undefined;
  let renewedAt = -Infinity;

  async function renew({
    response,
    serverUrl,
    fetchFn,
  }: Parameters<NonNullable<AuthProvider['onUnauthorized']>>[0]): Promise<void> {
    const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
    const outcome = await auth(provider, {
      serverUrl,
      fetchFn,
      ...(resourceMetadataUrl && { resourceMetadataUrl }),
      ...(scope !== undefined && { scope }),
    });
    if (outcome !== 'AUTHORIZED') throw new UnauthorizedError('a person has to log in');
    renewedAt = performance.now();
  }

  return {
    returned: () => undefined,
    provider: {
      token: async () => (await provider.tokens())?.access_token,
      async onUnauthorized(context) {
        if (performance.now() - renewedAt < RECENT_MS) return;
        renewing ??= renew(context).finally(() => (renewing = undefined));
        await renewing;
      },
    },
  };
}
