import type { Page, PageRequest } from '../../../http/route.ts';
import { json } from './html.ts';
import { issuerOf, SCOPES } from './proofs.ts';

/**
 * RFC 8414 and RFC 9728 at the addresses that are made from the path of the endpoint, and not at the root: Codex takes
 * metadata there for that of every server of the host, and asks for a login where none is (the documented servers of the
 * hub want no token on loopback). So the issuer has the path of the endpoint, too.
 */
const AT = ['/mcp', '/mcp/:beingId'];

export function metadataPages(): readonly Page[] {
  return AT.flatMap((suffix): Page[] => [
    {
      method: 'GET',
      path: `/.well-known/oauth-authorization-server${suffix}`,
      handle: async ({ origin }) => json(200, authorizationServer(origin)),
    },
    {
      method: 'GET',
      path: `/.well-known/oauth-protected-resource${suffix}`,
      handle: async (request) => json(200, protectedResource(request, suffix)),
    },
  ]);
}

function authorizationServer(origin: string): Record<string, unknown> {
  return {
    issuer: issuerOf(origin),
    authorization_endpoint: `${origin}/oauth/authorize`,
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

function protectedResource({ origin, params }: PageRequest, suffix: string): Record<string, unknown> {
  const id = params['beingId'];
  return {
    resource: `${origin}/mcp${suffix.includes(':') && id !== undefined ? `/${id}` : ''}`,
    authorization_servers: [issuerOf(origin)],
    bearer_methods_supported: ['header'],
    scopes_supported: SCOPES,
    resource_name: 'Holdfast Beings',
  };
}
