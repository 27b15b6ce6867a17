import type { Api } from '../../../src/features/api.ts';
import type { CallRoute } from '../../../src/operation/call-route.ts';
import { COMMAND_HEADER } from '../../../src/kernel/command-header.ts';
import { callRoutes } from '../../../src/operation/client.ts';

/** The one way to the hub. A refusal keeps the hub's own sentence, so that it can be shown as it is. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string;

  constructor(status: number, body: Readonly<{ error?: unknown; code?: unknown; hint?: unknown }>) {
    super(typeof body.error === 'string' ? body.error : `The hub answered ${status}.`);
    this.status = status;
    this.code = typeof body.code === 'string' ? body.code : '';
    this.hint = typeof body.hint === 'string' ? body.hint : '';
  }
}

type Asked = Readonly<{
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  body?: unknown;
  signal?: AbortSignal;
  /** Goes on after the page is gone. */
  keepalive?: boolean;
  /** Changes with the same one are taken back as one. */
  command?: string;
}>;

/** `ask('GET /api/reservations', { taskId })`, typed by the operation behind it. */
export const ask = askUntil();

/** The same, given up when the signal aborts. */
export function askUntil(signal?: AbortSignal): CallRoute<Api> {
  return callRoutes<Api>((request) => call(request.path, { ...request, signal }));
}

/** The same for what has to outlive the page that asks it. */
export const askLeaving: CallRoute<Api> = callRoutes<Api>((request) =>
  call(request.path, { ...request, keepalive: true }),
);

/** The same for several changes that are one to a person: `holdfast undo` takes them back in one go. */
export function askAsOne(command = onceKey()): CallRoute<Api> {
  return callRoutes<Api>((request) => call(request.path, { ...request, command }));
}

export async function call<T>(
  path: string,
  { method = 'GET', body, signal, keepalive = false, command }: Asked = {},
): Promise<T> {
  const answer = await fetch(path, {
    method,
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(command !== undefined && { [COMMAND_HEADER]: command }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
    keepalive,
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new Refusal(0, {
      error: 'The hub does not answer.',
      code: 'unreachable',
      hint: 'Start it with `holdfast up`; this page comes back by itself.',
    });
  });
  const text = await answer.text();
  const parsed: unknown = text === '' ? {} : parse(text);
  if (!answer.ok) throw new Refusal(answer.status, parsed ?? {});
  return parsed as T;
}

/** One key per intention: what was sent twice takes effect once. */
export function onceKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `page-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

export function isMissing(error: unknown): boolean {
  return error instanceof Refusal && error.status === 404;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { error: 'The hub answered something that is no JSON.' };
  }
}
