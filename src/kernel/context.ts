/** What the documents of the gateway call a context: it says when to stop. */
export type Context = AbortSignal | Readonly<{ signal?: AbortSignal }> | null | undefined;

export function signalOf(context: Context): AbortSignal | undefined {
  if (context === null || context === undefined) return undefined;
  return context instanceof AbortSignal ? context : context.signal;
}
