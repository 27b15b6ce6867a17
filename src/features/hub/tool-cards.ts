import type { Tool } from '../../mcp/define.ts';
import { listedSchemaOf } from '../../mcp/schema.ts';
import { createBriefRecall } from '../../recall/recall.ts';
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
  const recall = createBriefRecall();
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  for (const tool of tools) recall.add({ id: tool.name, ...cardOf(tool) });

  return {
    async search(query, filter, limit) {
      const text = query.slice(0, MOST_QUERY);
      const open = tools.filter(filter);
      const names = new Set(open.map(({ name }) => name));
      const among = names.size === tools.length ? undefined : (id: string) => names.has(id);
      const answer = await recall.search(spaced(text), among);
      const found = answer.hits.map((hit) => ({
        tool: byName.get(hit.id)!,
        score: Math.round(hit.score * 100) / 100,
        why: recall.explain(answer, hit),
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
  const own = spaced(ownName(name));
  const shown = title === name || title === ownName(name) ? own : spaced(title);
  return {
    title: own,
    tags: [...tags, source].filter((tag) => tag !== '').map(spaced),
    content: `${shown}. ${description} ${argumentText(listedSchemaOf(tool))}`,
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

/** Names of arguments and their descriptions, two levels deep. */
function argumentText(schema: Readonly<Record<string, unknown>>, depth = 0): string {
  const properties = schema['properties'];
  if (properties === null || typeof properties !== 'object' || depth > 1) return '';
  return Object.entries(properties as Record<string, Record<string, unknown> | boolean>)
    .map(([name, property]) => {
      if (property === null || typeof property !== 'object') return spaced(name);
      const { description } = property;
      const said = typeof description === 'string' ? description.slice(0, 200) : '';
      return `${spaced(name)} ${said} ${argumentText(property, depth + 1)}`;
    })
    .join(' ');
}

/** The whole name, or the name without its server. */
function isNamed(name: string, exact: string): boolean {
  return isWhole(name, exact) || ownName(name).toLowerCase() === exact;
}

function isWhole(name: string, exact: string): boolean {
  return name.toLowerCase() === exact;
}
