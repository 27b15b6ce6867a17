import type { Environment } from '../../../kernel/config.ts';
import type { ContainerSettings } from '../../../kernel/container-settings.ts';
import { type Agent, programName } from '../agents/agents.ts';
import { commandLine, FAMILY_FACTS, type HubAttachment, isNamed } from '../agents/families.ts';
import { MARKS, type ProcessMark } from '../../../kernel/process/mark.ts';
import { spanOfRun, traceparentOf } from '../../../kernel/span.ts';
import type { Launch } from '../../../kernel/process/start.ts';
import type { Run } from '../run.ts';
import { type AgentLaunch, inContainer } from './container.ts';

/** Of one attempt: the next one of the same run may be on the same machine. */
export function attemptMark({ id, attempt }: Pick<Run, 'id' | 'attempt'>): ProcessMark {
  return { name: MARKS.attempt, value: `${id}/${attempt}` };
}

/** Which attempt a mark is of. */
export function readAttemptMark(value: string): Pick<Run, 'id' | 'attempt'> | undefined {
  const [, id, attempt] = /^([^/]+)\/(\d{1,9})$/.exec(value) ?? [];
  return id === undefined ? undefined : { id, attempt: Number(attempt) };
}

/** What one start of one run has that no other has. */
export type Means = Readonly<{
  /** The environment of the hub. */
  env: Environment;
  /** Where this hub is reached, when it is. */
  address: string | undefined;
  /** A folder for what it leaves lying about. */
  tmp: string;
  token: string;
  /** The image that runs of its project are in. */
  container?: ContainerSettings | undefined;
  /** Folders beside its own that its repository reads. */
  reads?: readonly string[] | undefined;
}>;

/** This hub as a server of the run's agent. */
export function attachmentOf({ address, token }: Means): HubAttachment | undefined {
  return address === undefined ? undefined : { url: `${address}/mcp`, token };
}

/** How an agent is started for a run, in its lane. */
export function launchFor(run: Run, agent: Agent, means: Means): AgentLaunch {
  const given = environmentFor(agent, means.env);
  const line = agent.lane === 'acp' ? acpLine(run, agent, given) : execLine(run, agent, means);
  const launch: Launch = {
    program: agent.program!,
    args: line.args,
    cwd: run.cwd,
    env: {
      ...given,
      ...line.env,
      TMPDIR: means.tmp,
      [MARKS.run]: run.id,
      TRACEPARENT: traceparentOf(spanOfRun(run.id)),
      HOLDFAST_TOKEN: means.token,
      ...(means.address !== undefined && { HOLDFAST_URL: means.address }),
      ...(run.boardTask !== null && { HOLDFAST_TASK_ID: run.boardTask }),
    },
    mark: attemptMark(run),
    input: line.input,
    hint: '`holdfast agents` says which agents can be called and why others cannot.',
  };
  const container = means.container ?? agent.settings.container;
  if (!container) return launch;
  return inContainer(launch, container, {
    run,
    program: programName(agent),
    tmp: means.tmp,
    reads: means.reads,
  });
}

type Line = Pick<Launch, 'args' | 'env' | 'input'>;

function execLine(run: Run, { family, settings }: Agent, means: Means): Line {
  if (!isNamed(family)) return commandLine(settings, run.prompt);
  return FAMILY_FACTS[family].exec({
    prompt: run.prompt,
    mode: settings.mode,
    model: run.model ?? settings.model,
    resume: run.sessionId ?? undefined,
    hub: attachmentOf(means),
  });
}

function acpLine(run: Run, { family, settings, acpArgs, own }: Agent, env: Launch['env']): Line {
  const { mode } = settings;
  const more = isNamed(family)
    ? FAMILY_FACTS[family].acp.with({ mode, model: run.model ?? settings.model, own: own!, env })
    : { args: [], env: {} };
  return { args: [...acpArgs!, ...more.args], env: more.env, input: undefined };
}

const EVERYBODY =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TZ|TERM|COLORTERM|XDG_\w+|(HTTPS?|NO|ALL)_PROXY|NODE_EXTRA_CA_CERTS|SSL_CERT_\w+|GIT_(AUTHOR|COMMITTER)_\w+)$/i;

/**
 * What a process knows of the hub's environment: what every program needs and the keys of its own family.
 * What config.yaml gives its instance comes last and wins. Nothing of ours goes along, and no sign that it
 * runs inside another agent.
 */
function environmentFor({ family, settings }: Agent, env: Environment): Record<string, string> {
  const own = isNamed(family) ? FAMILY_FACTS[family].env : undefined;
  const kept = Object.entries(env).filter(
    ([name, value]) => value !== undefined && (EVERYBODY.test(name) || own?.test(name)),
  );
  return { ...(Object.fromEntries(kept) as Record<string, string>), ...settings.env };
}
