/**
 * One step of the schema, forward only, in the one spelling of `spell.ts`. The list in `list.ts` is append-only: a
 * released step never changes.
 */
export type Migration = Readonly<{ id: number; name: string; schema: string }>;
