import type { Principal } from '../../kernel/principal.ts';
import { TASKS_EXTENSION } from '../protocol/abilities.ts';
import { MODERN_VERSIONS } from '../protocol/versions.ts';
import type { Server } from '../registry.ts';
import type { Answer } from '../result.ts';
import { cacheMembers, serverInfo } from './answer.ts';
import type { Exchange } from './exchange.ts';
import { CHANNEL } from './wake.ts';

/** The host has already negotiated the version and opened the session. */
export function initialize(exchange: Exchange): Answer {
  const { server, version } = exchange;
  return {
    members: `"protocolVersion":"${version}","capabilities":${capabilities(exchange)},"serverInfo":${serverInfo(server)}${instructions(exchange)}`,
  };
}

export function discover(exchange: Exchange): Answer {
  return {
    members: `"supportedVersions":${JSON.stringify(MODERN_VERSIONS)},"capabilities":${capabilities(exchange)}${instructions(exchange)}${cacheMembers(exchange)}`,
  };
}

export function ping(): Answer {
  return { members: '' };
}

function capabilities({ server, era, hasChannel }: Exchange): string {
  const changes = (list: 'tools' | 'prompts' | 'resources') =>
    server.listChangedOn?.[list] ? { listChanged: true } : {};
  return JSON.stringify({
    tools: changes('tools'),
    ...(server.resources && {
      resources: { ...changes('resources'), ...(server.resources.mayWatch && { subscribe: true }) },
    }),
    ...(server.prompts && { prompts: changes('prompts') }),
    ...(server.complete && { completions: {} }),
    ...(era === 'legacy' && { logging: {} }),
    ...(era === 'legacy' && hasChannel && { experimental: { [CHANNEL]: {} } }),
    ...(era === 'modern' && server.tasks && { extensions: { [TASKS_EXTENSION]: {} } }),
  });
}

/** Who one is comes first: it is the only part that no other connection is told. */
function instructions({ server, who }: Exchange): string {
  const text = [whoYouAre(server, who), server.instructions].filter(Boolean).join('\n');
  return text === '' ? '' : `,"instructions":${JSON.stringify(text)}`;
}

function whoYouAre(
  { takesDefaults }: Server,
  { name, bound, project, default: taken }: Principal,
): string | undefined {
  const agent = bound.agent ?? name;
  const team = project ?? bound.team ?? taken?.team;
  if (agent === undefined) return undefined;
  const place = team === undefined ? '' : `, in project ${team}`;
  return takesDefaults || bound.agent !== undefined
    ? `You are ${agent}${place}.`
    : `Others see you as ${agent}${place}.`;
}
