import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import { number, type RecordOf, table, text } from '../../../store/table.ts';
import type { EnvelopeKind, Signed } from '../messages/envelopes.ts';

const messages = table('run_messages', {
  runId: text(),
  id: text(),
  kind: text<EnvelopeKind>(),
  envelope: text(),
  signature: text(),
  createdAt: number(),
});
const envelopes = messages.only('id', 'kind', 'envelope', 'signature', 'createdAt');
export type StoredEnvelope = Readonly<RecordOf<typeof envelopes.fields>>;

export async function insertMessage(
  tx: Tx,
  { runId, id, kind, text: envelope, signature, by }: Signed,
): Promise<void> {
  await tx.run(sql`insert into run_signers (verifier) values (${by}) on conflict do nothing`);
  await messages.insert(tx, { runId, id, kind, envelope, signature, createdAt: tx.now });
}

export function messagesOf(q: Query, runId: string, limit: number): Promise<StoredEnvelope[]> {
  return envelopes.list(q, sql`where run_id = ${runId} order by id limit ${limit}`);
}

/** The public keys of all hubs that ever signed here. */
export async function listSigners(q: Query): Promise<string[]> {
  const signers = await q.all<{ verifier: string }>(sql`select verifier from run_signers order by verifier`);
  return signers.map(({ verifier }) => verifier);
}

export function countMessages(q: Query, runId: string): Promise<number> {
  return messages.count(q, sql`where run_id = ${runId}`);
}
