// Server-sent events the plain way: one buffer per event, written to every socket.
import { createServer } from 'node:http';

const open = new Set();
let seq = 0;
const server = createServer((req, res) => {
  if (req.method === 'GET') {
    res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    res.write(': open\n\n');
    open.add(res);
    res.on('close', () => open.delete(res));
    return;
  }
  req.resume().on('end', () => {
    seq += 1;
    const data = JSON.stringify({
      seq,
      at: Date.now(),
      kind: 'task.created',
      subject: '01890000-0000-7000-8000-000000000000',
      realm: 'hub',
      data: { status: 'todo' },
    });
    const frame = Buffer.from(`id: ${seq}\nevent: task.created\ndata: ${data}\n\n`);
    for (const each of open) each.write(frame);
    res.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
process.on('SIGTERM', () => process.exit(0));
