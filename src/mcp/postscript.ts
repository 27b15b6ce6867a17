import type { Principal } from '../kernel/principal.ts';
import type { Tool, ToolResult } from './define.ts';
import { isObject } from './protocol/jsonrpc.ts';

/** Something the hub has to say to a caller that no tool was asked for; it goes along with the next answer. */
export type Postscript = Readonly<{
  /** The field of `structuredContent` it takes; begins with an underscore, so that no tool has it. */
  field: `_${string}`;
  value: unknown;
  /** The same for clients that read text only. */
  text: string;
}>;

export type AskPostscript = (who: Principal, tool: Tool) => Promise<Postscript | undefined>;

/** A caller that wants none of it says so in the `_meta` of its calls. */
export const META_NO_POSTSCRIPT = 'holdfast/postscript';

export function withPostscript(
  tool: Tool,
  result: Extract<ToolResult<unknown>, { ok: true }>,
  { field, value, text }: Postscript,
): ToolResult<unknown> {
  const own = result.content ?? [{ type: 'text' as const, text: result.text ?? textOf(tool, result.value) }];
  return {
    ...result,
    value: tool.output && isObject(result.value) ? { ...result.value, [field]: value } : result.value,
    content: [...own, { type: 'text', text }],
  };
}

function textOf(tool: Tool, value: unknown): string {
  return !tool.output && typeof value === 'string' ? value : JSON.stringify(value ?? '');
}
