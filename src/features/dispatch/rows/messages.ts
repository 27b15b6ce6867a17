import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import type { EnvelopeKind, Signed } from '../messages/envelopes.ts';

export type StoredEnvelope = Readonly<{
  id: string;
  kind: EnvelopeKind;
  envelope: string;
  signature: string;
  createdAt: number;
}>;

export async function insertMessage(tx: Tx, { runId, id, kind, text, signature, by }: Signed): Promise<void> {
  await tx.run(sql`insert into run_signers (verifier) values (${by}) on conflict do nothing`);
  await tx.run(sql`
    insert into run_messages (run_id, id, kind, envelope, signature, created_at)
    values (${runId}, ${id}, ${kind}, ${text}, ${signature}, ${tx.now})`);
}

export function messagesOf(q: Query, runId: string, limit: number): Promise<StoredEnvelope[]> {
  return q.all<StoredEnvelope>(sql`
    select id, kind, envelope, signature, created_at as "createdAt"
    from run_messages
    where run_id = ${runId}
    order by id
    limit ${limit}`);
}

/** The public keys of all hubs that ever signed here. */
export async function listSigners(q: Query): Promise<string[]> {
  const signers = await q.all<{ verifier: string }>(sql`select verifier from run_signers order by verifier`);
  return signers.map(({ verifier }) => verifier);
}

export async function countMessages(q: Query, runId: string): Promise<number> {
  return (await q.get<{ n: number }>(sql`select count(*) as n from run_messages where run_id = ${runId}`))!.n;
}
