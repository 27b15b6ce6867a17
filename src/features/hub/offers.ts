import { hasScope, type Principal } from '../../kernel/principal.ts';
import type { PromptSource, ResourceSource, ServerDefinition } from '../../mcp/server.ts';
import type { Offer } from './offer.ts';

/** The offers of all rooms as one server shows them: each only to callers who hold its scope. */
export function joinOffers(
  offers: readonly Offer[],
): Required<Pick<ServerDefinition, 'resources' | 'prompts' | 'complete' | 'updatedBy'>> {
  const openTo = (who: Principal) => offers.filter(({ scope }) => hasScope(who, scope));
  return {
    resources: resourcesOf(openTo),
    prompts: {
      list: async (who) =>
        openTo(who).flatMap(({ prompts = [], listPrompts }) => [...prompts, ...(listPrompts?.(who) ?? [])]),
      absence: (name, who) =>
        openTo(who)
          .map((offer) => offer.absence?.(name, who))
          .find((why) => why !== undefined),
    } satisfies PromptSource,
    async complete(request) {
      for (const offer of openTo(request.who)) {
        const values = await offer.complete?.(request);
        if (values) return values;
      }
      return [];
    },
    updatedBy: (event) => offers.flatMap((offer) => offer.updatedBy?.(event) ?? []),
  };
}

function resourcesOf(openTo: (who: Principal) => readonly Offer[]): ResourceSource {
  return {
    list: async (who) =>
      openTo(who).flatMap(({ resources = [], listResources }) => [
        ...resources,
        ...(listResources?.(who) ?? []),
      ]),
    templates: async (who) =>
      openTo(who).flatMap(({ templates = [], listTemplates }) => [
        ...templates,
        ...(listTemplates?.(who) ?? []),
      ]),
    async read(uri, context) {
      for (const offer of openTo(context.who)) {
        const contents = await offer.read?.(uri, context);
        if (contents) return contents;
      }
      return undefined;
    },
    async mayWatch(uri, who) {
      for (const offer of openTo(who)) if (await offer.mayWatch?.(uri, who)) return true;
      return false;
    },
  };
}
