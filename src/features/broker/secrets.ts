import type { Environment } from '../../kernel/config.ts';
import type { Log } from '../../kernel/log.ts';
import { unlessMissing } from '../../kernel/maybe-file.ts';

/**
 * Keys of providers: from the environment, or from `secrets.yaml` in the home, which may change while the hub
 * runs.
 */
export interface SecretSource {
  keyOf(provider: string): string | undefined;
  /** Providers with a stored key. */
  providers(): ReadonlySet<string>;
  /** The keys themselves, so that no tool shows one. */
  values(): readonly string[];
  watch(onChange: () => Promise<void>): void;
  close(): void;
}

export type SecretsParts = Readonly<{
  path: string;
  env: Environment;
  read(path: string): Promise<string>;
  log: Log;
  everyMs?: number;
}>;

export function createSecrets({ path, env, read, log, everyMs = 2_000 }: SecretsParts): SecretSource {
  let stored: ReadonlyMap<string, string> = new Map();
  let providers: ReadonlySet<string> = new Set();
  let seen: string | undefined;
  let timer: NodeJS.Timeout | undefined;

  /** Answers whether a key came or went. */
  async function look(): Promise<boolean> {
    const text = (await read(path).catch(unlessMissing)) ?? '';
    if (text === seen) return false;
    seen = text;
    const before = [...stored.keys()].join();
    stored = await parse(text);
    providers = new Set(stored.keys());
    return [...stored.keys()].join() !== before;
  }

  return {
    keyOf: (provider) => env[`${provider.toUpperCase()}_API_KEY`] || stored.get(provider),
    providers: () => providers,
    values: () => [...stored.values(), ...ENV_KEYS.flatMap((name) => env[name] ?? [])],
    watch(onChange) {
      const again = () => {
        look()
          .then((changed) => (changed ? onChange() : undefined))
          .catch((error: unknown) => log.warn('secrets.yaml cannot be used', { error }));
      };
      again();
      timer = setInterval(again, everyMs);
      timer.unref();
    },
    close: () => clearInterval(timer),
  };
}

const ENV_KEYS = ['TAVILY_API_KEY', 'BRAVE_API_KEY'] as const;

/** `tavily: key` and `TAVILY_API_KEY: key` mean the same. */
async function parse(text: string): Promise<ReadonlyMap<string, string>> {
  if (text === '') return new Map();
  const { readYaml } = await import('../../kernel/yaml-text.ts');
  const entries = Object.entries((readYaml(text) ?? {}) as Record<string, unknown>);
  return new Map(
    entries.flatMap(([name, value]) =>
      typeof value === 'string' && value !== ''
        ? [[name.toLowerCase().replace(/_api_key$/, ''), value] as const]
        : [],
    ),
  );
}
