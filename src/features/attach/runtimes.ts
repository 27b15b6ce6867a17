import { type Attachment, TOKEN_VARIABLE } from './attachment.ts';

/** Each client's own words for the same attachment: the entry it keeps per server, and where among its settings the entry stands. */
export const RUNTIMES = [
  'claude-code',
  'codex',
  'openclaw',
  'gemini',
  'opencode',
  'cursor',
  'vscode',
] as const;
export type Runtime = (typeof RUNTIMES)[number];

export function isRuntime(text: string): text is Runtime {
  return (RUNTIMES as readonly string[]).includes(text);
}

export type ClientEntry = Readonly<Record<string, unknown>>;

type Dialect = Readonly<{
  /** The path of keys under which entries stand in the client's settings. */
  under: readonly string[];
  /** Members of an entry over HTTP, and how the client writes a header whose value comes from the environment. */
  http(url: string): ClientEntry;
  token: ClientEntry;
  stdio?(command: string, args: readonly string[], env: Readonly<Record<string, string>>): ClientEntry;
}>;

const bearer = (reference: string): ClientEntry => ({ headers: { Authorization: `Bearer ${reference}` } });

const DIALECTS: Readonly<Record<Runtime, Dialect>> = {
  'claude-code': {
    under: ['mcpServers'],
    http: (url) => ({ type: 'http', url }),
    token: bearer(`\${${TOKEN_VARIABLE}}`),
    stdio: (command, args, env) => ({ type: 'stdio', command, args, env }),
  },
  codex: {
    under: ['mcp_servers'],
    http: (url) => ({ url }),
    token: { bearer_token_env_var: TOKEN_VARIABLE },
  },
  openclaw: {
    under: ['mcp', 'servers'],
    http: (url) => ({ url, transport: 'streamable-http' }),
    token: bearer(`\${${TOKEN_VARIABLE}}`),
  },
  gemini: { under: ['mcpServers'], http: (url) => ({ httpUrl: url }), token: bearer(`$${TOKEN_VARIABLE}`) },
  opencode: {
    under: ['mcp'],
    http: (url) => ({ type: 'remote', url, enabled: true }),
    token: bearer(`{env:${TOKEN_VARIABLE}}`),
    stdio: (command, args, environment) => ({
      type: 'local',
      command: [command, ...args],
      environment,
      enabled: true,
    }),
  },
  cursor: { under: ['mcpServers'], http: (url) => ({ url }), token: bearer(`\${env:${TOKEN_VARIABLE}}`) },
  vscode: {
    under: ['servers'],
    http: (url) => ({ type: 'http', url }),
    token: bearer(`\${env:${TOKEN_VARIABLE}}`),
    stdio: (command, args, env) => ({ type: 'stdio', command, args, env }),
  },
};

export function entryFor(runtime: Runtime, attachment: Attachment): ClientEntry {
  const dialect = DIALECTS[runtime];
  if (attachment.transport === 'http')
    return { ...dialect.http(attachment.url), ...(attachment.needsToken && dialect.token) };
  const { command, args, env } = attachment;
  return dialect.stdio ? dialect.stdio(command, args, env) : { command, args, env };
}

export function settingsPath(runtime: Runtime): readonly string[] {
  return DIALECTS[runtime].under;
}
