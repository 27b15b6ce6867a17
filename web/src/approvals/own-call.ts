// What an agent that the hub runs asks for: to use a tool of its own, or to spend more. The hub keeps all that the agent said
// about such a call, some of it twice and some of it empty; here each thing is said once, and in words.
import type { Approval } from './decision.ts';
import { argsOf, asObject, commandOf, type Args } from './request.ts';

const OWN_TOOL = 'AgentToolCall';
const TOOL_WORDS: Readonly<Record<string, string>> = {
  [OWN_TOOL]: 'a tool of its own',
  AgentBudget: 'more than its budget',
};

/** Kinds of calls, as the protocol of agents has them. */
const DEEDS: Readonly<Record<string, string>> = {
  execute: 'run a command',
  edit: 'edit files',
  delete: 'delete files',
  move: 'move files',
  read: 'read files',
  search: 'search',
  fetch: 'fetch something',
};

/** A tool within a sentence. */
export function toolWord(toolName: string): string {
  return TOOL_WORDS[toolName] ?? toolName;
}

/** What somebody wants to do: the end of a sentence. */
export function wish(approval: Pick<Approval, 'toolName' | 'argsSummary'>): string {
  const args = approval.toolName === OWN_TOOL ? argsOf(approval) : undefined;
  if (!args) return `use ${toolWord(approval.toolName)}`;
  if (commandOf(args) !== undefined) return DEEDS['execute']!;
  return DEEDS[String(args['kind'])] ?? 'use a tool of its own';
}

/** The run that asks, if one does. */
export function runOf({ callId }: Pick<Approval, 'callId'>): string | undefined {
  return /^run:([^:]+):/.exec(callId)?.[1];
}

/** The arguments as they are shown: nothing that would run is left out, and nothing stands there twice. */
export function shownArgs(approval: Pick<Approval, 'toolName' | 'argsSummary'>): Args | undefined {
  const args = argsOf(approval);
  if (!args || TOOL_WORDS[approval.toolName] === undefined) return args;
  // The run is said above, as where it comes from.
  const { run: _run, input, ...said } = args;
  const inner = asObject(input) ?? {};
  const isOdd = Object.entries(inner).some(([name, value]) => name in said && !isSame(said[name], value));
  const sent = isOdd ? { input } : inner;
  const values = new Set(Object.values(sent));
  const isPlain: Readonly<Record<string, (value: unknown) => boolean>> = {
    tool: isEmpty,
    // The sentence above says it.
    kind: (kind) => DEEDS[String(kind)] !== undefined,
    title: (title) => isEmpty(title) || unquoted(title) === commandOf(args),
    paths: (paths) => Array.isArray(paths) && paths.every((path) => values.has(path)),
    content: isEmpty,
  };
  return Object.fromEntries(
    Object.entries({ ...said, ...sent }).filter(([name, value]) => !isPlain[name]?.(value)),
  );
}

const isEmpty = (value: unknown) => value === '' || value === null;
const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
const unquoted = (text: unknown) => String(text).replace(/^`([^]*)`$/, '$1');
