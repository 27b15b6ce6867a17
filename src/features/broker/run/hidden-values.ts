import { readFile } from 'node:fs/promises';
import { REDACTED } from '../../../kernel/redact.ts';

/**
 * The hub's own secrets, known by value: no result of any tool shows them, also where a file is answered byte
 * for byte. 64 hexadecimal digits look like any digest, so no rule could know them by their shape. A speed
 * bump for whoever runs commands: what is spelled backwards passes; the sandbox and the closed folder are the
 * walls.
 */
export interface HiddenValues {
  /** Takes them out of a text. Files that changed are read again within moments. */
  current(): Promise<Hide>;
}

export type Hide = (text: string) => string;

export type HiddenParts = Readonly<{
  /** Each holds one secret and nothing else; one that is not there holds none. */
  files?: readonly string[];
  values?(): readonly (string | undefined)[];
}>;

const LOOK_AGAIN_MS = 2_000;
/** Shorter ones would take ordinary words out of every answer. */
const SHORTEST = 8;
/** Agent tokens are kept as digests only; their shape is ours alone. */
const AGENT_TOKEN = /\bhft_[A-Za-z0-9_-]{16,}/g;

export function createHiddenValues({ files = [], values = () => [] }: HiddenParts): HiddenValues {
  let lookedAt = -Infinity;
  let looking: Promise<void> | undefined;
  let hide: Hide = (text) => text;

  async function look(): Promise<void> {
    const read = await Promise.all(files.map((path) => readFile(path, 'utf8').catch(() => '')));
    const secrets = [...read, ...values()]
      .map((text) => text?.trim() ?? '')
      .filter(({ length }) => length >= SHORTEST);
    hide = hiding([...new Set(secrets.flatMap((secret) => [secret, encoded(secret)]))]);
  }

  return {
    async current() {
      if (performance.now() - lookedAt > LOOK_AGAIN_MS) {
        looking ??= look().finally(() => {
          lookedAt = performance.now();
          looking = undefined;
        });
        await looking;
      }
      return hide;
    },
  };
}

function hiding(secrets: readonly string[]): Hide {
  const longestFirst = secrets.toSorted((a, b) => b.length - a.length);
  return (text) => {
    let out = text;
    for (const secret of longestFirst) if (out.includes(secret)) out = out.replaceAll(secret, REDACTED);
    return out.includes('hft_') ? out.replace(AGENT_TOKEN, REDACTED) : out;
  };
}

/** As base64 has it, without the end, which differs when a line end follows. */
function encoded(secret: string): string {
  const bytes = Buffer.from(secret);
  return bytes.subarray(0, bytes.length - (bytes.length % 3)).toString('base64');
}

export const HIDE_NOTHING: HiddenValues = { current: async () => (text) => text };
