const MAX = 40;

/** What only the hub and its owner are called. */
const RESERVED = new Set([
  'user',
  'holdfast',
  'system',
  'operator',
  'local',
  'person',
  'hub',
  'nobody',
  'you',
  'everyone',
]);

/** A client says its name with every stateless call: what became of it is kept for as many as a hub has at once. */
const slugs = new Map<string, string>();
const MOST_KEPT = 200;

/**
 * What a client calls itself, as a short word: `codex-mcp-client/0.46` is codex, whatever its version; what remains of
 * other words is letters, digits and hyphens.
 */
export function clientSlug(client: string): string {
  let slug = slugs.get(client);
  if (slug === undefined) {
    if (slugs.size >= MOST_KEPT) slugs.clear();
    slugs.set(client, (slug = makeSlug(client)));
  }
  return slug;
}

function makeSlug(client: string): string {
  const slug = client
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\/v?\d[\w.+-]*$/, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .replace(/-mcp-client(-.*)?$/, '')
    .slice(0, MAX)
    .replace(/-$/, '');
  return slug === '' || RESERVED.has(slug) ? 'agent' : slug;
}
