/** Server-sent events as text: every stream of the hub is written with these, whoever carries it. */
export type SseFrame = Readonly<{
  id?: string | number | undefined;
  event?: string | undefined;
  data: string;
}>;

/** Proxies and readers must neither keep nor hold back what is in a stream. */
export const SSE_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-store, no-transform',
  'x-accel-buffering': 'no',
} as const;

/** A line that says nothing, for proxies that close what is silent. */
export const SSE_ALIVE = ': still here\n\n';

export function sseFrame({ id, event, data }: SseFrame): string {
  const head = `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}`;
  // JSON has no line breaks of its own, so most data is one line.
  const lines = /[\r\n]/.test(data) ? data.replace(/\r\n|\r|\n/g, '\ndata: ') : data;
  return `${head}data: ${lines}\n\n`;
}

/** One message as its reader gets it; `data` is read from JSON. */
export type StreamedMessage = Readonly<{ id: string | undefined; event: string; data: unknown }>;
