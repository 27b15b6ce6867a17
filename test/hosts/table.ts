import { describe } from 'vitest';
import { boardExtendedContract } from '../contract/board-extended.ts';
import { boardToolsContract } from '../contract/board-tools.ts';
import { brainGolden } from '../contract/brain-golden.ts';
import { toolsContract } from '../contract/broker-server.ts';
import { chatToolsContract } from '../contract/chat-tools.ts';
import { HOSTS } from '../fixtures/board-hosts.ts';
import { eachEngine, type Engine } from '../fixtures/databases.ts';
import { hostsOf, type HostName, type SharedHost } from '../fixtures/server-hosts.ts';

type Row = Readonly<{
  what: string;
  /** All, unless it says which. */
  over?: ReadonlySet<HostName>;
  hold(host: HostName, engine: Engine): void;
}>;
type Contract = (title: string, open: () => Promise<SharedHost>) => void;

/** What each documented server is held to, whatever host it is reached through. */
const CONTRACTS = {
  board: [
    {
      what: 'the documented task tools',
      hold: (host, engine) => boardToolsContract(`over ${host}`, () => HOSTS[host](engine)),
    },
    {
      what: 'the extended task tools',
      // What it has beyond the document is the same code behind every host.
      over: new Set(['HTTP with a session', 'stdio beside a hub']),
      hold: (host, engine) => boardExtendedContract(`over ${host}`, () => HOSTS[host](engine)),
    },
  ],
  brain: [hosted('clawbrain', brainGolden, hostsOf('brain', 'clawbrain-mcp'))],
  chat: [hosted('the documented chat tools', chatToolsContract, hostsOf('teamchat'))],
  tools: [hosted('the documented governed tools', toolsContract, hostsOf('tools'))],
} satisfies Record<string, readonly Row[]>;

function hosted(what: string, contract: Contract, hosts: ReturnType<typeof hostsOf>): Row {
  return { what, hold: (host, engine) => contract(`over ${host}`, () => hosts[host](engine)) };
}

/**
 * In-process each contract is held on both engines, and short ones are over every host. A long one meets every host on one engine and
 * both engines over some hosts: no pair of server, host and engine is left out.
 */
const ON: Readonly<Partial<Record<keyof typeof CONTRACTS, Readonly<Record<HostName, Engine>>>>> = {
  board: {
    'HTTP with a session': 'postgres',
    'HTTP without sessions': 'sqlite',
    'stdio alone': 'postgres',
    'stdio beside a hub': 'sqlite',
  },
  chat: {
    'HTTP with a session': 'sqlite',
    'HTTP without sessions': 'postgres',
    'stdio alone': 'sqlite',
    'stdio beside a hub': 'postgres',
  },
};

/** A file for each server and host, so that they run side by side. */
export function holdToContract(server: keyof typeof CONTRACTS, host: HostName): void {
  const only = ON[server]?.[host];
  for (const { what, over, hold } of CONTRACTS[server] as readonly Row[]) {
    if (over && !over.has(host)) continue;
    if (only) describe(`${what} on ${only}`, () => hold(host, only));
    else eachEngine(what, (engine) => hold(host, engine));
  }
}
