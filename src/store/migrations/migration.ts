/** One step of the schema, forward only. The list in `list.ts` is append-only: a released step never changes. */
export type Migration = Readonly<{
  id: number;
  name: string;
  /** In the one spelling of `spell.ts`. */
  schema: string;
}>;
