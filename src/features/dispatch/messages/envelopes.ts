import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { canonicalJson } from '../../../kernel/canonical-json.ts';
import { readOrCreateSecret } from '../../../kernel/home.ts';
import { newId } from '../../../kernel/ids.ts';

/**
 * What was asked and answered, signed by the hub it went through: Ed25519 over the canonical form of RFC
 * 8785. The stored text is what was signed, so that it can be verified whenever it is read.
 */
export type RunEnvelope = Readonly<{
  v: 'biam-v1';
  task_id: string;
  message_id: string;
  parent_id?: string;
  correlation_id?: string;
  from: Address;
  to: Address;
  kind: EnvelopeKind;
  body: Readonly<{ text: string }>;
  hop_count: number;
  max_hops: number;
  trace: readonly string[];
  created_at: string;
  ttl_seconds: number;
  idempotency_key: string;
}>;

const ENVELOPE_KINDS = ['prompt', 'reply', 'clarification', 'result', 'error', 'cancel'] as const;
export type EnvelopeKind = (typeof ENVELOPE_KINDS)[number];

type Address = Readonly<{ host_id: string; instance_id: string }>;

type NewEnvelope = Readonly<{
  runId: string;
  kind: EnvelopeKind;
  text: string;
  from: string;
  to: string;
  hops: number;
  /** What this one was sent because of: it lives no longer, and where it came through is remembered. */
  above?: RunEnvelope | undefined;
  /** The sender's own name for it. */
  key?: string | undefined;
  at: number;
}>;

/** `by` is the public key that proves it. */
export type Signed = Readonly<{
  id: string;
  runId: string;
  kind: EnvelopeKind;
  text: string;
  signature: string;
  by: string;
}>;

export interface HubIdentity {
  /** `ed25519:` and the public key as hex. */
  readonly publicKey: string;
  seal(envelope: NewEnvelope): Signed;
  /**
   * The envelope, or undefined when the text is not what this hub or one of the others signed, or is none
   * that it would sign.
   */
  open(text: string, signature: string, others?: readonly string[]): RunEnvelope | undefined;
}

const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const DAY_SECONDS = 86_400;
const MOST_TEXT = 64 * 1024;

/** The key is made when it is first needed. */
export function createIdentity(home: string, maxHops: number): HubIdentity {
  const host = hostname().replaceAll('.', '-');
  let key: KeyObject | undefined;
  const own = () => (key ??= privateKey(readOrCreateSecret(join(home, 'identity.ed25519'))));
  let shown: string | undefined;
  const publicKey = () => (shown ??= toText(createPublicKey(own())));

  return {
    get publicKey() {
      return publicKey();
    },
    seal({ runId, kind, text, from, to, hops, above, key: given, at }) {
      const id = newId();
      const sender = { host_id: host, instance_id: from };
      const envelope: RunEnvelope = {
        v: 'biam-v1',
        task_id: runId,
        message_id: id,
        ...(above && {
          parent_id: above.message_id,
          correlation_id: above.correlation_id ?? above.task_id,
        }),
        from: sender,
        to: { host_id: host, instance_id: to },
        kind,
        body: { text: text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}[… cut]` : text },
        hop_count: hops,
        max_hops: maxHops,
        trace: [...(above?.trace ?? []), `${host}/${from}`],
        created_at: new Date(at).toISOString(),
        ttl_seconds: above ? Math.max(0, Math.floor((expiryOf(above) - at) / 1000)) : DAY_SECONDS,
        idempotency_key: given ?? id,
      };
      const canonical = canonicalJson(envelope);
      return {
        id,
        runId,
        kind,
        text: canonical,
        signature: `ed25519:${sign(null, Buffer.from(canonical), own()).toString('hex')}`,
        by: publicKey(),
      };
    },
    open(text, signature, others = []) {
      const bytes = Buffer.from(signature.replace(/^ed25519:/, ''), 'hex');
      const isBy = (signer: KeyObject) => verify(null, Buffer.from(text), signer, bytes);
      if (bytes.length !== 64) return undefined;
      if (!isBy(createPublicKey(own())) && !others.some((other) => isBy(fromText(other)))) return undefined;
      const envelope = JSON.parse(text) as RunEnvelope;
      const isOurs = envelope.v === 'biam-v1' && canonicalJson(envelope) === text;
      return isOurs && envelope.hop_count <= envelope.max_hops ? envelope : undefined;
    },
  };
}

function toText(key: KeyObject): string {
  return `ed25519:${Buffer.from(key.export({ format: 'jwk' }).x!, 'base64url').toString('hex')}`;
}

function fromText(text: string): KeyObject {
  const x = Buffer.from(text.replace(/^ed25519:/, ''), 'hex').toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}

/** From then on nothing is done because of it. */
export function expiryOf({ created_at: at, ttl_seconds: seconds }: RunEnvelope): number {
  return Date.parse(at) + seconds * 1000;
}

function privateKey(seed: string): KeyObject {
  return createPrivateKey({
    key: Buffer.concat([PKCS8, Buffer.from(seed.slice(0, 64), 'hex')]),
    format: 'der',
    type: 'pkcs8',
  });
}
