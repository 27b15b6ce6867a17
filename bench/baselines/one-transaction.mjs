// A durable insert the obvious way: one transaction with its own fsync per request.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';

const db = new BetterSqlite3(join(process.env.HOLDFAST_HOME, 'baseline.db'));
db.pragma('journal_mode = wal');
db.pragma('synchronous = full');
db.exec(
  'create table tasks (id text primary key, title text, status text, created_at integer); create table events (seq integer primary key, kind text, subject text)',
);
const task = db.prepare('insert into tasks values (?, ?, ?, ?)');
const event = db.prepare('insert into events (kind, subject) values (?, ?)');
const create = db.transaction((id, title) => {
  task.run(id, title, 'todo', Date.now());
  event.run('task.created', id);
});
const server = createServer((req, res) => {
  const chunks = [];
  req.on('data', (chunk) => chunks.push(chunk));
  req.on('end', () => {
    const { id, params } = JSON.parse(Buffer.concat(chunks).toString());
    const key = randomUUID();
    create(key, params.arguments.title);
    const text = JSON.stringify({ jsonrpc: '2.0', id, result: { structuredContent: { id: key } } });
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }).end(text);
  });
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
process.on('SIGTERM', () => process.exit(0));
