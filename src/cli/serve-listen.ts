import { statSync, readFileSync } from 'node:fs';
import { shellWord } from '../features/attach/quoting.ts';
import { HubError } from '../kernel/errors.ts';
import { isLoopbackName } from '../kernel/loopback.ts';
import { configFrom, type Options } from './options.ts';
import { runUntilStopped } from './up.ts';
import type { World } from './world.ts';

/** `serve --listen`: the hub as a bearer gateway. It terminates no TLS; that is for the proxy in front of it. */
export async function serveListen(world: World, options: Options): Promise<void> {
  const { listen, tokenFile, mcpHttp, iKnow, profile: _p, agent: _a, team: _t, ...settings } = options;
  const { host, port } = addressOf(String(listen));
  if (settings['auth'] === false && tokenFile !== undefined)
    throw new HubError('invalid', '--no-auth and --token-file exclude each other.', { hint: 'Leave one of them out.' });
  const config = await configFrom(world, { ...settings, host, port, ...(tokenFile !== undefined && { tokenFile }) });
  if (config.noAuth) warnOfOpenDoor(world, host, iKnow === true);
  else if (tokenFile !== undefined || !world.env['HOLDFAST_TOKEN']) checkTokenFile(config.tokenFile);
  const gateway = {
    mcpHttp: mcpHttp === true,
    isOpenToAll: config.noAuth && iKnow === true,
    isTokenFileNamed: tokenFile !== undefined,
  };
  await runUntilStopped(world, { ...config, gateway }, options);
}

/** `:8080` is every address of the machine, as other servers read it. */
export function addressOf(listen: string): Readonly<{ host: string; port: string }> {
  const [, inBrackets, plain, port] = /^(?:\[([0-9a-f:.]+)\]|([\w.-]*)):(\d{1,5})$/i.exec(listen) ?? [];
  if (port === undefined) throw new HubError('invalid', `--listen must look like 127.0.0.1:8080 or :8080; got ${JSON.stringify(listen)}.`);
  return { host: inBrackets ?? (plain || '0.0.0.0'), port };
}

function warnOfOpenDoor(world: World, host: string, knows: boolean): void {
  if (!isLoopbackName(host) && !knows) {
    throw new HubError('forbidden', `--no-auth on ${host} lets everyone who reaches this machine run tools on it.`, {
      hint: 'Use --token-file, listen on 127.0.0.1, or say --i-know if that is what you want.',
    });
  }
  world.tell(`WARNING: no token is asked for on ${host}. Whoever reaches this port can use every tool of this hub.`);
}

/** The token is as good as a login: a file that is missing, blank or open to others is refused, and the way out is named. */
function checkTokenFile(path: string): void {
  const make = { path, hint: `Make one with \`holdfast serve init-token ${shellWord(path)}\`.` };
  let mode: number;
  let text: string;
  try {
    mode = statSync(path).mode;
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new HubError('invalid', `The token file ${path} cannot be read (${code ?? 'unknown reason'}).`, make, error);
  }
  if (text === '') throw new HubError('invalid', `The token file ${path} is empty.`, make);
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw new HubError('invalid', `Others can read the token file ${path} (mode ${(mode & 0o777).toString(8)}).`, {
      path,
      hint: `Mend it with \`chmod 600 ${shellWord(path)}\`, and make a new token if others may have seen it.`,
    });
  }
}
