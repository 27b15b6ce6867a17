import { redact, redactTexts, redactValue } from '../../../kernel/redact.ts';
import type { ContentBlock } from '../../../mcp/content.ts';
import type { ToolResult } from '../../../mcp/define.ts';
import { shortenOutput, type ShorteningStats } from './shortening/shorten.ts';
import type { Hide } from './hidden-values.ts';
import { type Leftovers, MOST_EACH } from './leftovers.ts';
import type { WorldTool } from '../world-tool.ts';

/** The most characters of text that one answer carries; the rest waits under a cursor. */
const CEILING = 256 * 1024;
/** Of a text too long to be kept for reading on, this much of its beginning and of its end. */
const ENDS = 2 * 1024 * 1024;
/** Rules look at every line; what is longer than this is only cut. */
const MOST_SHORTENED = 3 * ENDS;

/** What came of running an executor. */
export type Executed = Readonly<{
  result: ToolResult<unknown>;
  outcome: 'ok' | 'error' | 'timeout' | 'cancelled';
}>;

export type Finished = Readonly<{ result: ToolResult<unknown>; summary: unknown }>;

export type Finishing = Readonly<{ keep(rest: string): ReturnType<Leftovers['keep']>; hide: Hide }>;

/** As far as a secret may reach beyond the place where its text is cut. */
const OVERLAP = 20_000;

/** From what an executor answered to what the caller gets: shortened, bounded, without secrets. */
export function finishAnswer(
  tool: WorldTool,
  answered: ToolResult<unknown>,
  { keep, hide }: Finishing,
): Finished {
  const result = {
    ...answered,
    ...(answered.meta && { meta: hideDeep(redactTexts(answered.meta), hide) }),
  } as ToolResult<unknown>;
  if (!result.ok) {
    const line = hide(redact(clean(result.line))).slice(0, CEILING);
    const value = result.value && { value: hideDeep(redactValue(result.value), hide) as object as never };
    const hint = result.hint === undefined ? {} : { hint: hide(result.hint) };
    const scrub = (given: string) => hide(redact(clean(given))).slice(0, CEILING);
    const said = result.content?.map((block, i) => shortenBlock(block, `content.${i}`, scrub));
    return { result: { ...result, line, ...value, ...hint, ...(said && { content: said }) }, summary: line };
  }
  const stats: ShorteningStats[] = [];
  const cut: Record<string, { rest: number; cursor: string | null }> = {};
  const shorten = (given: string, name: string, mayShorten: boolean): string => {
    const left = given.length > CEILING + MOST_EACH ? given.length - 2 * ENDS : 0;
    const mask = (text: string) => hide(tool.isVerbatim ? text : redact(text));
    // Masked before anything is left out: half a secret looks like none.
    let out = left > 0 ? bothEnds(given, left, (text) => mask(clean(text))) : mask(clean(given));
    if (mayShorten && out.length <= MOST_SHORTENED) {
      const { text: shorter, stats: one } = shortenOutput(out);
      if (one.rule !== 'none') stats.push(one);
      out = shorter;
    }
    if (out.length <= CEILING) return out;
    const end = boundary(out, CEILING);
    const rest = out.length - end + left;
    const cursor = keep(out.slice(end)) ?? null;
    cut[name] = { rest, cursor };
    const where =
      cursor === null
        ? 'too much is kept for others already: ask for less'
        : `read on with the cursor ${cursor}`;
    return `${out.slice(0, end)}\n[cut here: ${rest} more characters; ${where}]`;
  };

  const text = result.text === undefined ? undefined : shorten(result.text, 'text', true);
  const value = shortenFields(result.value, tool, shorten);
  const meta = {
    ...result.meta,
    ...(stats.length > 0 && { compaction: stats.length === 1 ? stats[0] : stats }),
    ...(Object.keys(cut).length > 0 && { cut }),
  };
  const blocks = result.content?.map((block, i) => shortenBlock(block, `content.${i}`, shorten));
  const finished = {
    ...result,
    value,
    ...(text !== undefined && { text }),
    ...(blocks && { content: hideDeep(blocks, hide) as typeof blocks }),
    ...(Object.keys(meta).length > 0 && { meta }),
  };
  return { result: finished, summary: text ?? value ?? blocks?.map(summaryOf) };
}

type Shorten = (text: string, name: string, mayShorten: boolean) => string;

/** Pictures and sound pass as they are; text inside any block is text like every other. */
function shortenBlock(block: ContentBlock, name: string, shorten: Shorten): ContentBlock {
  if (block.type === 'text') return { ...block, text: shorten(block.text, name, true) };
  if (block.type === 'resource_link') return redactTexts(block);
  if (block.type !== 'resource' || !('text' in block.resource)) return block;
  return { ...block, resource: { ...block.resource, text: shorten(block.resource.text, name, true) } };
}

function summaryOf(block: ContentBlock): unknown {
  return block.type === 'text' ? block.text : { type: block.type };
}

/** Every text of a value, each by the name of its field. */
function shortenFields(value: unknown, tool: WorldTool, shorten: Shorten): unknown {
  const mayShorten = (path: string) =>
    tool.shorten?.includes(path) ?? (path === '' && tool.output === undefined);
  const walk = (part: unknown, path: string): unknown => {
    if (typeof part === 'string') return shorten(part, path === '' ? 'text' : path, mayShorten(path));
    if (part === null || typeof part !== 'object') return part;
    if (Array.isArray(part)) return part.map((item, i) => walk(item, `${path}.${i}`));
    return Object.fromEntries(
      Object.entries(part).map(([key, item]) => [key, walk(item, path === '' ? key : `${path}.${key}`)]),
    );
  };
  return walk(value, '');
}

function hideDeep(value: unknown, hide: Hide): unknown {
  if (typeof value === 'string') return hide(value);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item) => hideDeep(item, hide));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [hide(key), hideDeep(item, hide)]));
}

function bothEnds(text: string, left: number, mask: (text: string) => string): string {
  const [head, tail] = [mask(text.slice(0, ENDS + OVERLAP)), mask(text.slice(-ENDS - OVERLAP))];
  return `${head.slice(0, ENDS)}\n[… ${left} characters left out …]\n${tail.slice(-ENDS)}`;
}

/** Bytes that are no text are named, not sent: a terminal or a model can do nothing with them. */
function clean(text: string): string {
  if (!text.includes('\0')) return text.isWellFormed() ? text : text.toWellFormed();
  const sample = text.slice(0, 4_096);
  const strange = sample.match(/[\u0000-\u0008\u000e-\u001f\ufffd]/g)?.length ?? 0;
  if (strange > sample.length / 20) return `[binary output of ${text.length} characters, not shown]`;
  return text.replaceAll('\0', '\u2400').toWellFormed();
}

function boundary(text: string, at: number): number {
  const code = text.charCodeAt(at - 1);
  return code >= 0xd800 && code <= 0xdbff ? at - 1 : at;
}
