import type { Page, PageAnswer, PageRequest } from '../../../http/route.ts';
import { systemActor } from '../../../kernel/principal.ts';
import type { Database, Tx } from '../../../store/database.ts';
import { digestOf } from '../rules.ts';
import { json, oauthError } from './html.ts';
import * as rows from './rows.ts';
import { isProof, LIVES, mint, readResource, readScope } from './proofs.ts';

/** What came of a grant. A refusal that ends a family is an outcome, not an exception: its transaction must commit. */
type Outcome = Readonly<
  | { kind: 'issued'; access: string; refresh: string; scope: rows.Scope }
  | { kind: 'refused'; error: string; why: string }
>;

export function tokenPages(db: Database): readonly Page[] {
  return [
    { method: 'POST', path: '/oauth/token', handle: (request) => grant(db, request) },
    { method: 'POST', path: '/oauth/revoke', handle: (request) => revoke(db, request) },
  ];
}

async function grant(db: Database, { form, headers }: PageRequest): Promise<PageAnswer> {
  if ([...new Set(form.keys())].some((name) => form.getAll(name).length > 1))
    return oauthError('invalid_request', 'a parameter was given twice');
  if (headers.authorization !== undefined || form.has('client_secret')) {
    return oauthError('invalid_client', 'clients are public here and authenticate with client_id alone', 401);
  }
  const type = form.get('grant_type');
  if (type !== 'authorization_code' && type !== 'refresh_token') {
    return type === null
      ? oauthError('invalid_request', 'grant_type is required')
      : oauthError('unsupported_grant_type', 'use authorization_code or refresh_token');
  }
  const outcome = await db.write(systemActor, async (tx) => {
    const granted = await (type === 'refresh_token' ? byRefresh(tx, form) : byCode(tx, form));
    const isStranger = granted.kind === 'refused' && (await isForgotten(tx, form.get('client_id')));
    // Who is told so registers again; `invalid_grant` alone would bring it back with the same id.
    return isStranger && granted.error === 'invalid_grant'
      ? refused('invalid_client', 'nobody registered this client here')
      : granted;
  });
  if (outcome.kind === 'refused')
    return oauthError(outcome.error, outcome.why, outcome.error === 'invalid_client' ? 401 : 400);
  return json(200, {
    access_token: outcome.access,
    token_type: 'Bearer',
    expires_in: LIVES.access / 1000,
    refresh_token: outcome.refresh,
    scope: outcome.scope,
  });
}

/** An id that is no address of a document was given out here, or by nobody. */
async function isForgotten(tx: Tx, clientId: string | null): Promise<boolean> {
  if (clientId === null || /^https?:/.test(clientId)) return false;
  return (await rows.clientById(tx, clientId)) === undefined;
}

async function byCode(tx: Tx, form: URLSearchParams): Promise<Outcome> {
  const [code, clientId, verifier] = ['code', 'client_id', 'code_verifier'].map((name) => form.get(name));
  if (!code || !clientId || !verifier)
    return refused('invalid_request', 'code, client_id and code_verifier are required');
  const hash = digestOf(code);
  const no = refused('invalid_grant', 'this code is not valid');
  const facts = await rows.codeByHash(tx, hash);
  // Another client's failure is nothing to the one the code was made for, and tells that other client nothing.
  if (!facts || facts.clientId !== clientId) return no;
  // Shown before: whoever showed it first may have stolen it, so what came of it ends.
  if (facts.usedAt !== null) return replayed(tx, facts, no);
  const redirectUri = form.get('redirect_uri');
  if (facts.expiresAt <= tx.now || (redirectUri !== null && redirectUri !== facts.redirectUri)) return no;
  if (!isProof(verifier, facts.challenge)) return no;
  const problem = resourceProblem(form, facts.resource);
  if (problem) return problem;
  return (await rows.spendCode(tx, hash)) ? issue(tx, facts) : replayed(tx, facts, no);
}

async function byRefresh(tx: Tx, form: URLSearchParams): Promise<Outcome> {
  const [text, clientId] = ['refresh_token', 'client_id'].map((name) => form.get(name));
  if (!text || !clientId) return refused('invalid_request', 'refresh_token and client_id are required');
  const hash = digestOf(text);
  const facts = await rows.refreshByHash(tx, hash);
  const no = refused('invalid_grant', 'this refresh token is not valid');
  if (!facts || facts.clientId !== clientId) return no;
  if (facts.usedAt !== null || facts.revokedAt !== null) return replayed(tx, facts, no);
  if (facts.expiresAt <= tx.now) return no;
  const asked = form.get('scope');
  const scope = asked === null ? facts.scope : readScope(asked);
  if (!scope || (scope === 'full' && facts.scope !== 'full'))
    return refused('invalid_scope', 'a refresh cannot widen what was consented to');
  const problem = resourceProblem(form, facts.resource);
  if (problem) return problem;
  return (await rows.spendRefresh(tx, hash)) ? issue(tx, facts, scope) : replayed(tx, facts, no);
}

/** Shown a second time, or by two at once: one of them may be a thief, and which is not to be known. */
async function replayed(
  tx: Tx,
  family: Pick<rows.OAuthGrant, 'family' | 'being'>,
  answer: Outcome,
): Promise<Outcome> {
  await endFamily(tx, family);
  return answer;
}

/** RFC 8707: a token for what was consented to, and nothing else. */
function resourceProblem(form: URLSearchParams, consented: string | null): Outcome | undefined {
  const asked = form.get('resource');
  if (asked === null || consented === null || readResource(asked)?.text === consented) return undefined;
  return refused('invalid_target', 'resource is not the one that was consented to');
}

/** RFC 6749, 6: a scope that was asked for once narrows that access token; the next refresh has all that was consented to. */
async function issue(tx: Tx, granted: rows.OAuthGrant, scope = granted.scope): Promise<Outcome> {
  const [access, refresh] = [mint('bto_'), mint('btr_')];
  await rows.insertTokens(tx, {
    access: { ...granted, scope, hash: access.hash, expiresAt: tx.now + LIVES.access },
    refresh: { ...granted, hash: refresh.hash, expiresAt: tx.now + LIVES.refresh },
  });
  tx.emit({
    kind: 'oauth.issued',
    subject: granted.being,
    realm: `being:${granted.being}`,
    data: { client: granted.clientId },
  });
  return { kind: 'issued', access: access.text, refresh: refresh.text, scope };
}

export async function endFamily(
  tx: Tx,
  { family, being }: Pick<rows.OAuthGrant, 'family' | 'being'>,
): Promise<void> {
  await rows.endFamily(tx, family);
  tellEnded(tx, being, family);
}

/** Every hub hears of it and ends what is under way. */
function tellEnded(tx: Tx, being: string, family: string): void {
  tx.emit({ kind: 'oauth.family_ended', subject: being, realm: `being:${being}`, data: { family } });
}

/** RFC 7009: whether there was anything to revoke is nobody's business. */
async function revoke(db: Database, { form }: PageRequest): Promise<PageAnswer> {
  const token = form.get('token');
  if (!token) return oauthError('invalid_request', 'token is required');
  const clientId = form.get('client_id');
  const isForeign = await db.write(systemActor, async (tx) => {
    const hash = digestOf(token);
    const refresh = await rows.refreshByHash(tx, hash);
    const access = refresh ? undefined : await rows.accessByHash(tx, hash);
    const owner = refresh?.clientId ?? access?.clientId;
    if (clientId !== null && owner !== undefined && owner !== clientId) return true;
    if (refresh) await endFamily(tx, refresh);
    else if (access && (await rows.revokeAccess(tx, hash)) > 0) tellEnded(tx, access.being, access.family);
    return false;
  });
  return isForeign
    ? oauthError('invalid_client', 'this token was issued to another client', 401)
    : json(200, {});
}

function refused(error: string, why: string): Outcome {
  return { kind: 'refused', error, why };
}
