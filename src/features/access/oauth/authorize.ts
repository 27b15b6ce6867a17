// The page on which a person lets a client in. What is wrong with client or address is told here and sent
// nowhere.
import type { Page, PageAnswer, PageRequest } from '../../../http/route.ts';
import { toHubError } from '../../../kernel/errors.ts';
import { isLoopbackName } from '../../../kernel/loopback.ts';
import { newId } from '../../../kernel/ids.ts';
import { systemActor } from '../../../kernel/principal.ts';
import type { Database } from '../../../store/database.ts';
import { digestOf, isSameDigest } from '../rules.ts';
import type { Asked, ListBeings } from './asked.ts';
import { findClient, type OAuthClient } from './clients.ts';
import { consentPage } from './consent.ts';
import { page, problem, redirect } from './html.ts';
import type { Persons } from './person.ts';
import { insertCode, noteClientUse } from './rows.ts';
import {
  formToken,
  isChallenge,
  isRegistered,
  issuerOf,
  LIVES,
  mint,
  NARROW,
  readResource,
  readScope,
} from './proofs.ts';

export type AuthorizeParts = Readonly<{ db: Database; persons: Persons; beings(): ListBeings | undefined }>;

const NAMES = [
  'response_type',
  'client_id',
  'redirect_uri',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
  'resource',
] as const;
const RELOADED = 'holdfast_reloaded';

/** One page with two addresses: each belongs to the metadata that names it, and its answers to that issuer. */
export function authorizePages(parts: AuthorizeParts): readonly Page[] {
  return ['/oauth/authorize', `/oauth/authorize/${NARROW}`].flatMap((path): Page[] => [
    { method: 'GET', path, fromAnywhere: true, handle: (request) => show(parts, request) },
    { method: 'POST', path, handle: (request) => decide(parts, request) },
  ]);
}

async function show(parts: AuthorizeParts, request: PageRequest): Promise<PageAnswer> {
  const session = await parts.persons.sessionOf(request);
  if (session === undefined) return signInFirst(request);
  const asked = await check(parts, request, request.query);
  if ('status' in asked) return asked;
  return consentPage(asked, {
    fields: fieldsOf(request.query),
    token: formToken(session, fieldsOf(request.query)),
  });
}

/**
 * A strict cookie does not come with a navigation that began on another site, but it does with the reload of a page of
 * ours. Reloaded once and still without it, nobody is signed in here.
 */
function signInFirst({ query, target, origin }: PageRequest): PageAnswer {
  if (!query.has(RELOADED)) {
    const again = `${target}${target.includes('?') ? '&' : '?'}${RELOADED}=1`;
    return page({ title: 'One moment', body: '<p>Loading the page again …</p>', refresh: again });
  }
  const body = `<p>A client asks for access to a Being. Only a signed-in person can allow that.</p><p>Run this in a terminal, open the link it prints in this browser, then load this page again:</p><pre tabindex="0"><code>holdfast open --at ${origin.replace(/[^\w:/.[\]-]/g, '')}</code></pre>`;
  return page({ status: 401, title: 'Sign in first', body });
}

async function decide(parts: AuthorizeParts, request: PageRequest): Promise<PageAnswer> {
  const { form, headers, origin } = request;
  const session = await parts.persons.sessionOf(request);
  if (session === undefined)
    return problem(
      'Not signed in',
      'This form belongs to a signed-in person. Open the link of `holdfast open` first.',
      401,
    );
  const fields = fieldsOf(form);
  const isOurs = headers.origin === undefined || headers.origin === origin;
  if (
    !isOurs ||
    !isSameDigest(digestOf(form.get('form_token') ?? ''), digestOf(formToken(session, fields)))
  ) {
    return problem('Not from here', 'This form was not made by this page. Start again from the client.', 403);
  }
  const asked = await check(parts, request, form);
  if ('status' in asked) return asked;
  if (form.get('decision') !== 'allow') return back(asked, { error: 'access_denied' });
  const being = asked.beings.find(({ id }) => id === form.get('being'));
  if (!being) return problem('Choose a Being', 'No Being was chosen. Go back and choose one.');
  const scope = form.get('granted') === 'read-only' ? 'read-only' : asked.scope;
  const code = mint('');
  await parts.db.write(systemActor, async (tx) => {
    await insertCode(tx, {
      hash: code.hash,
      family: newId(),
      clientId: asked.client.id,
      being: being.id,
      scope,
      redirectUri: asked.redirectUri,
      resource: asked.resource,
      challenge: asked.challenge,
      expiresAt: tx.now + LIVES.code,
    });
    await noteClientUse(tx, asked.client.id);
    tx.emit({
      kind: 'oauth.consented',
      subject: being.id,
      realm: `being:${being.id}`,
      data: { client: asked.client.id, scope },
    });
  });
  return back(asked, { code: code.text });
}

/** What is wrong with client or address is told here and goes nowhere; everything else goes back to the client. */
async function check(
  { db, beings }: AuthorizeParts,
  request: PageRequest,
  params: URLSearchParams,
): Promise<Asked | PageAnswer> {
  const { origin } = request;
  const repeated = NAMES.find((name) => params.getAll(name).length > 1);
  if (repeated) return problem('Not a valid request', `${repeated} was given more than once.`);
  const clientId = params.get('client_id');
  const redirectUri = params.get('redirect_uri');
  if (!clientId || !redirectUri)
    return problem('Not a valid request', 'client_id and redirect_uri are required.');
  let client: OAuthClient | undefined;
  try {
    client = await findClient({ db, isLoopback: isLoopbackName(new URL(origin).host) }, clientId);
  } catch (thrown) {
    return problem('Unknown client', toHubError(thrown).message);
  }
  if (!client) return problem('Unknown client', 'Nobody registered this client here. Let it register again.');
  if (!isRegistered(redirectUri, client.redirectUris))
    return problem('Unknown address', 'The client did not register this redirect_uri.');
  const state = params.get('state');
  const issuer = issuerOf(origin, pathOf(request).endsWith(`/${NARROW}`) ? NARROW : undefined);
  const refuse = (error: string, why: string) =>
    back({ redirectUri, state, issuer }, { error, error_description: why });
  if (params.get('response_type') !== 'code')
    return refuse('unsupported_response_type', 'response_type must be code');
  const challenge = params.get('code_challenge') ?? '';
  if (params.get('code_challenge_method') !== 'S256' || !isChallenge(challenge)) {
    return refuse('invalid_request', 'PKCE with code_challenge_method S256 is required');
  }
  const scope = readScope(params.get('scope'));
  if (!scope) return refuse('invalid_scope', 'scope must be full or read-only');
  const asked = params.get('resource');
  const resource = asked === null ? undefined : readResource(asked);
  if (asked !== null && resource?.origin !== origin.toLowerCase())
    return refuse('invalid_target', 'resource must be the MCP endpoint of this hub');
  const all = await db.read(async (q) => (await beings()?.(q)) ?? []);
  const chosen = resource?.being === undefined ? all : all.filter(({ id }) => id === resource.being);
  if (resource?.being !== undefined && chosen.length === 0)
    return refuse('invalid_target', 'there is no such Being');
  return {
    client,
    redirectUri,
    state,
    issuer,
    scope,
    challenge,
    beings: chosen,
    resource: resource?.text ?? null,
  };
}

const pathOf = ({ target }: PageRequest): string => target.replace(/\?.*$/, '');

/** RFC 9207: the answer says who gives it. */
function back(
  { redirectUri, state, issuer }: Pick<Asked, 'redirectUri' | 'state' | 'issuer'>,
  facts: Readonly<Record<string, string>>,
): PageAnswer {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries({
    ...facts,
    ...(state !== null && { state }),
    iss: issuer,
  }))
    url.searchParams.set(name, value);
  return redirect(url.href);
}

function fieldsOf(params: URLSearchParams): readonly (readonly [string, string])[] {
  return NAMES.flatMap((name) => (params.has(name) ? [[name, params.get(name)!] as const] : []));
}
