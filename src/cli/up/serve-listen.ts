import { HubError } from '../../kernel/errors.ts';
import { readListenAddress } from '../../kernel/listen-address.ts';
import { isLoopbackName } from '../../kernel/loopback.ts';
import { checkTokenFile } from '../../kernel/token-file.ts';
import { configFrom, type Options } from '../options.ts';
import { runUntilStopped } from './up.ts';
import type { World } from '../world.ts';

/** `serve --listen`: the hub as a bearer gateway. It terminates no TLS; that is for the proxy in front of it. */
export async function serveListen(world: World, options: Options): Promise<void> {
  const { listen, tokenFile, mcpHttp, iKnow, profile: _p, agent: _a, team: _t, ...settings } = options;
  const { host, port } = readListenAddress(String(listen), '--listen');
  if (settings['auth'] === false && tokenFile !== undefined)
    throw new HubError('invalid', '--no-auth and --token-file exclude each other.', {
      hint: 'Leave one of them out.',
    });
  const config = await configFrom(world, {
    ...settings,
    host,
    port,
    ...(tokenFile !== undefined && { tokenFile }),
  });
  if (config.noAuth) warnOfOpenDoor(world, host, iKnow === true);
  else if (tokenFile !== undefined || !world.env['HOLDFAST_TOKEN']) checkTokenFile(config.tokenFile);
  const gateway = {
    mcpHttp: mcpHttp === true,
    isOpenToAll: config.noAuth && iKnow === true,
    isTokenFileNamed: tokenFile !== undefined,
  };
  await runUntilStopped(world, { ...config, gateway }, options);
}

function warnOfOpenDoor(world: World, host: string, knows: boolean): void {
  if (!isLoopbackName(host) && !knows) {
    throw new HubError(
      'forbidden',
      `--no-auth on ${host} lets everyone who reaches this machine run tools on it.`,
      {
        hint: 'Use --token-file, listen on 127.0.0.1, or say --i-know if that is what you want.',
      },
    );
  }
  world.tell(
    `WARNING: no token is asked for on ${host}. Whoever reaches this port can use every tool of this hub.`,
  );
}
