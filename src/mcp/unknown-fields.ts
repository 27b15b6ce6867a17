// What a caller says inside an argument counts as much as the argument: a field that nobody knows is refused, not dropped.
import { z } from 'zod';

export type UnknownFields = Readonly<{
  path: readonly PropertyKey[];
  keys: readonly string[];
  known: readonly string[];
}>;

/** The first object in a value that has fields its schema does not know. The value has passed the schema. */
export function unknownFields(schema: z.core.$ZodType, value: unknown): UnknownFields | undefined {
  const isOpen = schema instanceof z.ZodObject && schema.def.catchall === undefined;
  return isOpen || hasObjects(schema) ? look(schema, value, []) : undefined;
}

type Path = readonly PropertyKey[];

function look(schema: z.core.$ZodType, value: unknown, path: Path): UnknownFields | undefined {
  if (value === null || typeof value !== 'object') return undefined;
  const inner = within(schema);
  if (inner) return look(inner, value, path);
  if (schema instanceof z.ZodObject) return lookInObject(schema, value, path);
  if (schema instanceof z.ZodArray && Array.isArray(value))
    return firstOf(value, (item, i) => look(schema.element, item, [...path, i]));
  if (schema instanceof z.ZodRecord)
    return firstOf(Object.entries(value), ([key, item]) => look(schema.valueType, item, [...path, key]));
  if (schema instanceof z.ZodUnion) return lookInChoices(schema, value, path);
  return undefined;
}

function lookInObject(schema: z.ZodObject, value: object, path: Path): UnknownFields | undefined {
  const shape = shapeOf(schema);
  const known = Object.keys(shape);
  // A catch-all says itself what it takes.
  const keys = schema.def.catchall ? [] : Object.keys(value).filter((key) => !Object.hasOwn(shape, key));
  if (keys.length > 0) return { path, keys, known };
  return firstOf(known, (key) => look(shape[key]!, (value as Record<string, unknown>)[key], [...path, key]));
}

/** Whatever one of the choices takes whole is known. */
function lookInChoices(schema: z.ZodUnion, value: object, path: Path): UnknownFields | undefined {
  const taken = schema.options.filter((option) => isTaken(schema, option, value));
  const found = taken.map((option) => look(option, value, path));
  return found.includes(undefined) ? undefined : found[0];
}

/** A choice that is named by a field needs no second reading of the whole. */
function isTaken(schema: z.ZodUnion, option: z.core.$ZodType, value: object): boolean {
  if (!(schema instanceof z.ZodDiscriminatedUnion) || !(option instanceof z.ZodObject))
    return z.safeParse(option, value).success;
  const { discriminator } = schema.def;
  const named = (value as Record<string, unknown>)[discriminator];
  return z.safeParse(shapeOf(option)[discriminator]!, named).success;
}

function shapeOf(schema: z.ZodObject): Readonly<Record<string, z.core.$ZodType>> {
  return schema.shape;
}

/** What a schema is wrapped around: optional, nullable, default, read-only, piped. */
function within(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodLazy) return schema.unwrap();
  if (schema instanceof z.ZodPipe) return schema.in;
  const { innerType } = schema._zod.def as { innerType?: z.core.$ZodType };
  return innerType;
}

const having = new WeakMap<z.core.$ZodType, boolean>();

/** Most inputs hold nothing but texts and numbers below their first level, and need no second look. */
function hasObjects(schema: z.core.$ZodType): boolean {
  const known = having.get(schema);
  if (known !== undefined) return known;
  having.set(schema, true); // a schema that holds itself
  const parts = partsOf(schema);
  const has = parts.some((part) => isObject(part) || hasObjects(part));
  having.set(schema, has);
  return has;
}

function isObject(schema: z.core.$ZodType): boolean {
  const inner = within(schema);
  return inner ? isObject(inner) : schema instanceof z.ZodObject;
}

function partsOf(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  const inner = within(schema);
  if (inner) return [inner];
  if (schema instanceof z.ZodObject) return Object.values(shapeOf(schema));
  if (schema instanceof z.ZodArray) return [schema.element];
  if (schema instanceof z.ZodRecord) return [schema.valueType];
  return schema instanceof z.ZodUnion ? schema.options : [];
}

function firstOf<T, R>(items: readonly T[], find: (item: T, i: number) => R | undefined): R | undefined {
  for (const [i, item] of items.entries()) {
    const found = find(item, i);
    if (found !== undefined) return found;
  }
  return undefined;
}
