import { once } from 'node:events';
import { resolveConfig } from './kernel/config.ts';
import { type Context, signalOf } from './kernel/context.ts';
import { HubError } from './kernel/errors.ts';
import { readListenAddress } from './kernel/listen-address.ts';
import { checkTokenFile } from './kernel/token-file.ts';

/**
 * The gateway for programs, under the names its document gives the options. Home and database come from the
 * environment.
 */
export type HTTPOptions = Readonly<{
  /** `host:port`, or `:port` for every address of the machine. */
  Listen: string;
  /** A file with the bearer token that only its owner can read; needed unless `NoAuth` is set. */
  TokenFile?: string;
  /** Serves MCP at /mcp as well. */
  MCPHTTP?: boolean;
  /** Asks nobody for a token; refused beyond loopback. */
  NoAuth?: boolean;
  /** Called once it can be reached: the only way to learn which port `:0` became. */
  OnListen?: (address: string) => void;
}>;

/** Resolves when the context says stop and everything is put away; rejects when it could not start. */
export async function serveHttp(context: Context, options: HTTPOptions): Promise<void> {
  const signal = signalOf(context);
  const { TokenFile, MCPHTTP = false, NoAuth = false, OnListen } = options;
  const { host, port } = readListenAddress(options.Listen, 'Listen');
  if (!NoAuth) checkTokenFile(requireTokenFile(TokenFile));
  const flags = {
    '--host': host,
    '--port': port,
    '--no-auth': String(NoAuth),
    ...(!NoAuth && { '--token-file': TokenFile }),
  };
  const config = await resolveConfig({ flags, env: process.env });
  if (signal?.aborted) return;
  const { createHub } = await import('./app.ts');
  const gateway = { mcpHttp: MCPHTTP, isOpenToAll: false, isTokenFileNamed: !NoAuth };
  const hub = await createHub({ ...config, gateway }, 'public');
  try {
    OnListen?.(hub.address);
    if (!signal) await new Promise(() => {});
    else if (!signal.aborted) await once(signal, 'abort');
  } finally {
    await hub.close();
  }
}

function requireTokenFile(path: string | undefined): string {
  if (path) return path;
  throw new HubError('invalid', 'TokenFile is needed unless NoAuth is set.', {
    hint: 'InitTokenFile makes one.',
  });
}
