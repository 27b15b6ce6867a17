import { isObject } from '../kernel/loose-json.ts';
import type { Principal } from '../kernel/principal.ts';
import type { Tool, ToolResult } from './define.ts';
import { labelFor, labelled } from './result.ts';

/** Something the hub has to say to a caller that no tool was asked for; it goes along with the next answer. */
export type Postscript = Readonly<{
  /** The field of `structuredContent` it takes; begins with an underscore, so that no tool has it. */
  field: `_${string}`;
  value: unknown;
  /** The same for clients that read text only. */
  text: string;
}>;

/** `server`: the key of the server that was called. */
export type AskPostscript = (who: Principal, tool: Tool, server: string) => Promise<Postscript | undefined>;
/** All that goes along with one answer. */
export type AskPostscripts = (who: Principal, tool: Tool, server: string) => Promise<readonly Postscript[]>;

/** A caller that wants none of it says so in the `_meta` of its calls. */
export const META_NO_POSTSCRIPT = 'holdfast/postscript';

type Answered = Extract<ToolResult<unknown>, { ok: true }>;

/** What the tool answers is marked and labelled as it is without: a postscript must not take that away. */
export function withPostscripts(tool: Tool, result: Answered, added: readonly Postscript[]): Answered {
  if (added.length === 0) return result;
  const own = blocksOf(tool, result);
  const fields = Object.fromEntries(added.map(({ field, value }) => [field, value]));
  return {
    ...result,
    ...own,
    value: tool.output && isObject(own.value) ? { ...own.value, ...fields } : own.value,
    content: [...own.content, ...added.map(({ text }) => ({ type: 'text' as const, text }))],
  };
}

function blocksOf(tool: Tool, { value, text, content, meta }: Answered) {
  if (content) return { value, content };
  if (tool.output) {
    const { value: marked, json, label } = labelled(tool, value);
    return { value: marked, content: [{ type: 'text' as const, text: text ?? json }, ...label] };
  }
  const said = text ?? (typeof value === 'string' ? value : JSON.stringify(value ?? ''));
  const label = labelFor(tool.carries && said !== '' ? tool.carries : []);
  return {
    value,
    content: [{ type: 'text' as const, text: said }, ...label],
    ...(label.length > 0 && { meta: { ...meta, untrusted: true } }),
  };
}
