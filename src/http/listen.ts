import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { HubError } from '../kernel/errors.ts';

/** Binds the first port of the list that is free and answers which one it was. */
export async function listenOn(
  app: FastifyInstance,
  host: string,
  ports: readonly number[],
): Promise<number> {
  await app.ready();
  for (const port of ports) {
    try {
      await new Promise<void>((resolve, reject) => {
        app.server.once('error', reject);
        app.server.listen({ host, port }, () => {
          app.server.off('error', reject);
          resolve();
        });
      });
      return (app.server.address() as AddressInfo).port;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw cannotListen(host, port, error);
    }
  }
  throw allTaken(host, ports);
}

function allTaken(host: string, ports: readonly number[]): HubError {
  const which =
    ports.length === 1
      ? `Port ${ports[0]} on ${host} is taken`
      : `The ports ${ports[0]} to ${ports.at(-1)} on ${host} are all taken`;
  return new HubError('unavailable', `${which}. Choose another with --port, or --port 0 for any free one.`, {
    host,
    ports,
  });
}

function cannotListen(host: string, port: number, error: unknown): HubError {
  const reason = (error as NodeJS.ErrnoException).code ?? 'unknown reason';
  return new HubError(
    'unavailable',
    `The hub cannot listen on ${host}:${port} (${reason}). Check --host and --port.`,
    { host, port },
  ).because(error);
}
