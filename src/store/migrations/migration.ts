import { spell } from './spell.ts';

/** One step of the schema, forward only. The list in `list.ts` is append-only: a released step never changes. */
export type Migration = Readonly<{
  id: number;
  name: string;
  /** In the one spelling of `spell.ts`; where the engines need steps of their own, a text for each. */
  schema: string | Readonly<{ sqlite: string; postgres: string }>;
}>;

export function schemaFor(engine: 'sqlite' | 'postgres', { schema }: Migration): string {
  return typeof schema === 'string' ? spell(schema, engine) : schema[engine];
}
