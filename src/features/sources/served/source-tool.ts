import { HubError } from '../../../kernel/errors.ts';
import { isObject } from '../../../kernel/loose-json.ts';
import type { Principal } from '../../../kernel/principal.ts';
import type { ContentBlock } from '../../../mcp/content.ts';
import type { ToolAnnotations, ToolContext, ToolResult } from '../../../mcp/define.ts';
import { RpcError, type Params } from '../../../mcp/protocol/jsonrpc.ts';
import { MARK } from '../../../mcp/untrusted.ts';
import { isRefused } from '../../../mcp/upstream/failures.ts';
import type { CallOptions, UpstreamResult, UpstreamTool } from '../../../mcp/upstream/upstream.ts';
import { toolCallerOf, type WorldTool } from '../../broker/broker.ts';
import { type Conversations, keyOfQuestion, type CallLine } from '../upstream/conversations.ts';
import { hashOf } from '../review/definitions.ts';
import type { RunningLink } from '../upstream/link.ts';
import type { PinStanding } from '../review/pins.ts';
import { inputFor } from '../review/schema-check.ts';
import { withoutHidden, withSeenWords } from '../review/scan.ts';
import type { Supervisor } from '../upstream/supervisor.ts';

/** Progress counts as a sign of life for so many times the limit of a call. */
const PATIENCE = 10;
const MOST_DESCRIPTION = 8_000;

export type SourceToolParts = Readonly<{
  /** Its name here. */
  name: string;
  tool: UpstreamTool;
  /** Of its definition: what is approved, granted and run is this one. */
  hash: string;
  supervisor: Supervisor;
  conversations: Conversations;
  /** How this very definition stands now; undefined when its source lists another one, or none. */
  standing(): PinStanding | undefined;
  isHidden(): boolean;
  /** A person has approved its first use: it was called. */
  onUsed(who: Principal): Promise<void>;
}>;

/** A tool of a source as the broker governs it. */
export function sourceTool({
  name,
  tool,
  hash,
  supervisor,
  conversations,
  standing,
  isHidden,
  onUsed,
}: SourceToolParts): WorldTool {
  const { entry } = supervisor;
  let input: WorldTool['input'] | undefined;
  const { title, description = '', inputSchema, outputSchema, annotations } = tool;
  return {
    name,
    title: withoutHidden(title ?? (annotations as { title?: string } | undefined)?.title ?? tool.name).slice(
      0,
      200,
    ),
    description: withoutHidden(description).slice(0, MOST_DESCRIPTION),
    // Made at the first call: most tools of most servers are never called.
    get input() {
      return (input ??= inputFor(inputSchema));
    },
    inputSchema: withSeenWords(inputSchema),
    ...(outputSchema && { outputSchema: admittingErrors(withSeenWords(outputSchema)) }),
    annotations: annotationsOf(annotations),
    scope: 'tools:call',
    effect: 'world',
    owner: 'mcp',
    isForeign: true,
    source: entry.name,
    tags: entry.tags,
    isHidden,
    risk: annotations?.destructiveHint === true && annotations.readOnlyHint !== true ? 'destructive' : 'safe',
    isTrusted: entry.trust === 'all',
    timeoutMs: entry.timeout * PATIENCE + 5_000,
    open: (args: never) => Object.keys(args).filter((name) => !ORDERS.test(name)),
    // An approval or a grant that was given for one definition is none for the next.
    facts: async () => ({ [DEFINITION]: hash }),
    asks: () => (standing() === 'asks' ? firstUse(name, entry.name) : undefined),
    async handler(args: never, context: ToolContext) {
      // A source need not say that it has changed: what a person has just allowed for the first time is looked at again.
      await supervisor.upToDate(standing() === 'asks' ? 'look' : 'announced');
      const now = standing();
      if (now === undefined) throw changedSince(name, entry.name);
      if (now === 'quarantined' || now === 'rejected') throw held(name, entry.name, now);
      if (now === 'asks') await onUsed(context.who);
      const key = hashOf(JSON.stringify([ownerOf(context.who), entry.name, tool.name, args]));
      try {
        return answerOf(
          await conversations.hold(key, context, (line) =>
            supervisor.call(runningFor(context, line), annotations ?? {}, (upstream) =>
              upstream.callTool(tool.name, args, callOptions(context, line, entry.timeout)),
            ),
          ),
        );
      } catch (error) {
        throw passedOn(error);
      }
    },
  };
}

/**
 * Arguments by whose names a server is told what to run or where to reach: these stay as they were approved. Anything else a person
 * may leave open, reading what stays.
 */
const ORDERS =
  /command|cmd|script|code|exec|eval|shell|sql|query|program|argv|args|path|file|dir|folder|cwd|url|uri|host|addr|endpoint|env|user|owner|to$|recipient/i;

/** No argument of a tool is called this. */
const DEFINITION = '@definition';

/** How a first use is written down. */
export function firstUseBy(who: Principal): string {
  return `first use by ${who.bound.agent ?? `${who.kind}:${who.id}`}`;
}

/** Who a connection or a question belongs to: the agent, else the connection, else the credential. */
export function ownerOf(who: Principal): string {
  const { principal, agentId } = toolCallerOf(who);
  return agentId === null ? `${principal} ${who.seat}` : principal;
}

export function runningFor(context: ToolContext, line: CallLine): RunningLink {
  return {
    caller: ownerOf(context.who),
    async ask(question) {
      const key = keyOfQuestion(question);
      return (await line.ask({ [key]: question }))[key]!;
    },
    say: ({ level, data, logger }) => line.say(level, data, logger),
  };
}

export function callOptions(context: ToolContext, line: CallLine, timeoutMs: number): CallOptions {
  return {
    signal: line.signal,
    timeoutMs,
    longestMs: timeoutMs * PATIENCE,
    onProgress: (done, total, message) => line.progress(done, total, message),
    ask: (questions) => line.ask(questions),
    can: context.can,
    logLevel: 'debug',
  };
}

/** What the server itself refused is its answer, in its own words; a lost capability is for the protocol to say. */
export function passedOn(error: unknown): unknown {
  const refused = error instanceof HubError ? error.details['refused'] : undefined;
  if (!isRefused(refused)) return error;
  if (refused.code === -32_021)
    return new RpcError(refused.code, refused.message, { ...dataOf(refused.data), status: 400 });
  return new HubError('invalid', refused.message, { code: refused.code, untrusted: true }).because(error);
}

function dataOf(data: unknown): { data?: Params } {
  return data !== null && typeof data === 'object' ? { data: data as Params } : {};
}

function answerOf({ content, structuredContent, isError, meta }: UpstreamResult): ToolResult<unknown> {
  const value = isObject(structuredContent) ? { ...structuredContent, untrusted: true } : undefined;
  // Clients show structured content in place of blocks, so an answer of blocks alone is marked beside them.
  const marked = value ? meta : { ...meta, untrusted: true };
  const shared = { content, ...(marked && { meta: marked }) };
  if (!isError) return { ok: true, value, ...shared };
  return { ok: false, line: textOf(content), code: 'invalid', ...(value && { value }), ...shared };
}

function textOf(content: readonly ContentBlock[]): string {
  return (
    content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n') || 'the tool failed'
  );
}

/** The pessimistic defaults of the protocol, said out loud. */
function annotationsOf(given: Partial<ToolAnnotations> = {}): ToolAnnotations {
  const isReading = given.readOnlyHint === true;
  return {
    readOnlyHint: isReading,
    destructiveHint: given.destructiveHint ?? !isReading,
    idempotentHint: given.idempotentHint ?? false,
    openWorldHint: given.openWorldHint ?? true,
  };
}

/**
 * Older clients check the answers of failed calls, too: see `outputSchemaOf` in mcp/schema.ts. All that a source answers is
 * text of others, and is marked so.
 */
function admittingErrors(schema: Params): Params {
  const { additionalProperties: _, required, properties, ...rest } = schema;
  const marked = { ...rest, properties: { ...(properties as Params | undefined), untrusted: MARK } };
  return Array.isArray(required) && required.length > 0 && schema['anyOf'] === undefined
    ? { ...marked, anyOf: [{ required }, { required: ['error'] }] }
    : { ...schema, properties: marked.properties };
}

function firstUse(name: string, source: string): { reason: string; message: string } {
  return {
    reason: `source:first-use:${source}`,
    message: `"${name}" of the source ${source} is used for the first time and needs approval`,
  };
}

export function held(name: string, source: string, standing: 'quarantined' | 'rejected'): HubError {
  const why =
    standing === 'rejected' ? 'a person rejected its definition' : 'its definition is new or has changed';
  const hint =
    standing === 'rejected'
      ? `Do without it; a person can take that back: holdfast source review ${source}`
      : `A person can look at the difference and approve it: holdfast source review ${source}`;
  return new HubError('forbidden', `${name} is ${standing}: ${why}.`, { source, hint });
}

function changedSince(name: string, source: string): HubError {
  return new HubError('conflict', `${name} was not run: its definition has changed since it was called.`, {
    source,
    hint: 'Read its definition again and call it anew; what was allowed was the one before.',
  });
}
