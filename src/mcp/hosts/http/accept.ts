/**
 * What a client can read. `stream` alone: one SSE event even for a single answer. `json` alone, anything, or nothing
 * said: JSON. Both: JSON, and a stream only when there is more to say than the answer.
 */
export type Accept = 'json' | 'stream' | 'both';

export function readAccept(header: string | undefined): Accept {
  if (header === undefined) return 'json';
  const types = header
    .toLowerCase()
    .split(',')
    .map((part) => part.split(';').map((piece) => piece.trim()))
    .filter(([, ...options]) => !options.some((option) => /^q=0(?:\.0*)?$/.test(option)))
    .map(([type]) => type);
  if (!types.includes('text/event-stream')) return 'json';
  return ['application/json', 'application/*', '*/*'].some((type) => types.includes(type)) ? 'both' : 'stream';
}

/** A GET is a stream or nothing: refuse only who plainly cannot read one. */
export function takesStream(header: string | undefined): boolean {
  return header === undefined || /text\/event-stream|text\/\*|\*\/\*/i.test(header);
}
