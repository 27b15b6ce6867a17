import { isObject } from '../../kernel/loose-json.ts';
import { redact, redactTexts } from '../../kernel/redact.ts';
import type { Upstream } from './upstream.ts';

/**
 * What a server of others says of itself, without secrets before anybody keeps or shows it. What it is called by
 * cannot be masked and still be called: a tool, resource or prompt with a key in its name is not there. Results,
 * resources and prompts themselves are masked where every call is, behind the broker.
 */
export function withoutSecrets(upstream: Upstream): Upstream {
  const { name, version, instructions } = upstream;
  return {
    ...upstream,
    name: redact(name),
    version: redact(version),
    instructions: instructions === undefined ? undefined : redact(instructions),
    listTools: async () => said(await upstream.listTools(), 'name'),
    async listToolsAsSent(most) {
      const { tools, isCut } = await upstream.listToolsAsSent(most);
      return { tools: said(tools, 'name'), isCut };
    },
    listResources: async () => said(await upstream.listResources(), 'uri'),
    listTemplates: async () => said(await upstream.listTemplates(), 'uriTemplate'),
    listPrompts: async () => said(await upstream.listPrompts(), 'name'),
    complete: async (target, argument, given) =>
      redactTexts(await upstream.complete(target, argument, given)),
  };
}

/** Each as it was said, and only what its key can be named by. */
function said<T>(all: readonly T[], key: string): readonly T[] {
  return all.filter((one) => !hasSecretIn(one, key)).map(redactTexts);
}

function hasSecretIn(one: unknown, key: string): boolean {
  const named = isObject(one) ? one[key] : undefined;
  return typeof named === 'string' && redact(named) !== named;
}
