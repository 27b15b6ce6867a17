// How a runner reaches its hub. Whatever is refused is a refusal; whatever did not arrive is asked again by who asked.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '../../../kernel/config.ts';
import { type ErrorCode, HubError } from '../../../kernel/errors.ts';
import { isLoopbackName } from '../../../kernel/loopback.ts';
import { readJson } from '../../../kernel/loose-json.ts';
import type { PlacedRun, Command, RunnerOffer, WireAsk, WireEnd, WireFrame } from '../pool/wire.ts';
import { createPost } from './post.ts';

export type At = Readonly<{ run: string; attempt: number; fence: number }>;

export interface RunnerLink {
  readonly url: string;
  readonly token: string;
  claim(offer: RunnerOffer, signal: AbortSignal): Promise<PlacedRun | undefined>;
  frames(at: At, from: number, frames: readonly WireFrame[]): Promise<number>;
  beat(
    at: At,
    beat: Readonly<{ asks: readonly WireAsk[]; waitMs: number }>,
    signal: AbortSignal,
  ): Promise<Command[]>;
  end(at: At, end: Omit<WireEnd, 'fence'>): Promise<void>;
}

/** The hub did not answer, or not as one: it may be gone for a while. */
export class HubAway extends Error {}

/** A hub that comes back is found within two seconds. */
const RETRY_MS = [100, 300, 1_000, 2_000];

/** Between what did not arrive and the next try. */
export async function restAfter(failures: number, signal?: AbortSignal): Promise<void> {
  const ms = RETRY_MS[Math.min(failures, RETRY_MS.length - 1)];
  await sleep(ms, undefined, signal && { signal }).catch(() => undefined);
}

const PATIENCE_MS = 20_000;
/** Fetched when something was said: who waits for work holds no schemas. */
const wire = () => import('../pool/wire.ts');

type Known<T> = Readonly<{ safeParse(value: unknown): { success: true; data: T } | { success: false } }>;

/** Whoever is between us and the hub may answer in its place. */
function said<T>(known: Known<T>, value: unknown): T {
  const read = known.safeParse(value);
  if (read.success) return read.data;
  throw new HubAway('What answered is no hub.');
}

/** HTTP carries the token in the clear, so it goes no further than this machine. */
export function requireHubUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackName(url.hostname)))
    return `${url.origin}${url.pathname.replace(/\/$/, '')}`;
  throw new HubError('invalid', '--hub must be an https URL; http is for this machine alone.', {
    hint: 'Put the hub behind TLS, or reach it through an ssh tunnel: ssh -L 18790:127.0.0.1:18790 laptop.',
  });
}

export function createRunnerLink(url: string, token: string, env: Environment): RunnerLink {
  const send = createPost(url, env);
  async function post(
    path: string,
    body: object,
    options: Readonly<{ signal?: AbortSignal; waitMs?: number }> = {},
  ): Promise<unknown> {
    const { signal, waitMs = 0 } = options;
    const late = AbortSignal.timeout(PATIENCE_MS + waitMs);
    const word = { path, token, body, signal: signal ? AbortSignal.any([signal, late]) : late };
    const { status, text } = await send(word).catch((error: unknown) => {
      throw new HubAway('The hub did not answer.', { cause: error });
    });
    if (status === 204) return undefined;
    const value = readJson(text);
    if (status >= 200 && status < 300) return value;
    const told = (await wire()).refusalSchema.safeParse(value);
    if (status >= 500 || status === 429 || !told.success || told.data.code === undefined)
      throw new HubAway(`The hub answered ${status}.`);
    const { code, error, message = error, hint } = told.data;
    throw new HubError(code as ErrorCode, message ?? `The hub answered ${status}.`, {
      ...(hint && { hint }),
    });
  }
  const pathOf = ({ run, attempt }: At, what: string) => `/v1/runners/runs/${run}/${attempt}/${what}`;

  return {
    url,
    token,
    async claim(offer, signal) {
      const given = await post('/v1/runners/claim', offer, { signal, waitMs: offer.wait_ms ?? 30_000 });
      return given === undefined ? undefined : said((await wire()).claimSchema, given);
    },
    async frames(at, from, frames) {
      const answer = await post(pathOf(at, 'frames'), { fence: at.fence, from, frames });
      return said((await wire()).ackedSchema, answer).acked;
    },
    async beat(at, { asks, waitMs }, signal) {
      const beat = { fence: at.fence, asks, wait_ms: waitMs };
      const answer = await post(pathOf(at, 'beat'), beat, { signal, waitMs });
      return said((await wire()).beatSchema, answer).commands;
    },
    async end(at, end) {
      const answer = await post(pathOf(at, 'end'), { ...end, fence: at.fence });
      said((await wire()).endSchema, answer);
    },
  };
}
