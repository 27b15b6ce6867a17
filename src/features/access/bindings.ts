import { createHash, createHmac } from 'node:crypto';
import { HubError } from '../../kernel/errors.ts';
import type { Binding } from '../../kernel/principal.ts';
import { type KeySource, keyOf } from '../../kernel/signing-key.ts';
import { isReservedName } from '../../kernel/reserved-names.ts';
import { excerpt } from '../../kernel/redact.ts';
import { URL_ID } from './credentials.ts';
import { isSameDigest } from './rules.ts';

/**
 * The scope parameters of an attach URL. On loopback they bind unsigned, as documented: a convenience that keeps honest
 * agents apart. A signature makes them proof, and a signature that does not fit is refused, never ignored.
 */
const BINDING_PARAMS = [
  'scopeTeamId',
  'scopeAgentId',
  'scopeTenantId',
  'roomTeamId',
  'postAuthorAgentId',
] as const;
type BindingParam = (typeof BINDING_PARAMS)[number];

const SIGNATURE_PARAM = 'scopeSig';
/** Until when a signature holds, in seconds since the epoch; signed with the rest. */
const EXPIRY_PARAM = 'scopeExp';

const DEFAULT_URL_LIFE_MS = 90 * 24 * 60 * 60_000;

type Proof = 'none' | 'unsigned' | 'signed';

export interface Bindings {
  /** The same parameters with their signature and the end of its life. */
  sign(params: URLSearchParams, lifeMs?: number): URLSearchParams;
  /** What a signed URL is known by, and when it runs out. */
  credentialOf(params: URLSearchParams): Readonly<{ id: string; until: number }>;
  /** How well the parameters are proven. Throws `forbidden` for a signature that is not ours. */
  prove(params: URLSearchParams): Proof;
}

export function createBindings(key: KeySource, now: () => number = Date.now): Bindings {
  const signatureOf = (params: URLSearchParams) => {
    const own = createHmac('sha256', keyOf(key)).update('holdfast attach url').digest();
    return createHmac('sha256', own).update(canonical(params)).digest('hex');
  };

  return {
    sign(params, lifeMs = DEFAULT_URL_LIFE_MS) {
      refuseReserved(params);
      const signed = new URLSearchParams(params);
      signed.set(EXPIRY_PARAM, String(Math.floor((now() + lifeMs) / 1_000)));
      signed.set(SIGNATURE_PARAM, signatureOf(signed));
      return signed;
    },
    prove(params) {
      const given = params.getAll(SIGNATURE_PARAM);
      const isBound = BINDING_PARAMS.some((name) => params.has(name));
      refuseMisspelt(params);
      refuseRepeated(params);
      if (given.length === 0 && params.has(EXPIRY_PARAM)) throw wrongSignature();
      if (given.length === 0) return isBound ? 'unsigned' : 'none';
      refuseReserved(params);
      if (!isBound || given.length > 1 || !isSameDigest(given[0]!, signatureOf(params)))
        throw wrongSignature();
      if (expiryOf(params) <= now()) throw expired();
      return 'signed';
    },
    credentialOf(params) {
      const digest = createHash('sha256')
        .update(params.get(SIGNATURE_PARAM) ?? '')
        .digest('hex');
      return { id: `${URL_ID}${digest.slice(0, 32)}`, until: expiryOf(params) };
    },
  };
}

/** Who the parameters say the caller is; every server reads its own part of the same facts. */
export function bindingOf(params: URLSearchParams): Binding {
  const pick = (...names: BindingParam[]) =>
    names.map((name) => params.get(name)).find((value) => value !== null && value !== '');
  const facts = {
    team: pick('scopeTeamId', 'roomTeamId'),
    agent: pick('scopeAgentId', 'postAuthorAgentId'),
    tenant: pick('scopeTenantId'),
  };
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}

/** A signature would prove that an agent is the person, or the hub. */
function refuseReserved(params: URLSearchParams): void {
  const { agent } = bindingOf(params);
  if (agent !== undefined && isReservedName(agent))
    throw new HubError(
      'invalid',
      `An attach URL cannot bind ${JSON.stringify(excerpt(agent, 60))}: that name means somebody already.`,
    );
}

/** A signature without an end is one that nobody makes any more: it has ended. */
function expiryOf(params: URLSearchParams): number {
  const seconds = params.get(EXPIRY_PARAM) ?? '';
  return /^\d{1,12}$/.test(seconds) ? Number(seconds) * 1_000 : 0;
}

/** Length-prefixed, so that no value can pretend to be two. */
function canonical(params: URLSearchParams): string {
  return [...BINDING_PARAMS, EXPIRY_PARAM]
    .filter((name) => params.has(name))
    .map((name) => `${name}:${Buffer.byteLength(params.get(name)!)}:${params.get(name)}`)
    .join('\n');
}

/** Readers take the first of two values; which one was meant cannot be known. */
function refuseRepeated(params: URLSearchParams): void {
  const repeated = [...BINDING_PARAMS, EXPIRY_PARAM].find((name) => params.getAll(name).length > 1);
  if (repeated)
    throw new HubError('invalid', `The attach URL gives ${repeated} more than once.`, {
      parameter: repeated,
    });
}

const bare = (name: string): string =>
  name
    .toLowerCase()
    .replace(/\[.*$/s, '')
    .replace(/[^a-z0-9]/g, '');
const SPELLINGS = new Map(
  [...BINDING_PARAMS, SIGNATURE_PARAM, EXPIRY_PARAM].map((name) => [bare(name), name]),
);
/** Names that can only be meant to bind. */
const MEANT_TO_BIND = /^(?:scope|roomteam|postauthor)/;

/** `scopeTeamID` and `scopeTeamId[]` mean a team; taken for nothing, they would open every team's things. */
function refuseMisspelt(params: URLSearchParams): void {
  for (const name of params.keys()) {
    const meant = SPELLINGS.get(bare(name));
    if (meant === name || (meant === undefined && !MEANT_TO_BIND.test(bare(name)))) continue;
    const shown = JSON.stringify(name.slice(0, 60));
    const right =
      meant === undefined ? `known are ${BINDING_PARAMS.join(', ')}` : `the parameter is ${meant}`;
    throw new HubError('invalid', `The attach URL gives ${shown}; ${right}.`, {
      parameter: name.slice(0, 60),
    });
  }
}

function expired(): HubError {
  return new HubError('forbidden', 'This attach URL has expired.', {
    hint: 'Take a new attach URL from the hub.',
  });
}

function wrongSignature(): HubError {
  return new HubError('forbidden', 'The signature of this attach URL does not fit its scope parameters.', {
    signature: 'wrong',
    hint: 'Take a new attach URL from the hub; a signed one cannot be edited.',
  });
}
