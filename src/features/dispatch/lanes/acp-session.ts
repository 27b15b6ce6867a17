// How a conversation with an ACP agent begins: its session, new or again, its mode, and the hub as one of its
// servers.
import type { AgentMode } from '../../../kernel/agent-settings.ts';
import { VERSION } from '../../../kernel/version.ts';
import type { HubAttachment } from '../agents/families.ts';
import { asList, asObject, asText, type Json } from '../frames/common.ts';
import { type Rpc, RpcFailure } from './acp-wire.ts';
import type { AcpMore, LaneParts } from './lane.ts';

type Beginning = Pick<AcpMore, 'hub' | 'sessionId' | 'startOver'> &
  Readonly<{ /** Told while an old session says again what it said. */ replaying(is: boolean): void }>;

/** initialize, then a new session or the old one again, then the mode that config.yaml says. */
export async function beginSession(
  rpc: Rpc,
  { run, agent }: LaneParts,
  { hub, sessionId: old, startOver, replaying }: Beginning,
): Promise<Readonly<{ sessionId: string; isNew: boolean }>> {
  const hello = await rpc.request('initialize', {
    protocolVersion: 1,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    clientInfo: { name: 'holdfast', title: 'Holdfast', version: VERSION },
  });
  const can = asObject(hello['agentCapabilities']) ?? {};
  const place = { cwd: run.cwd, mcpServers: serversFor(hub, can) };
  const wanted = MODES[run.family]?.[agent.settings.mode];
  const canResume = asObject(asObject(can['sessionCapabilities'])?.['resume']) !== undefined;
  const canGoOn = canResume || can['loadSession'] === true;
  if (old === undefined || (!canGoOn && startOver !== undefined)) {
    const made = await rpc.request('session/new', place);
    const sessionId = asText(made['sessionId']);
    if (sessionId === undefined) throw new RpcFailure(0, 'the agent began no session');
    await setMode(rpc, { ...made, sessionId }, wanted);
    return { sessionId, isNew: true };
  }
  if (!canGoOn) throw new RpcFailure(0, 'the agent cannot go on with an old session');
  // What a loaded session says again has been said before.
  replaying(true);
  const loaded = await rpc.request(canResume ? 'session/resume' : 'session/load', {
    sessionId: old,
    ...place,
  });
  replaying(false);
  await setMode(rpc, { ...loaded, sessionId: old }, wanted);
  return { sessionId: old, isNew: false };
}

const MODES: Readonly<Record<string, Readonly<Record<AgentMode, string>>>> = {
  claude: { safe: 'default', edit: 'acceptEdits', full: 'bypassPermissions' },
  // Its own default asks a reviewer model instead of a person.
  codex: { safe: 'read-only', edit: 'workspace-write', full: 'agent-full-access' },
  gemini: { safe: 'default', edit: 'autoEdit', full: 'yolo' },
};

async function setMode(rpc: Rpc, session: Json, wanted: string | undefined): Promise<void> {
  const modes = asObject(session['modes']);
  const known = asList(modes?.['availableModes']).map((each) => asText(asObject(each)?.['id']));
  if (wanted === undefined || modes?.['currentModeId'] === wanted || !known.includes(wanted)) return;
  await rpc.request('session/set_mode', { sessionId: session['sessionId'], modeId: wanted });
}

function serversFor(hub: HubAttachment | undefined, can: Json): object[] {
  if (!hub || asObject(can['mcpCapabilities'])?.['http'] !== true) return [];
  return [
    {
      type: 'http',
      name: 'holdfast',
      url: hub.url,
      headers: [{ name: 'Authorization', value: `Bearer ${hub.token}` }],
    },
  ];
}
