import { arch, platform } from 'node:os';
import { z } from 'zod';
import { VERSION } from '../kernel/version.ts';
import { defineRoute, type Route } from './route.ts';

const Health = z.object({
  status: z.literal('ok'),
  version: z.string(),
  build: z.object({ version: z.string(), node_version: z.string(), os: z.string(), arch: z.string() }),
});

/** The gateway's own sign of life; like everything under /v1 it is for those who hold a token. */
export function gatewayHealthRoute(): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/health',
    summary: 'Is the gateway well, and what was it built from?',
    tag: 'gateway',
    scope: 'hub:read',
    response: Health,
    handler: async () => ({
      status: 'ok' as const,
      version: VERSION,
      build: { version: VERSION, node_version: process.version, os: platform(), arch: arch() },
    }),
  });
}
