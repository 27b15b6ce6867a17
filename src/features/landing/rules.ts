// The pure decisions of landing. Nothing here reads a clock, a row or a file.
import type { LandSettings } from '../../kernel/land-settings.ts';
import type { ChecksDefinition } from './checks/definition.ts';
import type { LandingState } from './landing-shapes.ts';

/** What an agent must not change without a person: it would weaken what judges it, or have somebody's machine run something. */
const PROTECTED = [
  '.holdfast/**',
  '**/.gitattributes',
  '.gitmodules',
  '.github/**',
  '.gitlab-ci.yml',
  '.gitlab/**',
  '.circleci/**',
  '.buildkite/**',
  '.woodpecker/**',
  '.woodpecker.yml',
  '.drone.yml',
  '.travis.yml',
  'azure-pipelines.yml',
  'bitbucket-pipelines.yml',
  'appveyor.yml',
  'Jenkinsfile',
  '.ci/**',
  '.husky/**',
  '.pre-commit-config.yaml',
  'lefthook.yml',
  'lefthook.yaml',
  '.lefthook/**',
  '.overcommit.yml',
  '.githooks/**',
  '.lintstagedrc*',
];

/** Of these paths the ones that only a person lets through. Case does not matter: on some machines it does not. */
function protectedAmong(paths: readonly string[], more: readonly string[]): string[] {
  const patterns = [...PROTECTED, ...more].map(patternOf);
  return paths.filter((path) => patterns.some((pattern) => pattern.test(path)));
}

type Judging = Readonly<{ definition: ChecksDefinition; settings: Pick<LandSettings, 'protect'> }>;

/** The same, with what set-ups are made from: a branch that changes that has code of its own run before any check. */
export function guardedAmong(paths: readonly string[], { definition, settings }: Judging): string[] {
  const keys = keysOf(definition);
  return [
    ...new Set([...protectedAmong(paths, settings.protect), ...paths.filter((path) => keys.has(path))]),
  ];
}

function keysOf({ checks }: ChecksDefinition): ReadonlySet<string> {
  return new Set(checks.flatMap(({ setup }) => setup?.key ?? []));
}

/** What changes how others are judged is judged alone: the definition itself, and what set-ups are made from. */
export function together<T extends Readonly<{ protected: readonly string[] }>>(
  waiting: readonly T[],
  definition: ChecksDefinition,
): readonly T[] {
  const keys = keysOf(definition);
  const isAlone = ({ protected: paths }: T) =>
    paths.some((path) => keys.has(path) || path.toLowerCase().startsWith('.holdfast/'));
  const first = waiting.findIndex(isAlone);
  return first < 0 ? waiting : waiting.slice(0, Math.max(1, first));
}

/** `**` reaches through folders, `*` does not; a pattern that names a folder is for all that is in it. */
function patternOf(pattern: string): RegExp {
  const text = pattern.replace(/\/$/, '/**');
  const source = text.replace(/\*\*\/|\*\*|\*|[^*]+/g, (part) => {
    if (part === '**/') return '(?:.*/)?';
    if (part === '**') return '.*';
    return part === '*' ? '[^/]*' : part.replace(/[.+?^${}()|[\]\\]/g, String.raw`\$&`);
  });
  return new RegExp(`^${source}$`, 'i');
}

const ENDED: ReadonlySet<LandingState> = new Set(['landed', 'conflict', 'failed', 'withdrawn']);

export function isEnded(state: LandingState): boolean {
  return ENDED.has(state);
}

/**
 * How many of a batch land: all of them when they pass together, else the longest prefix that passes, and the one after it is
 * the culprit. Asks at most 1 + ⌈log2 count⌉ times. Nothing at all is taken to pass.
 */
export async function longestPassing(
  count: number,
  passes: (length: number) => Promise<boolean>,
): Promise<number> {
  if (await passes(count)) return count;
  let [good, bad] = [0, count];
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (await passes(middle)) good = middle;
    else bad = middle;
  }
  return good;
}

/** 0 landed, 1 a check failed, 4 conflict, 5 refused, 6 held or waiting for a person. */
export function exitOf(state: LandingState): number {
  const codes: Partial<Record<LandingState, number>> = { landed: 0, failed: 1, conflict: 4, withdrawn: 5 };
  return codes[state] ?? 6;
}
