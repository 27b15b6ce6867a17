// `forward.mjs PORT HOST`: what comes to this port of the own loopback goes on to the same port of that host, as an ssh tunnel does it.
import { connect, createServer } from 'node:net';

const [port, host] = process.argv.slice(2);
createServer((near) => {
  const far = connect(Number(port), host);
  for (const each of [near, far]) {
    each.on('error', () => {});
    each.on('close', () => {
      near.destroy();
      far.destroy();
    });
  }
  near.pipe(far).pipe(near);
}).listen(Number(port), '127.0.0.1', () => process.stdout.write('ready\n'));
