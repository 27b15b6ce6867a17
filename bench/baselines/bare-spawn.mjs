// Starts a program per request and waits for its end, the plain way.
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';

const server = createServer((req, res) => {
  req.resume().on('end', () => {
    const child = spawn('true', [], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.resume();
    child.stderr.resume();
    child.on('close', () => res.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
  });
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
process.on('SIGTERM', () => process.exit(0));
