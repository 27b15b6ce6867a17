// The one client of language models, for patrols of Beings and for summaries: one question, one text, in either of the two
// dialects that endpoints speak. An answer has an end, and no failure quotes what was asked.
import { HubError } from './errors.ts';

/** Asks a language model one thing. Rejects with a HubError that says what went wrong and quotes nothing. */
export type AskModel = (system: string, prompt: string, signal: AbortSignal) => Promise<string>;

/** Where models are, and how long they may take; the key comes from whoever asks. */
export type ModelEndpoint = Readonly<{
  url: string | undefined;
  model: string | undefined;
  patienceMs: number;
}>;

type Environment = Readonly<Record<string, string | undefined>>;

const PATIENCE_MS = 60_000;
const MAX_ANSWER = 2 * 1024 * 1024;
const MAX_TOKENS = 4_096;
const ANTHROPIC = 'https://api.anthropic.com/v1/messages';
const ANTHROPIC_MODEL = 'claude-sonnet-4-6';
const OPENAI = 'https://api.openai.com/v1';

export function modelPlace(env: Environment): ModelEndpoint {
  return {
    url: env['HOLDFAST_LLM_URL'] || undefined,
    model: env['HOLDFAST_LLM_MODEL'] || undefined,
    patienceMs: PATIENCE_MS,
  };
}

type Dialect = Readonly<{
  url: string;
  headers: Record<string, string>;
  body(system: string, prompt: string): unknown;
  read(answer: unknown): unknown;
}>;

/** Why a key alone asks nobody. */
export const KEY_WITHOUT_MODEL =
  "there is a key but no model: HOLDFAST_LLM_MODEL names the one to ask, for keys other than Anthropic's";

/** Undefined when nothing says which model to ask. */
export function createAsk(key: string, place: ModelEndpoint): AskModel | undefined {
  const dialect = dialectOf(key, place);
  if (!dialect) return undefined;
  return async (system, prompt, signal) => {
    const answer = await post(
      dialect,
      dialect.body(system, prompt),
      AbortSignal.any([signal, AbortSignal.timeout(place.patienceMs)]),
    );
    const text = dialect.read(answer);
    if (typeof text !== 'string' || text.trim() === '') throw failed('answered in a shape we do not know');
    return text;
  };
}

/** An address that ends in /messages, or an Anthropic key without any address, speaks Anthropic's dialect; all else OpenAI's. */
function dialectOf(key: string, { url, model }: ModelEndpoint): Dialect | undefined {
  const place = (url ?? (key.startsWith('sk-ant-') ? ANTHROPIC : OPENAI)).replace(/\/+$/, '');
  if (place.endsWith('/messages')) {
    return {
      url: place,
      headers: { 'x-api-key': key, 'anthropic-version': '2023-06-01' },
      body: (system, content) => ({
        model: model ?? ANTHROPIC_MODEL,
        max_tokens: MAX_TOKENS,
        system,
        messages: [{ role: 'user', content }],
      }),
      read: (answer) => dig(answer, 'content', 0, 'text'),
    };
  }
  if (model === undefined) return undefined;
  return {
    url: place.endsWith('/chat/completions') ? place : `${place}/chat/completions`,
    headers: { authorization: `Bearer ${key}` },
    body: (system, content) => ({
      model,
      messages: [
        { role: 'system', content: system },
        { role: 'user', content },
      ],
    }),
    read: (answer) => dig(answer, 'choices', 0, 'message', 'content'),
  };
}

async function post({ url, headers }: Dialect, body: unknown, signal: AbortSignal): Promise<unknown> {
  let text: string;
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      redirect: 'error',
      signal,
    });
    // The body of a failure may quote the request, and with it a memory.
    if (!response.ok) throw failed(`answered ${response.status}`);
    text = await readBounded(response);
  } catch (cause) {
    if (cause instanceof HubError) throw cause;
    throw failed(signal.aborted ? 'did not answer in time' : 'does not answer', cause);
  }
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw failed('answered something that is not JSON', cause);
  }
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > MAX_ANSWER) throw failed('answered without end');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function dig(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (here, key) =>
      typeof here === 'object' && here !== null ? (here as Record<string | number, unknown>)[key] : undefined,
    value,
  );
}

function failed(what: string, cause?: unknown): HubError {
  return new HubError('unavailable', `The language model ${what}.`).because(cause);
}
