import { z } from 'zod';
import { VERSION } from '../kernel/version.ts';
import { defineRoute, type Route } from './route.ts';

const pageFactsSchema = z.object({
  version: z.string(),
  address: z.string(),
  rooms: z.array(z.string()).describe('What this hub has, so that nobody asks it for what it has not.'),
  isSignedIn: z.boolean().describe('May see what asks for a credential: runs, Beings, tokens.'),
  reader: z
    .string()
    .describe('Who looks, the same after a restart: what a browser keeps for one is not shown to another.'),
});
export type PageFacts = z.infer<typeof pageFactsSchema>;

export type PageRouteParts = Readonly<{ rooms(): readonly string[]; address(): string; isOpen: boolean }>;

/** What the page has to know before it asks for anything else. */
export function pageRoute({ rooms, address, isOpen }: PageRouteParts): Route {
  return defineRoute({
    method: 'GET',
    path: '/api/page',
    summary: 'Which rooms this hub has, and whether the caller has signed in.',
    tag: 'hub',
    scope: 'hub:read',
    response: pageFactsSchema,
    handler: async (_input, { who }) => ({
      version: VERSION,
      address: address(),
      rooms: [...rooms()],
      isSignedIn: isOpen || who.kind === 'operator',
      reader: who.kind === 'operator' || who.kind === 'local' ? who.kind : `${who.kind}:${who.id}`,
    }),
  });
}
