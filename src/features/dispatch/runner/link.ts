// How a runner reaches its hub. Whatever is refused is a refusal; whatever did not arrive is asked again by who asked.
import { z } from 'zod';
import { type ErrorCode, HubError } from '../../../kernel/errors.ts';
import { isLoopbackName } from '../../../kernel/loopback.ts';
import {
  beatSchema,
  type PlacedRun,
  claimSchema,
  type Command,
  type RunnerOffer,
  type WireAsk,
  type WireEnd,
  type WireFrame,
} from '../pool/wire.ts';

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

const PATIENCE_MS = 20_000;
const refusal = z.looseObject({
  error: z.string().optional(),
  message: z.string().optional(),
  code: z.string().optional(),
});

/** HTTP carries the token in the clear, so it goes no further than this machine. */
export function requireHubUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackName(url.hostname)))
    return `${url.origin}${url.pathname.replace(/\/$/, '')}`;
  throw new HubError('invalid', '--hub must be an https URL; http is for this machine alone.', {
    hint: 'Put the hub behind TLS, or reach it through an ssh tunnel: ssh -L 18790:127.0.0.1:18790 laptop.',
  });
}

export function createRunnerLink(url: string, token: string): RunnerLink {
  async function post(
    path: string,
    body: object,
    options: Readonly<{ signal?: AbortSignal; waitMs?: number }> = {},
  ): Promise<unknown> {
    const { signal, waitMs = 0 } = options;
    const late = AbortSignal.timeout(PATIENCE_MS + waitMs);
    let response: Response;
    let text: string;
    try {
      response = await fetch(`${url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        redirect: 'error',
        signal: signal ? AbortSignal.any([signal, late]) : late,
      });
      text = await response.text();
    } catch (error) {
      throw new HubAway('The hub did not answer.', { cause: error });
    }
    if (response.status === 204) return undefined;
    const value = parsed(text);
    if (response.ok) return value;
    const told = refusal.safeParse(value);
    if (response.status >= 500 || response.status === 429 || !told.success || told.data.code === undefined)
      throw new HubAway(`The hub answered ${response.status}.`);
    throw new HubError(
      told.data.code as ErrorCode,
      told.data.message ?? told.data.error ?? `The hub answered ${response.status}.`,
    );
  }
  const pathOf = ({ run, attempt }: At, what: string) => `/v1/runners/runs/${run}/${attempt}/${what}`;

  return {
    url,
    token,
    async claim(offer, signal) {
      const given = await post('/v1/runners/claim', offer, { signal, waitMs: offer.wait_ms ?? 30_000 });
      return given === undefined ? undefined : claimSchema.parse(given);
    },
    async frames(at, from, frames) {
      const { acked } = z
        .object({ acked: z.int() })
        .parse(await post(pathOf(at, 'frames'), { fence: at.fence, from, frames }));
      return acked;
    },
    async beat(at, { asks, waitMs }, signal) {
      const beat = { fence: at.fence, asks, wait_ms: waitMs };
      return beatSchema.parse(await post(pathOf(at, 'beat'), beat, { signal, waitMs })).commands;
    },
    async end(at, end) {
      await post(pathOf(at, 'end'), { ...end, fence: at.fence });
    },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
