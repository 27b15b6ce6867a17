import { createHmac } from 'node:crypto';
import { HubError } from '../../kernel/errors.ts';
import type { Binding } from '../../kernel/principal.ts';
import { isReservedName } from '../../kernel/reserved-names.ts';
import { isSameDigest } from './rules.ts';

/**
 * The scope parameters of an attach URL. On loopback they bind unsigned, as documented: a convenience that keeps honest
 * agents apart. A signature makes them proof, and a signature that does not fit is refused, never ignored.
 */
export const BINDING_PARAMS = ['scopeTeamId', 'scopeAgentId', 'scopeTenantId', 'roomTeamId', 'postAuthorAgentId'] as const;
export type BindingParam = (typeof BINDING_PARAMS)[number];

export const SIGNATURE_PARAM = 'scopeSig';

export type Proof = 'none' | 'unsigned' | 'signed';

export interface Bindings {
  /** The same parameters with their signature. */
  sign(params: URLSearchParams): URLSearchParams;
  /** How well the parameters are proven. Throws `forbidden` for a signature that is not ours. */
  prove(params: URLSearchParams): Proof;
}

export function createBindings(key: Uint8Array): Bindings {
  const own = createHmac('sha256', key).update('holdfast attach url').digest();
  const signatureOf = (params: URLSearchParams) => createHmac('sha256', own).update(canonical(params)).digest('hex');

  return {
    sign(params) {
      refuseReserved(params);
      const signed = new URLSearchParams(params);
      signed.set(SIGNATURE_PARAM, signatureOf(params));
      return signed;
    },
    prove(params) {
      const given = params.getAll(SIGNATURE_PARAM);
      const isBound = BINDING_PARAMS.some((name) => params.has(name));
      refuseMisspelt(params);
      refuseRepeated(params);
      if (given.length === 0) return isBound ? 'unsigned' : 'none';
      refuseReserved(params);
      if (!isBound || given.length > 1 || !isSameDigest(given[0]!, signatureOf(params))) throw wrongSignature();
      return 'signed';
    },
  };
}

/** Who the parameters say the caller is; every server reads its own part of the same facts. */
export function bindingOf(params: URLSearchParams): Binding {
  const pick = (...names: BindingParam[]) => names.map((name) => params.get(name)).find((value) => value !== null && value !== '');
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
    throw new HubError('invalid', `An attach URL cannot bind ${JSON.stringify(agent.slice(0, 60))}: that name means somebody already.`);
}

/** Length-prefixed, so that no value can pretend to be two. */
function canonical(params: URLSearchParams): string {
  return BINDING_PARAMS.filter((name) => params.has(name))
    .map((name) => `${name}:${Buffer.byteLength(params.get(name)!)}:${params.get(name)}`)
    .join('\n');
}

/** Readers take the first of two values; which one was meant cannot be known. */
function refuseRepeated(params: URLSearchParams): void {
  const repeated = BINDING_PARAMS.find((name) => params.getAll(name).length > 1);
  if (repeated) throw new HubError('invalid', `The attach URL gives ${repeated} more than once.`, { parameter: repeated });
}

const bare = (name: string): string =>
  name
    .toLowerCase()
    .replace(/\[.*$/s, '')
    .replace(/[^a-z0-9]/g, '');
const SPELLINGS = new Map([...BINDING_PARAMS, SIGNATURE_PARAM].map((name) => [bare(name), name]));
/** Names that can only be meant to bind. */
const MEANT_TO_BIND = /^(?:scope|roomteam|postauthor)/;

/** `scopeTeamID` and `scopeTeamId[]` mean a team; taken for nothing, they would open every team's things. */
function refuseMisspelt(params: URLSearchParams): void {
  for (const name of params.keys()) {
    const meant = SPELLINGS.get(bare(name));
    if (meant === name || (meant === undefined && !MEANT_TO_BIND.test(bare(name)))) continue;
    const shown = JSON.stringify(name.slice(0, 60));
    const right = meant === undefined ? `known are ${BINDING_PARAMS.join(', ')}` : `the parameter is ${meant}`;
    throw new HubError('invalid', `The attach URL gives ${shown}; ${right}.`, { parameter: name.slice(0, 60) });
  }
}

function wrongSignature(): HubError {
  return new HubError('forbidden', 'The signature of this attach URL does not fit its scope parameters.', {
    hint: 'Take a new attach URL from the hub; a signed one cannot be edited.',
  });
}
