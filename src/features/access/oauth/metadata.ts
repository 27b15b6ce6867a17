import { HubError } from '../../../kernel/errors.ts';
import type { Page, PageRequest } from '../../../http/route.ts';
import { json } from './html.ts';
import { issuerOf, NARROW, type Narrow, SCOPES } from './proofs.ts';

/** RFC 8414 and RFC 9728, at the root and at the addresses that are made from the path of an endpoint. */
export function metadataPages(): readonly Page[] {
  return ['', '/mcp', '/mcp/:beingId'].flatMap((suffix): Page[] => [
    {
      method: 'GET',
      path: `/.well-known/oauth-authorization-server${suffix}`,
      handle: async (request) => json(200, authorizationServer(request, suffix)),
    },
    {
      method: 'GET',
      path: `/.well-known/oauth-protected-resource${suffix}`,
      handle: async (request) => json(200, protectedResource(request, suffix)),
    },
  ]);
}

function authorizationServer(request: PageRequest, suffix: string): Record<string, unknown> {
  const { origin } = request;
  const narrow = narrowOf(request, suffix) ?? (suffix === '' ? undefined : NARROW);
  return {
    issuer: issuerOf(origin, narrow),
    // What is sent back from there names the issuer that stands here.
    authorization_endpoint: `${origin}/oauth/authorize${narrow === undefined ? '' : `/${narrow}`}`,
    token_endpoint: `${origin}/oauth/token`,
    registration_endpoint: `${origin}/oauth/register`,
    revocation_endpoint: `${origin}/oauth/revoke`,
    scopes_supported: SCOPES,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    resource_indicators_supported: true,
  };
}

function protectedResource(request: PageRequest, suffix: string): Record<string, unknown> {
  const { origin, params } = request;
  const id = params['beingId'];
  return {
    resource: `${origin}/mcp${suffix.includes(':') && id !== undefined ? `/${id}` : ''}`,
    authorization_servers: [issuerOf(origin, narrowOf(request, suffix))],
    bearer_methods_supported: ['header'],
    scopes_supported: SCOPES,
    resource_name: 'Holdfast Beings',
  };
}

/**
 * Codex takes metadata at the root for that of every server of the host, and asks for a login where none is: the
 * documented servers of the hub want no token on loopback. It looks with the version of the protocol that had no
 * authorization, and to whoever does, the root has nothing: what it needs for a Being stands under `/mcp`.
 */
function narrowOf({ headers, target }: PageRequest, suffix: string): Narrow | undefined {
  if (headers['mcp-protocol-version'] !== '2024-11-05') return undefined;
  if (suffix === '') throw new HubError('not_found', `There is nothing at ${target}.`);
  return NARROW;
}
