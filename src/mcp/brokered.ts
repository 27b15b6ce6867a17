import type { Tool } from './define.ts';

/** A tool that reaches outside runs only behind the broker; the broker marks what it has wrapped and hosts check the mark. */
const brokered = new WeakSet<Tool>();

export function markBrokered(tool: Tool): Tool {
  brokered.add(tool);
  return tool;
}

export function mayBeServed(tool: Tool): boolean {
  return tool.effect !== 'world' || brokered.has(tool);
}

/** A tool under another name or with another front: it is behind the broker exactly when the one it stands for is. */
export function copyOf(tool: Tool, changes: Partial<Tool>): Tool {
  const copy: Tool = { ...tool, ...changes };
  return mayBeServed(tool) ? markBrokered(copy) : copy;
}
