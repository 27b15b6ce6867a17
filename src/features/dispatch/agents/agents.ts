import { join } from 'node:path';
import { type AgentSettings, DEFAULT_RUN_LIMITS, type Family } from '../../../kernel/agent-settings.ts';
import type { Config, Environment } from '../../../kernel/config.ts';
import { FAMILY_FACTS, isNamed, type NamedFamily } from './families.ts';
import { findProgram } from './programs.ts';

/** Something that can be started, or why it cannot. */
export type Agent = Readonly<{
  instance: string;
  family: Family;
  lane: 'acp' | 'exec';
  callable: boolean;
  status: 'callable' | 'binary-missing' | 'disabled';
  reason: string | undefined;
  /** What is started; undefined when it is missing. */
  program: string | undefined;
  /** The arguments that speak ACP; undefined in the exec lane. */
  acpArgs: readonly string[] | undefined;
  /** The family's own program, which an adapter is to use; undefined for families without a name. */
  own: string | undefined;
  configured: boolean;
  settings: AgentSettings;
}>;

/** Adapters that were installed for this hub; see `holdfast agents install`. */
function adapterFolder(home: string): string {
  return join(home, 'adapters', 'node_modules', '.bin');
}

/**
 * What config.yaml names, and every family that is installed and not named there. Looked up anew each time:
 * programs come and go.
 */
export function listAgents({ agents, home }: Pick<Config, 'agents' | 'home'>, env: Environment): Agent[] {
  const configured = Object.entries(agents).map(([instance, settings]) =>
    judge({ instance, settings, configured: true }, { home, env }),
  );
  const named = new Set(configured.flatMap(({ instance, family }) => [instance, family]));
  const found = (Object.keys(FAMILY_FACTS) as NamedFamily[])
    .filter((family) => !named.has(family))
    .map((family) =>
      judge({ instance: family, settings: plainSettings(family), configured: false }, { home, env }),
    );
  return [...configured, ...found].toSorted((a, b) => (a.instance < b.instance ? -1 : 1));
}

type Surroundings = Readonly<{ home: string; env: Environment }>;

type Candidate = Pick<Agent, 'instance' | 'settings' | 'configured'>;

function judge({ instance, settings, configured }: Candidate, surroundings: Surroundings): Agent {
  const { lane, program, acpArgs, own, missing } = locate(settings, surroundings);
  const reason = settings.enabled ? missing : 'It is switched off in config.yaml.';
  const status = !settings.enabled ? 'disabled' : missing === undefined ? 'callable' : 'binary-missing';
  return {
    instance,
    family: settings.family,
    lane,
    callable: reason === undefined,
    status,
    reason,
    program,
    acpArgs,
    own,
    configured,
    settings,
  };
}

type Located = Readonly<{
  lane: 'acp' | 'exec';
  program: string | undefined;
  acpArgs: readonly string[] | undefined;
  own: string | undefined;
  missing: string | undefined;
}>;

/** What a container runs is in its image, where nobody looks; what has to be here is what starts containers. */
function locateContainer({ family, command, lane, container }: AgentSettings, path: string): Located {
  const starter = container!.program;
  const program = findProgram(starter, path);
  const missing = program === undefined ? `${starter} is not on the hub's PATH.` : undefined;
  if (!isNamed(family)) {
    const acpArgs = family === 'acp' ? command!.slice(1) : undefined;
    return { lane: family === 'acp' ? 'acp' : 'exec', program, acpArgs, own: undefined, missing };
  }
  const { program: own, acp } = FAMILY_FACTS[family];
  const acpArgs = lane === 'acp' ? acp.args : undefined;
  return { lane: lane === 'acp' ? 'acp' : 'exec', program, acpArgs, own: command?.[0] ?? own, missing };
}

/** What an agent's program is called where its name is all that counts. */
export function programName({
  family,
  lane,
  settings: { command },
}: Pick<Agent, 'family' | 'lane' | 'settings'>): string {
  if (!isNamed(family)) return command![0]!;
  const { program, acp } = FAMILY_FACTS[family];
  return lane === 'acp' ? acp.program : (command?.[0] ?? program);
}

function locate(settings: AgentSettings, { home, env }: Surroundings): Located {
  const { family, command } = settings;
  const path = settings.env['PATH'] ?? env['PATH'] ?? '';
  if (settings.container) return locateContainer(settings, path);
  if (!isNamed(family)) {
    const program = findProgram(command![0]!, path);
    const lane = family === 'acp' ? 'acp' : 'exec';
    const missing = program === undefined ? `${command![0]} is not on the hub's PATH.` : undefined;
    const acpArgs = family === 'acp' ? command!.slice(1) : undefined;
    return { lane, program, acpArgs, own: undefined, missing };
  }
  const facts = FAMILY_FACTS[family];
  const own = findProgram(command?.[0] ?? facts.program, path);
  if (settings.lane !== 'exec') {
    const speaker = findProgram(facts.acp.program, path, [adapterFolder(home)]);
    if (speaker !== undefined && own !== undefined)
      return { lane: 'acp', program: speaker, acpArgs: facts.acp.args, own, missing: undefined };
    if (settings.lane === 'acp') {
      const missing = acpMissing(family, own);
      return { lane: 'acp', program: undefined, acpArgs: facts.acp.args, own, missing };
    }
  }
  const missing =
    own === undefined ? `${command?.[0] ?? facts.program} is not on the hub's PATH.` : undefined;
  return { lane: 'exec', program: own, acpArgs: undefined, own, missing };
}

function acpMissing(family: NamedFamily, own: string | undefined): string {
  const { program, acp } = FAMILY_FACTS[family];
  if (own === undefined) return `${program} is not on the hub's PATH.`;
  return `${acp.program} is not installed; \`holdfast agents install ${family}\` shows how.`;
}

export function plainSettings(family: NamedFamily): AgentSettings {
  return {
    family,
    command: undefined,
    cwd: undefined,
    env: {},
    mode: 'safe',
    lane: 'auto',
    model: undefined,
    tags: [],
    failover: [],
    fallback: [],
    budget: {},
    container: undefined,
    enabled: true,
    retry: undefined,
    needs: [],
    limits: DEFAULT_RUN_LIMITS,
  };
}
