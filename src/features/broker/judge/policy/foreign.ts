import { runApart } from '../../../../kernel/apart.ts';
import { LARGE_YAML, yamlProblem } from '../../../../kernel/yaml-limits.ts';
import type { ReadPolicy } from './read.ts';

/** The text of a caller, which may be anything: bounded first, then read in a process of its own. */
export async function readForeignPolicy(text: string, signal?: AbortSignal): Promise<ReadPolicy> {
  const problem = yamlProblem(text, LARGE_YAML);
  if (problem !== undefined)
    return { ok: false, problems: [{ line: 1, column: 1, message: `the text is not read: ${problem}` }] };
  return runApart<ReadPolicy>({
    kind: 'policy',
    input: text,
    name: 'The policy',
    limits: { ms: 3_000 },
    ...(signal && { signal }),
  });
}
