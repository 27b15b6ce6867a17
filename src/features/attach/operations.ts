// `/api/mcp/config`: how to attach a client to one of the servers, from what the hub itself knows.
import { z } from 'zod';
import { HubError } from '../../kernel/errors.ts';
import { isPerson, type Principal } from '../../kernel/principal.ts';
import { redact } from '../../kernel/redact.ts';
import { readDuration } from '../../kernel/settings.ts';
import { work } from '../../operation/operation.ts';
import { type Here, httpAttachment, stdioAttachment } from './attach.ts';
import {
  type Attachment,
  isServerKey,
  isTransport,
  SERVER_IDS,
  type ServerKey,
  TOKEN_VARIABLE,
  TRANSPORTS,
} from './attachment.ts';
import { isRuntime, RUNTIMES } from './runtimes.ts';
import { snippetFor } from './snippets.ts';

export type AttachParts = Readonly<{
  /** Asked at each request: the port is known only once the hub listens. */
  here(): Here;
  /** Adds the signature that makes scope parameters proof. */
  sign(params: URLSearchParams, lifeMs?: number): URLSearchParams;
}>;

const scopeParams = {
  scopeTeamId: z.string().min(1).max(200).optional(),
  scopeAgentId: z.string().min(1).max(200).optional(),
  scopeTenantId: z.string().min(1).max(200).optional(),
  roomTeamId: z.string().min(1).max(200).optional(),
  postAuthorAgentId: z.string().min(1).max(200).optional(),
};

/** Scope parameters become part of the URL, signed for the holder of the hub token. */
const showConfig = work({
  name: 'mcp_config',
  summary: 'A snippet that attaches a client to one of the MCP servers.',
  scope: 'hub:read',
  effect: 'read',
  input: {
    server: z
      .string()
      .default('tasks')
      .describe(`One of ${Object.keys(SERVER_IDS).join(', ')}.`),
    runtime: z
      .string()
      .default('claude-code')
      .describe(`One of ${RUNTIMES.join(', ')}.`),
    transport: z.string().default('http').describe('http or stdio.'),
    expiresIn: z
      .string()
      .refine((text) => lifeOf(text) !== undefined, 'must be a duration of 1m to 365d, such as 12h or 30d')
      .optional()
      .describe('How long a signed URL holds; 90d unless given.'),
    ...scopeParams,
  },
  output: z.object({
    ok: z.literal(true),
    config: z.object({
      id: z.string(),
      transport: z.enum(TRANSPORTS),
      snippet: z.string(),
      structured: z.record(z.string(), z.unknown()),
      hint: z.string().optional().describe('What else the client needs.'),
    }),
  }),
  route: 'GET /api/mcp/config',
  async run(parts: AttachParts, { server, runtime, transport, expiresIn, ...scope }, { who }) {
    if (!isServerKey(server)) throw unknown('server', server, Object.keys(SERVER_IDS));
    if (!isRuntime(runtime)) throw unknown('runtime', runtime, RUNTIMES);
    if (!isTransport(transport)) throw unknown('transport', transport, TRANSPORTS);
    refuseSecrets(scope);
    const params = new URLSearchParams(Object.entries(scope).filter(([, value]) => value !== undefined));
    const wanted = { server, params, who, expiresIn };
    const attachment = transport === 'http' ? overHttp(parts, wanted) : overStdio(parts, wanted);
    const hint = needsToken(attachment)
      ? `Set ${TOKEN_VARIABLE} to the hub token or to an agent token before you start the client.`
      : undefined;
    return {
      ok: true as const,
      config: {
        id: attachment.id,
        transport,
        ...snippetFor(runtime, attachment),
        ...(hint !== undefined && { hint }),
      },
    };
  },
});

export const attachOperations = [showConfig] as const;

type Wanted = Readonly<{
  server: ServerKey;
  params: URLSearchParams;
  who: Principal;
  expiresIn: string | undefined;
}>;

function overHttp({ here, sign }: AttachParts, { server, params, who, expiresIn }: Wanted): Attachment {
  if (params.size === 0) return httpAttachment(here(), server);
  if (!isPerson(who)) {
    throw new HubError('forbidden', 'Only the operator of the hub can bind an attach URL.', {
      hint: 'Ask with the hub token.',
    });
  }
  const query = who.kind === 'operator' ? sign(params, lifeOf(expiresIn ?? '')) : params;
  return httpAttachment(here(), server, query.toString());
}

/** A name becomes part of an address that others see and keep. */
function refuseSecrets(scope: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(scope))
    if (value !== undefined && redact(value) !== value)
      throw new HubError('invalid', `${name} looks like a secret, and an address is no place for one.`, {
        hint: 'Name the team or the agent.',
      });
}

function overStdio({ here }: AttachParts, { server, params }: Wanted): Attachment {
  if (params.size === 0) return stdioAttachment(here(), server);
  throw new HubError('invalid', 'A stdio attachment has no URL that could carry scope parameters.', {
    hint: 'Use transport=http.',
  });
}

function lifeOf(text: string): number | undefined {
  const life = readDuration(text);
  return life !== undefined && life >= 60_000 && life <= 365 * 86_400_000 ? life : undefined;
}

function needsToken(attachment: Attachment): boolean {
  return attachment.transport === 'http' && attachment.needsToken;
}

function unknown(what: string, given: string, known: readonly string[]): HubError {
  return new HubError('invalid', `unknown ${what}: ${given}`, { known, hint: `Known: ${known.join(', ')}.` });
}
