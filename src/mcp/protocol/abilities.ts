import { isObject } from '../../kernel/loose-json.ts';

/** What a client said it can be asked for. Kept as short names so that it fits into a session id. */
export type Ability = 'roots' | 'sampling' | 'sampling.tools' | 'elicitation' | 'elicitation.url' | 'tasks';

/** Calls that go on as tasks are an extension of 2026-07-28. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

export type Abilities = ReadonlySet<Ability>;

export const NO_ABILITIES: Abilities = new Set();

const ALL: readonly Ability[] = [
  'roots',
  'sampling',
  'sampling.tools',
  'elicitation',
  'elicitation.url',
  'tasks',
];

export function readAbilities(capabilities: unknown): Abilities {
  if (!isObject(capabilities)) return NO_ABILITIES;
  const { roots, sampling, elicitation, extensions } = capabilities;
  const found = new Set<Ability>();
  if (isObject(roots)) found.add('roots');
  if (isObject(sampling)) {
    found.add('sampling');
    if (isObject(sampling['tools'])) found.add('sampling.tools');
  }
  if (isObject(elicitation)) {
    const isUrlOnly = isObject(elicitation['url']) && !isObject(elicitation['form']);
    if (!isUrlOnly) found.add('elicitation');
    if (isObject(elicitation['url'])) found.add('elicitation.url');
  }
  if (isObject(extensions) && isObject(extensions[TASKS_EXTENSION])) found.add('tasks');
  return found.size === 0 ? NO_ABILITIES : found;
}

export function packAbilities(abilities: Abilities): string {
  return ALL.map((ability) => (abilities.has(ability) ? '1' : '0'))
    .join('')
    .replace(/0+$/, '');
}

export function unpackAbilities(packed: string): Abilities {
  return new Set(ALL.filter((_, i) => packed[i] === '1'));
}

/** The shape of `ClientCapabilities`, for the error that names what is missing. */
export function asCapabilities(ability: Ability): Record<string, unknown> {
  if (ability === 'tasks') return { extensions: { [TASKS_EXTENSION]: {} } };
  const [name, part] = ability.split('.') as [string, string?];
  return { [name]: part ? { [part]: {} } : {} };
}
