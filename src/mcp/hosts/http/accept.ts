/**
 * What a client can read. `stream` alone: one SSE event even for a single answer. `json` alone, anything, or nothing
 * said: JSON. Both: JSON, and a stream only when there is more to say than the answer.
 */
export type Accept = 'json' | 'stream' | 'both';

/** Clients send the same few headers again and again. */
const known = new Map<string, Accept>();
const MAX_KNOWN = 100;

export function readAccept(header: string | undefined): Accept {
  if (header === undefined) return 'json';
  const before = known.get(header);
  if (before) return before;
  const accept = parseAccept(header);
  if (known.size < MAX_KNOWN) known.set(header, accept);
  return accept;
}

function parseAccept(header: string): Accept {
  const parts = header
    .toLowerCase()
    .split(',')
    .map((part) => part.split(';').map((piece) => piece.trim()));
  const types = new Set(parts.filter(([, ...options]) => !options.some(isZero)).map(([type]) => type));
  if (!types.has('text/event-stream')) return 'json';
  return ['application/json', 'application/*', '*/*'].some((type) => types.has(type)) ? 'both' : 'stream';
}

/** A GET is a stream or nothing: refuse only who plainly cannot read one. */
export function takesStream(header: string | undefined): boolean {
  return header === undefined || /text\/event-stream|text\/\*|\*\/\*/i.test(header);
}

/** `q=0` means "anything but this". */
function isZero(option: string): boolean {
  return /^q=0(?:\.0*)?$/.test(option);
}
