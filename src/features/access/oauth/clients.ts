import { z } from 'zod';
import { HubError } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import { systemActor } from '../../../kernel/principal.ts';
import { redact } from '../../../kernel/redact.ts';
import { createWindows } from '../../../kernel/windows.ts';
import { replaceUnseen } from '../../../kernel/unseen.ts';
import type { Database, Tx } from '../../../store/database.ts';
import { fetchDocument } from './documents.ts';
import { clientById, countClients, forgetOldestUnused, forgetUnusedClients, insertClient } from './rows.ts';
import { isRedirectUri } from './proofs.ts';

/** Who asks for access: registered here, or described by the document its id is the address of. */
export type OAuthClient = Readonly<{ id: string; name: string; redirectUris: readonly string[] }>;

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** Of each address: nobody who registers too often keeps others from it. */
const PER_MINUTE = 20;
const MOST = 2_000;

const name = z.string().trim().min(1).max(200);
const metadata = z.looseObject({
  client_name: name.optional(),
  redirect_uris: z.array(z.string().refine(isRedirectUri)).min(1).max(20),
  token_endpoint_auth_method: z.string().optional(),
  grant_types: z.array(z.string()).optional(),
  response_types: z.array(z.string()).optional(),
});

export type RegisterOutcome = Readonly<
  { kind: 'made'; client: OAuthClient } | { kind: 'wrong'; why: string } | { kind: 'too_many' }
>;

/** RFC 7591. Public clients only: whatever they ask for, they get no secret. */
export function createRegistration(db: Database): (from: string, body: unknown) => Promise<RegisterOutcome> {
  const recent = createWindows(MINUTE);
  return async (from, body) => {
    const wanted = readWanted(body);
    if ('kind' in wanted) return wanted;
    if (!recent.take(from, PER_MINUTE)) return { kind: 'too_many' };
    return db.write(systemActor, (tx) => register(tx, wanted));
  };
}

type Wanted = Omit<OAuthClient, 'id'>;

function readWanted(body: unknown): Wanted | RegisterOutcome {
  const parsed = metadata.safeParse(body);
  if (!parsed.success) {
    return {
      kind: 'wrong',
      why: 'redirect_uris must be https, loopback http or application addresses, without a fragment',
    };
  }
  const { client_name: given = 'An unnamed client', redirect_uris: redirectUris } = parsed.data;
  return { name: plain(given), redirectUris };
}

async function register(tx: Tx, wanted: Wanted): Promise<RegisterOutcome> {
  await tx.lock('oauth:register');
  await forgetUnusedClients(tx, tx.now - DAY);
  if ((await countClients(tx)) >= MOST && (await forgetOldestUnused(tx)) === 0) return { kind: 'too_many' };
  const client = { id: `cid_${newId()}`, ...wanted };
  await insertClient(tx, client);
  tx.emit({ kind: 'oauth.client_registered', subject: client.id, realm: 'hub' });
  return { kind: 'made', client };
}

const document = metadata.extend({ client_id: z.string() });

export type FindParts = Readonly<{ db: Database; isLoopback: boolean }>;

/** Undefined for a client nobody knows; throws `invalid` for a document that cannot be used. */
export async function findClient(
  { db, isLoopback }: FindParts,
  id: string,
): Promise<OAuthClient | undefined> {
  if (!isDocumentId(id, isLoopback)) {
    return db.read((q) => clientById(q, id));
  }
  const parsed = document.safeParse(await fetchDocument(new URL(id), isLoopback));
  if (!parsed.success || parsed.data.client_id !== id) {
    throw new HubError(
      'invalid',
      'The document of this client does not describe it: its client_id must be its own address.',
    );
  }
  const { client_name: given = new URL(id).hostname, redirect_uris: redirectUris } = parsed.data;
  return { id, name: plain(given), redirectUris };
}

/** An https address with a path; on a hub that is itself on loopback, a loopback one as well. */
function isDocumentId(id: string, isLoopback: boolean): boolean {
  if (id.length > 2_000 || !/^https?:\/\//.test(id) || !URL.canParse(id)) return false;
  const { protocol, pathname, hash, username, hostname } = new URL(id);
  if (pathname === '/' || hash !== '' || username !== '') return false;
  return protocol === 'https:' || (isLoopback && hostname === '127.0.0.1');
}

/** On one line, and nothing that turns the direction of what stands around it. */
function plain(text: string): string {
  return (
    replaceUnseen(redact(text), () => ' ')
      .replace(/ {2,}/g, ' ')
      .trim() || 'An unnamed client'
  );
}
