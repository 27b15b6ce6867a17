// Writing `policy.yaml` for the person who runs the hub: whole, only in place of the text that person has seen, and
// never without its row in the audit.
import { realpathSync, statSync } from 'node:fs';
import { sha256 } from '../../../../kernel/digest.ts';
import { HubError } from '../../../../kernel/errors.ts';
import { newId } from '../../../../kernel/ids.ts';
import { readIfThere } from '../../../../kernel/maybe-file.ts';
import type { Principal } from '../../../../kernel/principal.ts';
import { redact } from '../../../../kernel/redact.ts';
import { replaceFile } from '../../../../kernel/replace-file.ts';
import type { Tx } from '../../../../store/database.ts';
import { appendAudit } from '../../tell/audit.ts';
import { toolCallerOf, nameOf } from '../../caller.ts';
import type { Policy } from './policy.ts';

/** The file as it stands. Its version is a hash of the text, so that it also changes when an editor saves. */
export type PolicyText = Readonly<{ text: string; version: string }>;

const NO_FILE: PolicyText = { text: '', version: 'absent' };

export function readPolicyText(path: string): PolicyText {
  const text = readIfThere(path);
  return text === undefined ? NO_FILE : { text, version: `sha256:${sha256(text)}` };
}

export type PolicyChange = Readonly<{
  path: string;
  text: string;
  /** What the text is, read and found good. */
  policy: Policy;
  /** The version that was shown to whoever changes it. */
  version: string;
  who: Principal;
}>;

/**
 * The lock lets two who save at once take turns: the second has seen an older file and is refused. Replacing is the last
 * act, so that a change which cannot be written down does not happen.
 */
export async function changePolicy(
  tx: Tx,
  { path, text, policy, version, who }: PolicyChange,
): Promise<PolicyText> {
  await tx.lock('policy');
  const before = readPolicyText(path);
  if (before.version !== version)
    throw new HubError('conflict', 'policy.yaml has changed since it was read.', {
      version: before.version,
      hint: 'Read it again and make your change to what it says now.',
    });
  const after: PolicyText = { text, version: `sha256:${sha256(text)}` };
  if (after.version === before.version) return after;
  tx.emit({ kind: 'policy.changed', subject: 'policy', realm: 'hub' });
  await appendAudit(tx, {
    callId: newId(),
    toolName: 'policy.yaml',
    caller: toolCallerOf(who),
    phase: 'decision',
    reason: 'policy:changed',
    resultSummary: JSON.stringify({
      by: nameOf(who),
      from: before.version,
      to: after.version,
      rules: policy.rules.length,
      ...linesBetween(before.text, after.text),
    }),
  });
  const [place, mode] = fileBehind(path);
  replaceFile(place, text, mode);
  return after;
}

/** A link stays a link, and a file keeps who may read it. */
function fileBehind(path: string): readonly [string, number] {
  try {
    const place = realpathSync(path);
    return [place, statSync(place).mode & 0o777];
  } catch {
    return [path, 0o600];
  }
}

/** As much of what went and what came as fits into a row. */
const MOST_LINES = 40;

function linesBetween(before: string, after: string) {
  const [was, is] = [before.split('\n'), after.split('\n')];
  const pick = (lines: readonly string[], others: ReadonlySet<string>) =>
    lines.filter((line) => line.trim() !== '' && !others.has(line)).map((line) => redact(line.slice(0, 200)));
  return {
    removed: pick(was, new Set(is)).slice(0, MOST_LINES),
    added: pick(is, new Set(was)).slice(0, MOST_LINES),
  };
}
