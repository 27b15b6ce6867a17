import type { Environment } from '../../../kernel/config.ts';
import type { Agent } from './agents.ts';
import { FAMILY_FACTS, isNamed } from './families.ts';

const EVERYBODY =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TZ|TERM|COLORTERM|XDG_\w+|(HTTPS?|NO|ALL)_PROXY|NODE_EXTRA_CA_CERTS|SSL_CERT_\w+|GIT_(AUTHOR|COMMITTER)_\w+)$/i;

/**
 * What a process knows of the hub's environment: what every program needs and the keys of its own family.
 * What config.yaml gives its instance comes last and wins. Nothing of ours goes along, and no sign that it
 * runs inside another agent.
 */
export function environmentFor({ family, settings }: Agent, env: Environment): Record<string, string> {
  const own = isNamed(family) ? FAMILY_FACTS[family].env : undefined;
  const kept = Object.entries(env).filter(
    ([name, value]) => value !== undefined && (EVERYBODY.test(name) || own?.test(name)),
  );
  return { ...(Object.fromEntries(kept) as Record<string, string>), ...settings.env };
}
