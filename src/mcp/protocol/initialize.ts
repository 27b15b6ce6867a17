import { isObject } from '../../kernel/loose-json.ts';
import { type Abilities, readAbilities } from './abilities.ts';
import { clientName } from './envelope.ts';
import { invalidParams, type Params } from './jsonrpc.ts';
import { negotiate } from './versions.ts';

export type Handshake = Readonly<{ version: string; can: Abilities; client: string }>;

/** A client that names no version or no capabilities did not mean to initialize; one that names another version is offered ours. */
export function readInitialize(params: Params): Handshake {
  const { protocolVersion, capabilities, clientInfo } = params;
  if (typeof protocolVersion !== 'string') throw invalidParams('protocolVersion must be a string');
  if (!isObject(capabilities)) throw invalidParams('capabilities must be an object');
  return {
    version: negotiate(protocolVersion),
    can: readAbilities(capabilities),
    client: clientName(clientInfo),
  };
}
