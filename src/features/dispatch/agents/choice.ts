import { HubError } from '../../../kernel/errors.ts';
import { excerpt } from '../../../kernel/redact.ts';
import type { Agent } from './agents.ts';

export type Wish = Readonly<{ instance: string | undefined; tag: string | undefined }>;
export type Habits = Readonly<{
  standard: string | undefined;
  policy: 'explicit' | 'round-robin' | 'failover';
  /** How often one of this family was chosen before. */
  turn(family: string): number;
}>;

/**
 * The instances to try, in this order: explicit, then by tag, then the configured default, then the only one.
 * Each after the first is tried only while nothing has been said: failover ends with the first byte.
 */
export function chooseAgents(agents: readonly Agent[], wish: Wish, habits: Habits): readonly Agent[] {
  const callable = agents.filter((agent) => agent.callable);
  if (wish.instance !== undefined && wish.instance !== '') return named(agents, wish.instance, habits);
  if (wish.tag !== undefined) return tagged(callable, wish.tag);
  if (habits.standard !== undefined) return named(agents, habits.standard, habits);
  if (callable.length === 1) return callable;
  throw new HubError(
    'invalid',
    callable.length === 0 ? 'No agent can be called.' : 'Which agent? Several can be called.',
    {
      callable: callable.map(({ instance }) => instance),
      hint:
        callable.length === 0
          ? '`holdfast agents` says what is missing; agents can be added under agents: in config.yaml.'
          : `Name one (${callable.map(({ instance }) => instance).join(', ')}), give a tag, or set dispatch.default in config.yaml.`,
    },
  );
}

function named(agents: readonly Agent[], name: string, { policy, turn }: Habits): readonly Agent[] {
  const exact = agents.find(({ instance }) => instance === name);
  const family = agents.filter((agent) => agent.family === name);
  if (!exact && family.length === 0) throw unknown(agents, name);
  if (!exact && policy === 'round-robin') {
    const able = family.filter(({ callable }) => callable);
    if (able.length > 0) return [able[turn(name) % able.length]!];
  }
  if (!exact && family.length > 1 && policy === 'explicit') throw ambiguous(family, name);
  const first = exact ?? family.find(({ callable }) => callable) ?? family[0]!;
  const others = policy === 'failover' ? first.settings.failover : [];
  const candidates = [
    first,
    ...others.flatMap((each) => agents.find(({ instance }) => instance === each) ?? []),
  ];
  const able = candidates.filter(({ callable }) => callable);
  if (able.length === 0) throw notCallable(first);
  return able;
}

function tagged(callable: readonly Agent[], tag: string): readonly Agent[] {
  const found = callable.find(({ settings }) => settings.tags.includes(tag.toLowerCase()));
  if (found) return [found];
  throw new HubError('not_found', `No callable agent has the tag ${JSON.stringify(excerpt(tag, 64))}.`, {
    hint: 'Tags are given under agents: in config.yaml.',
  });
}

function unknown(agents: readonly Agent[], name: string): HubError {
  return new HubError('not_found', `There is no agent ${JSON.stringify(excerpt(name, 64))}.`, {
    known: agents.map(({ instance }) => instance),
    hint: '`holdfast agents` lists them; add one under agents: in config.yaml.',
  });
}

function ambiguous(family: readonly Agent[], name: string): HubError {
  const names = family.map(({ instance }) => instance);
  return new HubError('invalid', `${name} stands for several agents.`, {
    instances: names,
    hint: `Name one: ${names.join(', ')}.`,
  });
}

function notCallable({ instance, reason }: Agent): HubError {
  return new HubError('unavailable', `${instance} cannot be called: ${reason ?? 'unknown reason'}`, {
    instance,
    retryable: false,
    hint: '`holdfast agents` says which agents can be called and why others cannot.',
  });
}
