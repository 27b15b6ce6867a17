import type { Principal } from '../kernel/principal.ts';
import type { Server } from './registry.ts';
import { profilesOf } from './server.ts';
import type { Profile } from './server.ts';

/** What a tool list costs every model that reads it. */
export type ListCost = Readonly<{ server: string; profile: Profile; tools: number; bytes: number; tokens: number }>;

/**
 * Tokens by rule of thumb, within a few percent for JSON of this kind: a word piece per four letters, and one for most
 * punctuation. Good enough to notice a list that grows; no model's own tokenizer is worth a dependency for that.
 */
export function estimateTokens(text: string): number {
  const pieces = text.match(/[A-Za-z]+|\d+|[^\sA-Za-z\d]+/g) ?? [];
  return pieces.reduce((sum, piece) => sum + Math.ceil(piece.length / 4), 0);
}

/** The cost of what a model is shown: name, description and input schema. Output schemas stay with the client. */
export async function listCosts(servers: readonly Server[], who: Principal): Promise<readonly ListCost[]> {
  const costs: ListCost[] = [];
  for (const server of servers) {
    for (const profile of profilesOf(server)) {
      const { entries } = await server.shelf.view(who, profile);
      const shown = entries.map(asShown).join('\n');
      costs.push({ server: server.key, profile, tools: entries.length, bytes: Buffer.byteLength(shown), tokens: estimateTokens(shown) });
    }
  }
  return costs;
}

function asShown(entry: string): string {
  const { name, description, inputSchema } = JSON.parse(entry) as Record<string, unknown>;
  return JSON.stringify({ name, description, inputSchema });
}
