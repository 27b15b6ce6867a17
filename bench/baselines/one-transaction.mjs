// The same rows in the same tables the obvious way: one transaction with its own fsync per request, behind bare node:http.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { board } from '../../src/store/migrations/baseline/board.ts';
import { ground } from '../../src/store/migrations/baseline/ground.ts';
import { spell } from '../../src/store/migrations/spell.ts';

const db = new BetterSqlite3(join(process.env.HOLDFAST_HOME, 'baseline.db'));
db.pragma('journal_mode = wal');
db.pragma('synchronous = full');
if (db.pragma('synchronous', { simple: true }) !== 2) throw new Error('the baseline would not be durable');
db.exec(spell(ground + board, 'sqlite'));

const task = db.prepare(
  'insert into tasks (id, title, status, created_at, updated_at, claim_order) values (@id, @title, @status, @now, @now, @now)',
);
const event = db.prepare(
  `insert into events (seq, at, kind, subject, realm, actor, asserted, hub, data)
   values ((select value from counters where name = 'events'), @now, 'task.created', @id, 'hub', 'local', 0, 'baseline', '{}')`,
);
const count = db.prepare("update counters set value = value + 1 where name = 'events'");
const create = db.transaction((row) => {
  task.run(row);
  count.run();
  event.run(row);
});

const server = createServer((req, res) => {
  const chunks = [];
  req.on('data', (chunk) => chunks.push(chunk));
  req.on('end', () => {
    const { id, params } = JSON.parse(Buffer.concat(chunks).toString());
    const row = { id: randomUUID(), title: params.arguments.title, status: 'todo', now: Date.now() };
    create(row);
    const content = [{ type: 'text', text: JSON.stringify(row) }];
    const text = JSON.stringify({ jsonrpc: '2.0', id, result: { content, structuredContent: row } });
    res
      .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
      .end(text);
  });
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
process.on('SIGTERM', () => process.exit(0));
