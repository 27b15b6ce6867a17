import type { Approval } from './queries.ts';

/** What is asked for, read from the summary that the hub wrote. A summary that is no JSON is shown as it stands. */
export function argsOf({
  argsSummary,
}: Pick<Approval, 'argsSummary'>): Readonly<Record<string, unknown>> | undefined {
  try {
    const parsed: unknown = JSON.parse(argsSummary ?? '');
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
      ? (parsed as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

const MAIN = ['command', 'cmd', 'file_path', 'path', 'url', 'pattern', 'query', 'note', 'text'];

/** One line of it. */
export function gist(approval: Approval): string {
  const args = argsOf(approval);
  if (!args) return approval.argsSummary ?? '';
  const main = MAIN.map((name) => args[name]).find((value) => typeof value === 'string');
  return (typeof main === 'string' ? main : JSON.stringify(args)).replace(/\s+/g, ' ').slice(0, 300);
}

export function commandOf(args: Readonly<Record<string, unknown>>): string | undefined {
  const { command, cmd } = args;
  return typeof command === 'string' ? command : typeof cmd === 'string' ? cmd : undefined;
}

/** An edit shows what goes and what comes. */
export function editOf(
  args: Readonly<Record<string, unknown>>,
): Readonly<{ before: string; after: string }> | undefined {
  const before = args['old_string'] ?? args['oldText'] ?? args['old'];
  const after = args['new_string'] ?? args['newText'] ?? args['new'];
  return typeof before === 'string' && typeof after === 'string' ? { before, after } : undefined;
}

/** What "always" would mean, as a sentence. */
export function shapeText({ shape, toolName, agentId, principal }: Approval): string {
  const who = agentId ?? principal;
  try {
    const parts = Object.entries(JSON.parse(shape) as Record<string, string>);
    const where = parts.map(([name, value]) => `${name} ${value}`).join(', ');
    return `${toolName}${where === '' ? ' with any arguments' : ` with ${where}`}, by ${who}`;
  } catch {
    return `${toolName}: ${shape}, by ${who}`;
  }
}
