import { REDACTED, redact } from '../../kernel/redact.ts';
import type { Tool } from '../../mcp/define.ts';
import { listedSchemaOf } from '../../mcp/schema.ts';
import { createCards } from '../../recall/recall.ts';
import { SEPARATOR } from './catalogue.ts';

/** Tools as cards of recall: what ToolSearch looks through. How well a card fits a question is for recall to say. */
type Hit = Readonly<{ tool: Tool; score: number; why: string }>;

export interface ToolCards {
  /** Filters come before the limit. */
  search(
    query: string,
    filter: (tool: Tool) => boolean,
    limit: number,
  ): Promise<Readonly<{ hits: readonly Hit[]; searched: number }>>;
}

const MOST_QUERY = 2_000;

export function createToolCards(tools: readonly Tool[]): ToolCards {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const cards = createCards(tools.map(cardOf));

  return {
    async search(query, filter, limit) {
      // Words of the question are told back: a part of a secret looks like none.
      const text = redact(query).replaceAll(REDACTED, ' ').slice(0, MOST_QUERY);
      const open = tools.filter(filter);
      const names = new Set(open.map(({ name }) => name));
      const among = names.size === tools.length ? undefined : (id: string) => names.has(id);
      const found = cards.search(spaced(text), among).map(({ id, score, why }) => ({
        tool: byName.get(id)!,
        score: Math.round(score * 100) / 100,
        why,
      }));
      const exact = text.trim().toLowerCase();
      const named = open
        .filter(({ name }) => isNamed(name, exact))
        .toSorted((a, b) => Number(isWhole(b.name, exact)) - Number(isWhole(a.name, exact)))
        .map((tool) => ({ tool, score: Math.max(1, found[0]?.score ?? 0), why: 'its very name' }));
      const rest = found.filter(({ tool }) => !named.some((one) => one.tool === tool));
      return { searched: open.length, hits: [...named, ...rest].slice(0, limit) };
    },
  };
}

/** Its own name stands above everything else, its server beside it; what its arguments are for is part of what it does. */
function cardOf(tool: Tool) {
  const { name, title, description, tags = [], source = '' } = tool;
  const own = ownName(name);
  const shown = title === name || title === own ? '' : `${spaced(title)}. `;
  const { names, said } = argumentsOf(listedSchemaOf(tool));
  return {
    id: name,
    isReading: tool.annotations.readOnlyHint,
    name: spaced(own),
    group: [...tags, source].map(spaced).join(' '),
    about: `${shown}${description}`,
    parameters: spaced(names.join(' ')),
    explained: said.join(' '),
  };
}

function ownName(name: string): string {
  return name.slice(name.includes(SEPARATOR) ? name.indexOf(SEPARATOR) + SEPARATOR.length : 0);
}

/** `createPullRequest`, `create_pull_request` and `github__create-pull-request` are the same words. */
function spaced(text: string): string {
  return text
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .replace(/[_-]+/g, ' ');
}

type Arguments = Readonly<{ names: readonly string[]; said: readonly string[] }>;

/** Names of arguments and what is said of them, two levels deep. */
function argumentsOf(schema: Readonly<Record<string, unknown>>, depth = 0): Arguments {
  const properties = schema['properties'];
  if (properties === null || typeof properties !== 'object' || depth > 1) return { names: [], said: [] };
  const all = Object.entries(properties as Record<string, Record<string, unknown> | boolean>).map(
    ([name, property]) => {
      if (property === null || typeof property !== 'object') return { names: [name], said: [] };
      const { description } = property;
      const inner = argumentsOf(property, depth + 1);
      const said = typeof description === 'string' ? [description.slice(0, 200)] : [];
      return { names: [name, ...inner.names], said: [...said, ...inner.said] };
    },
  );
  return { names: all.flatMap(({ names }) => names), said: all.flatMap(({ said }) => said) };
}

/** The whole name, or the name without its server. */
function isNamed(name: string, exact: string): boolean {
  return isWhole(name, exact) || ownName(name).toLowerCase() === exact;
}

function isWhole(name: string, exact: string): boolean {
  return name.toLowerCase() === exact;
}
