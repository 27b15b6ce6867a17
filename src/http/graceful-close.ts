import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** How long running requests may take to finish when the hub stops. */
const GRACE_MS = 5_000;
/** Between two looks for connections that nobody uses any more. */
const SWEEP_MS = 25;

/** Prepares an app to be closed. The answer closes it: running requests finish, connections that wait for nothing end at once. */
export function prepareClosing(app: FastifyInstance): () => Promise<void> {
  const endSilent = watchSilent(app.server);
  return async () => {
    // Connections that fall idle only now would hold the server open for their keep-alive time.
    const sweep = setInterval(() => {
      app.server.closeIdleConnections();
      endSilent();
    }, SWEEP_MS);
    const force = setTimeout(() => app.server.closeAllConnections(), GRACE_MS);
    try {
      await app.close();
    } finally {
      clearInterval(sweep);
      clearTimeout(force);
    }
  };
}

/** A connection on which nothing was ever said is not idle to node: it waits for the first request. */
function watchSilent(server: Server): () => void {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return () => {
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  };
}
