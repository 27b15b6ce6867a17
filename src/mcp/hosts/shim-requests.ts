import { readJsonObject } from '../../kernel/loose-json.ts';
import { GOODBYE } from './hello.ts';

/**
 * What a client has asked for and not yet heard about, and what a fresh backend has to be told so that
 * the client does not notice the change. Only node builtins: see shim.ts.
 */
export interface OpenRequests {
  /** Notes a line on its way to the backend. */
  sent(line: string): void;
  /** Notes a line from the backend and answers what of it the client should see. */
  heard(line: string): readonly string[];
  /** The backend is gone. Answers for calls that may have happened; the rest, and all after a goodbye, is put again by `introduction`. */
  lose(): readonly string[];
  /** No backend can be had. Answers for everything that waits. */
  giveUp(reason: string): readonly string[];
  /** What to tell a backend before anything else. */
  introduction(): readonly string[];
  /** Nothing but listeners is waiting. */
  isIdle(): boolean;
  readonly size: number;
}

type Id = string | number;
type Wire = {
  id?: Id;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: unknown;
};
type Waiting = { readonly wire: Wire; readonly line: string; isSecondTry: boolean };

/** Asking these twice changes nothing, so they are put to the next backend instead of being refused. */
const SAFE: ReadonlySet<string> = new Set([
  'initialize',
  'ping',
  'server/discover',
  'tools/list',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'completion/complete',
  'logging/setLevel',
]);

const LISTEN = 'subscriptions/listen';
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';
const VERSION = 'io.modelcontextprotocol/protocolVersion';

export function createOpenRequests(): OpenRequests {
  const waiting = new Map<string, Waiting>();
  /** What the client settled for its session, in the order a backend has to hear it. */
  const settled = new Map<string, Wire>();
  const listsToRefresh = new Set<string>();
  const acknowledged = new Set<string>();
  const silent = new Set<string>();
  const doubled = new Set<string>();
  /** Tools that the backend said only read: such a call can be put to the next one. */
  const readers = new Set<string>();
  let replays = 0;
  let saidGoodbye = false;

  function isRead({ method, params }: Wire): boolean {
    return method === 'tools/call' && readers.has(String(params?.['name']));
  }

  function settle(wire: Wire): void {
    const uri = String(wire.params?.['uri']);
    if (wire.method === 'initialize') settled.clear();
    if (
      wire.method === 'initialize' ||
      wire.method === 'notifications/initialized' ||
      wire.method === 'logging/setLevel'
    )
      settled.set(wire.method, wire);
    if (wire.method === 'resources/subscribe') settled.set(`watch ${uri}`, wire);
    if (wire.method === 'resources/unsubscribe') settled.delete(`watch ${uri}`);
  }

  function forget(id: unknown): void {
    waiting.delete(key(id));
    acknowledged.delete(key(id));
  }

  function heardAnswer(wire: Wire, line: string): readonly string[] {
    const id = key(wire.id);
    if (silent.delete(id)) return wire.result?.['capabilities'] ? [...listsToRefresh].map(listChanged) : [];
    const asked = waiting.get(id);
    if (asked?.wire.method === 'tools/list') noteReaders(wire.result?.['tools'], readers);
    if (asked?.wire.method === 'initialize') noteLists(wire.result?.['capabilities'], listsToRefresh);
    forget(wire.id);
    return [line];
  }

  /** A listener that was moved to another backend has its acknowledgement already. */
  function isDoubledAck(wire: Wire): boolean {
    if (wire.method !== 'notifications/subscriptions/acknowledged') return false;
    const id = key((wire.params?.['_meta'] as Record<string, unknown> | undefined)?.[SUBSCRIPTION]);
    acknowledged.add(id);
    return doubled.delete(id);
  }

  function refuseAll(entries: Iterable<Waiting>, message: string): string[] {
    const lines: string[] = [];
    for (const { wire } of entries) {
      forget(wire.id);
      lines.push(refusalOf(wire, message));
    }
    return lines;
  }

  return {
    sent(line) {
      const wire: Wire | undefined = readJsonObject(line);
      if (!wire?.method) return;
      settle(wire);
      if (isId(wire.id)) waiting.set(key(wire.id), { wire, line, isSecondTry: false });
      else if (wire.method === 'notifications/cancelled') forget(wire.params?.['requestId']);
    },
    heard(line) {
      const wire: Wire | undefined = readJsonObject(line);
      if (!wire) return [line];
      if (wire.method === undefined && wire.id !== undefined) return heardAnswer(wire, line);
      if (wire.method === GOODBYE) {
        saidGoodbye = true;
        return [];
      }
      return isDoubledAck(wire) ? [] : [line];
    },
    lose() {
      silent.clear();
      doubled.clear();
      if (saidGoodbye) {
        saidGoodbye = false;
        return [];
      }
      const lost = [...waiting.values()].filter(
        ({ wire, isSecondTry }) =>
          wire.method !== LISTEN && (isSecondTry || !(SAFE.has(wire.method!) || isRead(wire))),
      );
      return refuseAll(lost, 'the hub stopped while this call was running; it may or may not have happened');
    },
    giveUp(reason) {
      return refuseAll([...waiting.values()], reason);
    },
    introduction() {
      const lines: string[] = [];
      const isOpening = [...waiting.values()].some(({ wire }) => wire.method === 'initialize');
      for (const wire of isOpening ? [] : settled.values()) {
        if (wire.id === undefined) lines.push(JSON.stringify(wire));
        else lines.push(JSON.stringify({ ...wire, id: replayId() }));
      }
      for (const entry of waiting.values()) {
        const id = key(entry.wire.id);
        if (entry.wire.method === LISTEN && acknowledged.has(id)) doubled.add(id);
        else entry.isSecondTry = true;
        lines.push(entry.line);
      }
      return lines;
    },
    isIdle: () => [...waiting.values()].every(({ wire }) => wire.method === LISTEN),
    get size() {
      return waiting.size;
    },
  };

  function replayId(): string {
    const id = `holdfast-replay-${(replays += 1)}`;
    silent.add(key(id));
    return id;
  }
}

/** Calls are answered as results, so that the model reads them and can act; everything else as protocol errors. */
function refusalOf({ id, method, params }: Wire, message: string): string {
  const facts = {
    code: 'unavailable',
    retryable: true,
    hint: 'Try again; if the call changes something, repeat it with the same idempotencyKey.',
  };
  if (method !== 'tools/call')
    return JSON.stringify({
      jsonrpc: '2.0',
      id,
      error: { code: -32603, message: `unavailable: ${message}`, data: facts },
    });
  const meta = params?.['_meta'];
  const isModern = meta !== null && typeof meta === 'object' && VERSION in meta;
  const content = [
    { type: 'text', text: `unavailable: ${message}` },
    { type: 'text', text: `${facts.hint}\n${JSON.stringify({ code: facts.code, retryable: true })}` },
  ];
  const result = {
    ...(isModern && { resultType: 'complete' }),
    content,
    structuredContent: { error: `unavailable: ${message}`, ...facts },
    isError: true,
  };
  return JSON.stringify({ jsonrpc: '2.0', id, result });
}

function noteLists(capabilities: unknown, lists: Set<string>): void {
  lists.clear();
  for (const [name, value] of Object.entries(
    (capabilities ?? {}) as Record<string, { listChanged?: boolean } | undefined>,
  )) {
    if (value?.listChanged) lists.add(name);
  }
}

/** A list comes in pages, and a tool may change its mind. */
function noteReaders(tools: unknown, readers: Set<string>): void {
  for (const tool of Array.isArray(tools)
    ? (tools as { name?: unknown; annotations?: { readOnlyHint?: unknown } }[])
    : []) {
    if (tool?.annotations?.readOnlyHint === true) readers.add(String(tool.name));
    else readers.delete(String(tool?.name));
  }
}

function listChanged(list: string): string {
  return JSON.stringify({ jsonrpc: '2.0', method: `notifications/${list}/list_changed` });
}

/** What is no id is answered without one: waiting for its answer would be waiting for ever. */
function isId(id: unknown): id is Id {
  return typeof id === 'string' || Number.isInteger(id);
}

/** 1 and "1" are different ids. */
function key(id: unknown): string {
  return JSON.stringify(id) ?? '';
}
