import { z } from 'zod';
import type { Tool } from './define.ts';
import { admitMark } from './untrusted.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** What a caller may send: unknown arguments are refused unless the tool takes any. */
export function strictInput(tool: Tool): z.ZodObject {
  return tool.input.def.catchall === undefined ? tool.input.strict() : tool.input;
}

export function inputSchemaOf(tool: Tool): JsonSchema {
  return tool.inputSchema ?? toJsonSchema(strictInput(tool), 'input');
}

/** No name is empty or that long by chance: its bounds cost tokens in every list and are named where they are broken. */
const NAME_LENGTH = 1_000;

/** What lists show of it: the same, without the bounds of names. */
export function listedSchemaOf(tool: Tool): JsonSchema {
  if (tool.inputSchema) return tool.inputSchema;
  const schema = toJsonSchema(strictInput(tool), 'input', (part) => {
    if (part.maxLength === undefined || part.maxLength > NAME_LENGTH) return;
    delete part.maxLength;
    if (part.minLength === 1) delete part.minLength;
  });
  const { requiredUnlessKnown: more = [] } = tool;
  return more.length === 0
    ? schema
    : { ...schema, required: [...((schema['required'] as string[]) ?? []), ...more] };
}

/**
 * Older SDK clients check `structuredContent` of errors against this schema too and would throw instead of showing
 * the error, so it admits `{ error }` beside the result. Extra fields stay allowed: they are how results grow.
 */
export function outputSchemaOf(tool: Tool): JsonSchema | undefined {
  if (tool.outputSchema) return tool.outputSchema;
  if (!tool.output) return undefined;
  const { additionalProperties: _, required, ...schema } = answerSchema(tool.output, tool.carries ?? NOTHING);
  if (!Array.isArray(required) || required.length === 0) return { ...schema, type: 'object' };
  return { ...schema, type: 'object', anyOf: [{ required }, { required: ['error'] }] };
}

const NOTHING: readonly string[] = [];
/** Most tools of a room answer the same thing, which is described once. */
const answers = new WeakMap<z.ZodType, Map<readonly string[], JsonSchema>>();

function answerSchema(output: z.ZodType, carries: readonly string[]): JsonSchema {
  const known = answers.get(output) ?? new Map<readonly string[], JsonSchema>();
  answers.set(output, known);
  const schema = known.get(carries) ?? toJsonSchema(output, 'output', (part) => admitMark(part, carries));
  known.set(carries, schema);
  return schema;
}

/** What a text costs a model that reads it, as a rule of thumb. */
export function tokensOf(text: string): number {
  return Math.ceil(text.length / 4);
}

type Bounds = {
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  properties?: Record<string, unknown>;
};

function toJsonSchema(
  schema: z.ZodType,
  io: 'input' | 'output',
  trim?: (schema: Bounds) => void,
): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    target: 'draft-2020-12',
    override({ jsonSchema }) {
      dropNoise(jsonSchema);
      trim?.(jsonSchema);
    },
  });
  return rest;
}

/** The bounds of safe integers are true but cost tokens in every list. */
function dropNoise(schema: Bounds): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}
