// How one is let in to a Being: its API tokens, OAuth, and the person who consents.
import type { Page, PageAnswer, PageRequest } from '../../../http/route.ts';
import { cameFrom } from '../../../kernel/came-from.ts';
import { HubError } from '../../../kernel/errors.ts';
import { newSecret } from '../../../kernel/ids.ts';
import type { Log } from '../../../kernel/log.ts';
import type { Principal } from '../../../kernel/principal.ts';
import { excerpt } from '../../../kernel/redact.ts';
import type { Database, Query, Tx } from '../../../store/database.ts';
import type { ListBeings } from './asked.ts';
import { authorizePages } from './authorize.ts';
import { createRegistration } from './clients.ts';
import { createBeingHolders, type Shown } from './holders.ts';
import { escape, json, oauthError, page, problem } from './html.ts';
import { metadataPages } from './metadata.ts';
import { createPersons, type Persons } from './person.ts';
import * as rows from './rows.ts';
import { mint } from './proofs.ts';
import { endFamily, tokenPages } from './tokens.ts';

type BeingToken = Omit<rows.ApiToken, 'hash' | 'being'>;

type NewBeingToken = Readonly<{
  being: string;
  scope: rows.Scope;
  label?: string | undefined;
  expiresAt?: number | undefined;
}>;

/** A client that a person let reach a Being. */
type BeingConsent = Readonly<{
  id: string;
  client: string;
  scope: rows.Scope;
  since: number;
  /** It fetches a token at least once in each hour in which it is at work. */
  renewedAt: number;
  expiresAt: number;
}>;

/** How one is let in to a Being: its API tokens, OAuth, and the person who consents. */
export interface OAuth {
  /** The room of Beings says here which there are. */
  knowBeings(list: ListBeings): void;
  /** Whose a `bto_` or `brt_` token is; throws for one that does not hold here. */
  identify(shown: Shown): Promise<Principal>;
  /** `text` is shown once and kept nowhere. */
  createToken(tx: Tx, request: NewBeingToken): Promise<Readonly<{ text: string; token: BeingToken }>>;
  listTokens(q: Query, being: string): Promise<readonly BeingToken[]>;
  revokeToken(tx: Tx, being: string, id: string): Promise<void>;
  /** Clients that a person let reach the Being, and that still can. */
  listConsents(q: Query, being: string): Promise<readonly BeingConsent[]>;
  /** Ends all that came of one consent at once. */
  endConsent(tx: Tx, being: string, id: string): Promise<void>;
  /** Nobody is let in to a Being that is no more. */
  forgetBeing(tx: Tx, being: string): Promise<void>;
  readonly persons: Persons;
  pages(): readonly Page[];
  tidy(tx: Tx): Promise<void>;
}

const KEEP_MS = 24 * 60 * 60_000;

export function createOAuth({ db, log }: Readonly<{ db: Database; log: Log }>): OAuth {
  const persons = createPersons(db);
  const register = createRegistration(db);
  let beings: ListBeings | undefined;
  return {
    knowBeings: (list) => void (beings = list),
    identify: createBeingHolders({ db, log }),
    async createToken(tx, { being, scope, label, expiresAt }) {
      if (expiresAt !== undefined && expiresAt <= tx.now)
        throw new HubError('invalid', 'expiresAt must lie in the future.', { expiresAt });
      const { text, hash } = mint('brt_');
      const id = newSecret(8);
      const given = { id, hash, being, scope, label: label ?? null, expiresAt: expiresAt ?? null };
      const token = await rows.insertApiToken(tx, given);
      tx.emit({ kind: 'being.token_created', subject: being, realm: `being:${being}`, data: { id, scope } });
      return { text, token: present(token) };
    },
    listTokens: async (q, being) => (await rows.apiTokensOf(q, being)).map(present),
    async revokeToken(tx, being, id) {
      if ((await rows.revokeApiToken(tx, being, id)) === 0) {
        throw new HubError('not_found', `There is no token ${excerpt(id, 40)} of this Being.`);
      }
      tx.emit({ kind: 'being.token_revoked', subject: being, realm: `being:${being}`, data: { id } });
    },
    listConsents: async (q, being) =>
      (await rows.consentsFor(q, being, db.now())).map(
        ({ family: id, client, scope, since, createdAt: renewedAt, expiresAt }) => ({
          id,
          client,
          scope,
          since,
          renewedAt,
          expiresAt,
        }),
      ),
    async endConsent(tx, being, id) {
      const isThere = (await rows.consentsFor(tx, being, tx.now)).some(({ family }) => family === id);
      if (!isThere) throw new HubError('not_found', `There is no consent ${excerpt(id, 40)} for this Being.`);
      await endFamily(tx, { family: id, being });
    },
    forgetBeing: rows.forgetBeing,
    persons,
    pages: () => [
      ...metadataPages(),
      ...authorizePages({ db, persons, beings: () => beings }),
      ...tokenPages(db),
      { method: 'POST', path: '/oauth/register', handle: (request) => registerClient(register, request) },
      { method: 'POST', path: '/signout', handle: (request) => signOut(persons, request) },
      { method: 'GET', path: '/signin', fromAnywhere: true, handle: (request) => signIn(persons, request) },
    ],
    tidy: (tx) => rows.forgetExpired(tx, tx.now - KEEP_MS),
  };
}

async function registerClient(
  register: ReturnType<typeof createRegistration>,
  request: PageRequest,
): Promise<PageAnswer> {
  const made = await register(cameFrom(request), request.json);
  if (made.kind === 'wrong') return oauthError('invalid_client_metadata', made.why);
  if (made.kind === 'too_many')
    return { ...oauthError('temporarily_unavailable', 'too many clients registered; try again later', 429) };
  const { id, name, redirectUris } = made.client;
  return json(201, {
    client_id: id,
    client_name: name,
    redirect_uris: redirectUris,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  });
}

async function signIn(persons: Persons, request: PageRequest): Promise<PageAnswer> {
  const { query, origin } = request;
  const cookie = await persons.signIn(query.get('link') ?? '', request, origin.startsWith('https:'));
  if (cookie === undefined) {
    return problem(
      'This link no longer works',
      'It works once and for two minutes. Run `holdfast open` for a new one.',
      401,
    );
  }
  const to = pathOf(query.get('to'));
  const body = `<p>This browser now speaks for you on this hub. If a page asked you to sign in, go back to it and load it again.</p><p><a href="${escape(to ?? '/')}">Open the page</a></p>`;
  // The cookie is not sent along with what another page led to: this one leads on itself.
  const onwards = to !== undefined && { refresh: to };
  return page({ title: 'Signed in', body, headers: { 'set-cookie': cookie }, ...onwards });
}

/** Where somebody wanted to go: a path of this hub and nothing else. */
function pathOf(text: string | null): string | undefined {
  return text !== null && /^\/(?![/\\])[\w/.~:?=&%+@,-]*$/.test(text) ? text : undefined;
}

async function signOut(persons: Persons, request: PageRequest): Promise<PageAnswer> {
  const cookie = await persons.signOut(request);
  if (cookie === undefined)
    throw new HubError('unauthorized', 'This browser is not signed in.', {
      hint: '`holdfast open` signs it in.',
    });
  return json(200, { ok: true }, { 'set-cookie': cookie });
}

function present({ hash: _hash, being: _being, ...token }: rows.ApiToken): BeingToken {
  return token;
}
