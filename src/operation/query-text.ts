import { z } from 'zod';
import { flagText, integerText, listText } from '../http/route.ts';

/** Names one query may list unless the field says fewer. */
const MOST_NAMES = 1_000;

/** A field as it stands in a query, where everything is text: numbers, flags and lists are read from it, strictly. */
export function asQueryText(field: z.core.SomeType): z.ZodType {
  const schema = field as z.ZodType;
  if (schema instanceof z.ZodDefault) {
    const read = readAs(schema.unwrap() as z.ZodType).default(schema.def.defaultValue as never);
    return described(read, schema);
  }
  if (!(schema instanceof z.ZodOptional)) return readAs(schema);
  const inner = readAs(schema.unwrap() as z.ZodType).optional();
  return schema.description === undefined ? inner : inner.describe(schema.description);
}

function readAs(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodNumber) return described(integerText(schema), schema);
  if (schema instanceof z.ZodBoolean) return described(flagText(), schema);
  if (schema instanceof z.ZodArray) return described(listText(MOST_NAMES).pipe(schema as never), schema);
  return schema;
}

function described(text: z.ZodType, { description }: z.ZodType): z.ZodType {
  return description === undefined ? text : text.describe(description);
}
