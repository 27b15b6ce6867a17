import { isMap, isScalar, LineCounter, parseDocument } from 'yaml';
import { HubError } from '../../kernel/errors.ts';
import { SMALL_YAML, yamlProblem } from '../../kernel/yaml-limits.ts';

/**
 * STRATEGY.md: prose for people, and one fenced `yaml` or `json` block whose keys are the policy. Prose is never
 * interpreted; a key we do not know or a value out of range is an error that names the line, before anything is changed.
 */
export type Strategy = Readonly<{
  alpha: number;
  initial_score: number;
  decay_rate: number;
  credit_update: 'saturating' | 'documented';
  tag_overlap: number;
  promote_threshold: number;
  promote_recurrence: number;
  prune_threshold: number;
  prune_min_age_days: number;
  max_context_budget: number;
}>;

type Rule<T> = Readonly<{ fallback: T; expects: string; note: string; read(value: unknown): T | undefined }>;

export const RULES: Readonly<{ [K in keyof Strategy]: Rule<Strategy[K]> }> = {
  alpha: number(0.1, [0.01, 1], 'how far one signal moves a score'),
  initial_score: number(0.5, [0, 1], 'the score of a new memory'),
  decay_rate: number(0.01, [0, 1], 'per day without use'),
  credit_update: choice(
    'saturating',
    ['saturating', 'documented'],
    'documented is the published formula, under which praise can lower a score',
  ),
  tag_overlap: number(
    0.5,
    [0, 1],
    'episodes of one day that share at least this part of the smaller set of tags are merged',
  ),
  promote_threshold: number(0.7, [0.5, 1], 'facts of episodes above this score become entities'),
  promote_recurrence: whole(3, [2, 1000], 'so do facts that this many episodes repeat'),
  prune_threshold: number(0.2, [0, 0.5], 'memories below this score are archived'),
  prune_min_age_days: number(14, [7, 3650], 'when they have not changed for this many days'),
  max_context_budget: whole(5000, [200, 200_000], 'tokens of MEMORY.md'),
};

export const DEFAULT_STRATEGY = Object.fromEntries(
  Object.entries(RULES).map(([key, rule]) => [key, rule.fallback]),
) as Strategy;

/** As in markdown, a block that is never closed goes on to the end. */
const BLOCK = /^([ \t]*)(`{3,}|~{3,})(?:yaml|yml|json)\b[^\n]*\n([\s\S]*?)(?:^\1\2[ \t]*$|(?![\s\S]))/im;

export function readStrategy(text: string): Strategy {
  const normal = text.replace(/\r\n/g, '\n');
  const block = BLOCK.exec(normal);
  if (!block) return DEFAULT_STRATEGY;
  const source = block[3]!;
  const firstLine = normal.slice(0, block.index).split('\n').length + 1;
  const heavy = yamlProblem(source, SMALL_YAML);
  if (heavy !== undefined) throw bad(firstLine, `the block is not read: ${heavy}`);
  const lines = new LineCounter();
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false });
  const lineAt = (offset: number) => firstLine + lines.linePos(offset).line - 1;
  const [error] = document.errors;
  if (error) throw bad(lineAt(error.pos[0]), `this is not valid YAML: ${error.message}`);
  const { contents } = document;
  if (contents === null) return DEFAULT_STRATEGY;
  if (!isMap(contents)) throw bad(firstLine, 'the block must hold keys and values');
  const given: Partial<Record<keyof Strategy, unknown>> = {};
  for (const { key, value } of contents.items) {
    const name = isScalar(key) ? String(key.value) : '';
    const line = lineAt(isScalar(key) ? (key.range?.[0] ?? 0) : 0);
    if (!isKey(name))
      throw bad(line, `unknown key ${JSON.stringify(name)}; known: ${Object.keys(RULES).join(', ')}`);
    const raw = isScalar(value) ? value.value : undefined;
    const read = RULES[name].read(raw);
    if (read === undefined)
      throw bad(line, `${name} must be ${RULES[name].expects}; got ${JSON.stringify(raw ?? null)}`);
    given[name] = read;
  }
  return { ...DEFAULT_STRATEGY, ...given } as Strategy;
}

/** What a new vault starts with. */
export function defaultStrategyText(): string {
  const settings = Object.entries(RULES).map(
    ([key, { fallback, note }]) => `${`${key}: ${String(fallback)}`.padEnd(28)} # ${note}`,
  );
  return `# Strategy

How this memory is kept. Write what you like around the block; only the block is read, before every compaction.
A pinned memory is never merged or archived and a person is never pruned, whatever stands here.

\`\`\`yaml
${settings.join('\n')}
\`\`\`
`;
}

function isKey(name: string): name is keyof Strategy {
  return Object.hasOwn(RULES, name);
}

function bad(line: number, why: string): HubError {
  return new HubError('invalid', `STRATEGY.md line ${line}: ${why}.`, {
    line,
    hint: 'Correct STRATEGY.md; nothing was changed.',
  });
}

type Range = readonly [min: number, max: number];

function number(fallback: number, [min, max]: Range, note: string): Rule<number> {
  return {
    fallback,
    expects: `a number from ${min} to ${max}`,
    note,
    read: (value) => (typeof value === 'number' && value >= min && value <= max ? value : undefined),
  };
}

function whole(fallback: number, range: Range, note: string): Rule<number> {
  const { read, ...rule } = number(fallback, range, note);
  return {
    ...rule,
    expects: `a whole ${rule.expects.slice(2)}`,
    read: (value) => (Number.isInteger(value) ? read(value) : undefined),
  };
}

function choice<T extends string>(fallback: T, values: readonly T[], note: string): Rule<T> {
  return {
    fallback,
    expects: values.join(' or '),
    note,
    read: (value) => values.find((one) => one === value),
  };
}
