import type { HookAnswer, HookEvent } from '../../features/attach/hooks/hear.ts';
import { type HookClient, momentOf } from '../../features/attach/hooks/moments.ts';
import type { Environment } from '../../kernel/config.ts';
import { HubError } from '../../kernel/errors.ts';
import { ancestorsOf } from '../../kernel/process/ancestors.ts';

/**
 * One run of a hook, whichever way it reaches its hub. A client waits for it with every call of a tool, so what stands here is loaded
 * before anything else of the command line, and imports next to nothing.
 */
export type HookGiven = Readonly<{
  client: HookClient;
  agent: string | undefined;
  team: string | undefined;
  isNew: boolean;
  env: Environment;
  cwd: string;
}>;

export interface HookHub {
  hear(event: HookEvent): Promise<HookAnswer>;
  ack(arrived: HookAnswer['arrived'][number]): Promise<unknown>;
}

/** Undefined for an event that is nothing to us. */
export function readHookEvent(input: string, given: HookGiven): HookEvent | undefined {
  const { client, env, agent = env['HOLDFAST_AGENT_ID'] || undefined, team, isNew } = given;
  const { hook_event_name: event, session_id: session, cwd } = parse(input);
  if (typeof event !== 'string' || typeof session !== 'string' || session === '')
    throw new HubError('invalid', 'The hook event on stdin has no hook_event_name or session_id.');
  if (momentOf(client, event) === undefined) return undefined;
  return {
    client,
    event,
    session,
    cwd: typeof cwd === 'string' && cwd !== '' ? cwd : given.cwd,
    line: ancestorsOf(process.pid),
    ...(agent !== undefined && { agent }),
    ...(env['HOLDFAST_CIRCLE'] && { circle: env['HOLDFAST_CIRCLE'] }),
    ...(team !== undefined && { team, ...(isNew && { new: true }) }),
  };
}

/** Mail is acked when it has been printed, and not before. */
export async function runHook(hub: HookHub, event: HookEvent, print: (line: string) => void): Promise<void> {
  const { say, arrived } = await hub.hear(event);
  if (say !== null) print(say);
  for (const each of arrived) await hub.ack(each);
}

function parse(input: string): Record<string, unknown> {
  try {
    return { ...(JSON.parse(input) as object) };
  } catch (error) {
    throw new HubError('invalid', 'The hook event on stdin is not JSON.').because(error);
  }
}
