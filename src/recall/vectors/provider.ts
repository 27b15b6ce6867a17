/** Something that turns text into vectors. Its id is the model's identity: vectors of different ids are never compared. */
export interface EmbeddingProvider {
  readonly id: string;
  /** One vector per text, all of one length. Rejects with a HubError when the endpoint fails or answers nonsense. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]>;
}

export type EmbeddingSettings = Readonly<{
  /** `auto`: Ollama when it answers, else OpenAI when there is a key, else none. */
  use: 'auto' | 'none' | 'ollama' | 'openai';
  ollamaUrl: string;
  ollamaModel: string;
  /** Any OpenAI-compatible base URL, up to and including `/v1`. */
  openaiUrl: string;
  openaiModel: string;
  openaiKey: string | undefined;
}>;

type Environment = Readonly<Record<string, string | undefined>>;

const DEFAULT_OPENAI = 'https://api.openai.com/v1';

/** A base URL of one's own needs no key, so naming one is enough to use it. */
export function embeddingSettings(env: Environment): EmbeddingSettings {
  const own = env['HOLDFAST_EMBEDDING_URL'];
  const use = env['HOLDFAST_EMBEDDING'];
  return {
    use: use === 'none' || use === 'ollama' || use === 'openai' ? use : own === undefined ? 'auto' : 'openai',
    ollamaUrl: env['OLLAMA_HOST'] ? withScheme(env['OLLAMA_HOST']) : 'http://127.0.0.1:11434',
    ollamaModel: env['HOLDFAST_EMBEDDING_MODEL'] ?? 'nomic-embed-text',
    openaiUrl: (own ?? DEFAULT_OPENAI).replace(/\/+$/, ''),
    openaiModel: env['HOLDFAST_EMBEDDING_MODEL'] ?? 'text-embedding-3-small',
    // A key for OpenAI is not for whoever else was named.
    openaiKey: env['HOLDFAST_EMBEDDING_KEY'] ?? (own === undefined ? env['OPENAI_API_KEY'] : undefined),
  };
}

function withScheme(host: string): string {
  return (/^https?:\/\//.test(host) ? host : `http://${host}`).replace(/\/+$/, '');
}
