import { sha256 } from '../../../kernel/digest.ts';
import { isObject } from '../../../kernel/loose-json.ts';
import type { Params } from '../../../mcp/protocol/jsonrpc.ts';
import type { UpstreamTool } from '../../../mcp/upstream/upstream.ts';

/** A list of tools as a stranger sent it: what can be used, and what is wrong with the rest. */
export type Checked = Readonly<{ tools: readonly UpstreamTool[]; problems: readonly string[] }>;

export const MOST_TOOLS = 1_000;
const MOST_TEXT = 64 * 1024;
const MOST_DEPTH = 40;

export function checkTools(sent: readonly unknown[], isCut: boolean): Checked {
  const tools: UpstreamTool[] = [];
  const problems: string[] = isCut ? [`it lists more than ${MOST_TOOLS} tools; the rest is left out`] : [];
  for (const one of sent) {
    const problem = problemOf(one);
    if (problem === undefined) tools.push(trimmed(one as UpstreamTool));
    else problems.push(problem);
  }
  return { tools, problems };
}

function problemOf(tool: unknown): string | undefined {
  if (!isObject(tool) || typeof tool['name'] !== 'string' || tool['name'] === '')
    return 'an entry of its list has no name';
  const name = JSON.stringify(tool['name'].slice(0, 100));
  const { inputSchema, outputSchema } = tool;
  if (!isLookable(tool)) return `the definition of ${name} is nested too deeply or too wide`;
  if (!isSchema(inputSchema)) return `${name} has no schema for its arguments`;
  if (outputSchema !== undefined && !isSchema(outputSchema))
    return `${name} has no proper schema for its answers`;
  if (JSON.stringify(tool).length > MOST_TEXT)
    return `the definition of ${name} is longer than ${MOST_TEXT} characters`;
  return undefined;
}

/** A schema for an object, of a depth that can be looked at. */
function isSchema(schema: unknown): schema is Params {
  return isObject(schema) && schema['type'] === 'object';
}

/** All of it, annotations and what we do not know included: every text of it is compared, hashed and scanned. */
function isLookable(value: unknown, depth = 0): boolean {
  if (value === null || typeof value !== 'object') return true;
  if (depth > MOST_DEPTH) return false;
  const parts = Object.values(value);
  return parts.length <= MOST_TEXT && parts.every((item) => isLookable(item, depth + 1));
}

/** Only the fields that mean something to us or to clients. */
function trimmed({
  name,
  title,
  description,
  inputSchema,
  outputSchema,
  annotations,
}: UpstreamTool): UpstreamTool {
  return {
    name,
    inputSchema,
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
    ...(outputSchema && { outputSchema }),
    ...(isObject(annotations) && { annotations }),
  };
}

/** The same definition has the same text, whatever the order of its keys. */
export function canonical(tool: UpstreamTool): string {
  return JSON.stringify(sorted(tool));
}

export function hashOf(definition: string): string {
  return sha256(definition);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  );
}
