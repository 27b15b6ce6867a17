import type { Document, LineCounter } from 'yaml';
import { redact } from '../../../../kernel/redact.ts';
import { type Policy, policySchema, toPolicy } from './policy.ts';

export type PolicyProblem = Readonly<{ line: number; column: number; message: string }>;

/** `lines`: where each rule begins, for whoever writes the file. */
export type ReadPolicy = Readonly<
  { ok: true; policy: Policy; lines: readonly number[] } | { ok: false; problems: readonly PolicyProblem[] }
>;

/** Whoever has mended so many sees the rest next time. */
const MOST_PROBLEMS = 100;

/**
 * Text to policy, or every place where it is broken. A problem may quote the file, so it is masked like all
 * that is shown.
 */
export async function readPolicy(text: string): Promise<ReadPolicy> {
  const read = await parsePolicy(text);
  if (read.ok) return read;
  return { ok: false, problems: read.problems.map((each) => ({ ...each, message: redact(each.message) })) };
}

async function parsePolicy(text: string): Promise<ReadPolicy> {
  const { LineCounter, parseDocument } = await import('yaml');
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false });
  if (document.errors.length > 0) {
    return {
      ok: false,
      problems: document.errors
        .slice(0, MOST_PROBLEMS)
        .map((error) => ({ ...placeAt(counter, error.pos[0]), message: error.message })),
    };
  }
  let value: unknown;
  try {
    value = document.toJS() as unknown;
  } catch (error) {
    // An alias without its anchor, or aliases that multiply without end: YAML tells what, but not where.
    return { ok: false, problems: [{ line: 1, column: 1, message: (error as Error).message }] };
  }
  const parsed = policySchema.safeParse(value ?? {});
  if (parsed.success) {
    const policy = toPolicy(parsed.data);
    const lines = policy.rules.map((_, at) => placeAt(counter, offsetOf(document, ['rules', at])).line);
    return { ok: true, policy, lines };
  }
  const problems = parsed.error.issues.slice(0, MOST_PROBLEMS).map((issue) => ({
    ...placeAt(counter, offsetOf(document, issue.path)),
    message: `${issue.path.map(String).join('.') || 'the file'}: ${issue.message}`,
  }));
  return { ok: false, problems };
}

/** The nearest thing on the way to a problem that stands in the file. */
function offsetOf(document: Document, path: readonly PropertyKey[]): number {
  for (let length = path.length; length > 0; length -= 1) {
    const node = document.getIn(path.slice(0, length) as (string | number)[], true) as
      | { range?: [number, number, number] }
      | undefined;
    if (node?.range) return node.range[0];
  }
  return 0;
}

function placeAt(lines: LineCounter, offset: number): { line: number; column: number } {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}
