import { openStream, type HubEvent, type LiveMessage } from './stream.ts';

/** One stream for all tabs of a browser: they share six connections, and a stream keeps one for ever. */
declare const self: { addEventListener(kind: 'connect', hear: (event: MessageEvent) => void): void };

const KEPT = 400;
const ports = new Set<MessagePort>();
const kept: HubEvent[] = [];
let state: Extract<LiveMessage, { kind: 'state' }> = { kind: 'state', state: 'opening', missed: 0 };
let hasPast = false;

self.addEventListener('connect', ({ ports: [port] }) => {
  if (!port) return;
  ports.add(port);
  port.addEventListener('message', ({ data }) => data === 'bye' && ports.delete(port));
  port.start();
  if (hasPast) port.postMessage({ kind: 'past', events: kept } satisfies LiveMessage);
  port.postMessage(state);
});

openStream((message) => {
  if (message.kind === 'past') {
    hasPast = true;
    kept.push(...message.events);
  }
  if (message.kind === 'event') kept.push(message.event);
  if (message.kind === 'state') state = message;
  if (kept.length > KEPT) kept.splice(0, kept.length - KEPT);
  for (const port of ports) port.postMessage(message);
});
