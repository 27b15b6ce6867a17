import type { Client } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { isObject } from '../../kernel/loose-json.ts';
import { currentTraceparent } from '../../kernel/span.ts';
import type { Question, Reply } from '../ask.ts';
import type { ContentBlock, ResourceContents } from '../content.ts';
import type { McpLogLevel, ToolAnnotations } from '../define.ts';
import { type Abilities, asCapabilities } from '../protocol/abilities.ts';
import { META } from '../protocol/envelope.ts';
import type { Params } from '../protocol/jsonrpc.ts';
import type { Era } from '../protocol/versions.ts';
import type { CompletionTarget, Prompt, PromptMessage, Resource, ResourceTemplate } from '../server.ts';

/** A connected server of others, in words of our own. */
export interface Upstream {
  readonly era: Era;
  readonly name: string;
  readonly version: string;
  readonly instructions: string | undefined;
  readonly offers: Offered;
  listTools(): Promise<readonly UpstreamTool[]>;
  /** The same as it stood on the wire, at most so many: what one tool has wrong does not hide the others. */
  listToolsAsSent(most: number): Promise<Readonly<{ tools: readonly unknown[]; isCut: boolean }>>;
  callTool(name: string, args: Params, call?: CallOptions): Promise<UpstreamResult>;
  listResources(): Promise<readonly Resource[]>;
  listTemplates(): Promise<readonly ResourceTemplate[]>;
  readResource(uri: string, call?: CallOptions): Promise<readonly ResourceContents[]>;
  listPrompts(): Promise<readonly Omit<Prompt, 'get'>[]>;
  getPrompt(
    name: string,
    args: Readonly<Record<string, string>>,
    call?: CallOptions,
  ): Promise<readonly PromptMessage[]>;
  complete(
    target: CompletionTarget,
    argument: Readonly<{ name: string; value: string }>,
    given: Texts,
  ): Promise<readonly string[]>;
  /** Hears of changes of one resource until the returned function is called. `onLost`: the stream they came by has broken. */
  watch(uri: string, onLost?: () => void): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

type Texts = Readonly<Record<string, string>>;

/** What the server says that it has. */
type Offered = Readonly<{
  tools: boolean;
  resources: boolean;
  watching: boolean;
  prompts: boolean;
  completion: boolean;
  logging: boolean;
}>;

export type UpstreamTool = Readonly<{
  name: string;
  title?: string;
  description?: string;
  inputSchema: Params;
  outputSchema?: Params;
  annotations?: Partial<ToolAnnotations>;
}>;

export type UpstreamResult = Readonly<{
  content: readonly ContentBlock[];
  structuredContent?: unknown;
  isError: boolean;
  meta?: Params;
}>;

export type CallOptions = Readonly<{
  signal?: AbortSignal;
  timeoutMs?: number;
  /** Beyond which progress no longer counts as a sign of life. */
  longestMs?: number;
  onProgress?(done: number, total?: number, message?: string): void;
  /** Answers what a 2026-07-28 server asks for on this very call. */
  ask?(questions: Readonly<Record<string, Question>>): Promise<Readonly<Record<string, Reply>>>;
  /** What the one behind this call can be asked for. */
  can?: Abilities;
  logLevel?: McpLogLevel;
}>;

export type UpstreamParts = Readonly<{
  withLogin<T>(work: () => Promise<T>): Promise<T>;
  callMs: number;
  close(): Promise<void>;
}>;

const MOST_ROUNDS = 10;

export function createUpstream(client: Client, { withLogin, callMs, close }: UpstreamParts): Upstream {
  const info = client.getServerVersion();
  const timeout = { timeout: callMs };
  const fresh = { ...timeout, cacheMode: 'refresh' as const };
  const era = client.getProtocolEra() === 'modern' ? 'modern' : 'legacy';

  function optionsOf({ signal, timeoutMs = callMs, longestMs, onProgress }: CallOptions) {
    return {
      timeout: timeoutMs,
      ...(longestMs !== undefined && { maxTotalTimeout: longestMs }),
      ...(signal && { signal }),
      ...(onProgress && {
        onprogress: (report: {
          progress: number;
          total?: number | undefined;
          message?: string | undefined;
        }) => onProgress(report.progress, report.total, report.message),
        resetTimeoutOnProgress: true,
      }),
    };
  }

  /** 2026-07-28 says with every request who asks; what the caller cannot be asked for, the server must not believe. */
  function metaOf({ can, logLevel }: CallOptions): Params {
    const traceparent = currentTraceparent();
    const traced = traceparent !== undefined && { traceparent };
    if (era === 'legacy' || !can) return traced ? { _meta: traced } : {};
    const capabilities = Object.assign(
      {},
      ...[...can].filter((one) => one !== 'tasks').map(asCapabilities),
    ) as Params;
    return {
      _meta: { [META.capabilities]: capabilities, ...(logLevel && { [META.logLevel]: logLevel }), ...traced },
    };
  }

  /** Asks until the server has all it wants. Each round is a request of its own, as the revision has it. */
  async function inRounds<R extends object>(
    call: CallOptions,
    send: (extra: Params) => Promise<R>,
  ): Promise<R> {
    let extra: Params = metaOf(call);
    for (let round = 0; ; round += 1) {
      const result = await send(extra);
      const wanted = result as Partial<Record<'resultType' | 'inputRequests' | 'requestState', unknown>>;
      if (wanted.resultType !== 'input_required' || !call.ask || round >= MOST_ROUNDS) return result;
      const answers = isObject(wanted.inputRequests)
        ? await call.ask(wanted.inputRequests as Record<string, Question>)
        : {};
      extra = {
        ...metaOf(call),
        inputResponses: answers,
        ...(wanted.requestState !== undefined && { requestState: wanted.requestState }),
      };
    }
  }

  const manual = ({ ask }: CallOptions) => (era === 'modern' && ask ? { allowInputRequired: true } : {});

  return {
    era,
    name: info?.name ?? '',
    version: info?.version ?? '',
    instructions: client.getInstructions(),
    offers: offeredBy(client),
    listTools: () =>
      withLogin(
        async () => (await client.listTools(undefined, fresh)).tools as unknown as readonly UpstreamTool[],
      ),
    listToolsAsSent: (most) => withLogin(() => listAsSent(client, most, fresh)),
    callTool: (name, args, call = {}) =>
      withLogin(async () => {
        const result = await inRounds(call, (extra) =>
          client.callTool({ ...extra, name, arguments: args }, { ...optionsOf(call), ...manual(call) }),
        );
        return {
          content: result.content ?? [],
          isError: result.isError === true,
          ...(result.structuredContent !== undefined && { structuredContent: result.structuredContent }),
          ...(result._meta && { meta: result._meta }),
        };
      }),
    listResources: () =>
      withLogin(async () => (await client.listResources(undefined, fresh)).resources as readonly Resource[]),
    listTemplates: () =>
      withLogin(
        async () =>
          (await client.listResourceTemplates(undefined, fresh))
            .resourceTemplates as readonly ResourceTemplate[],
      ),
    readResource: (uri, call = {}) =>
      withLogin(async () => {
        const options = { ...optionsOf(call), ...manual(call), cacheMode: 'refresh' as const };
        const result = await inRounds(call, (extra) => client.readResource({ ...extra, uri }, options));
        return result.contents;
      }),
    listPrompts: () =>
      withLogin(
        async () => (await client.listPrompts(undefined, fresh)).prompts as readonly Omit<Prompt, 'get'>[],
      ),
    getPrompt: (name, args, call = {}) =>
      withLogin(async () => {
        const result = await inRounds(call, (extra) =>
          client.getPrompt(
            { ...extra, name, arguments: { ...args } },
            { ...optionsOf(call), ...manual(call) },
          ),
        );
        return result.messages;
      }),
    complete: (target, argument, given) =>
      withLogin(async () => {
        const ref =
          target.kind === 'prompt'
            ? { type: 'ref/prompt' as const, name: target.name }
            : { type: 'ref/resource' as const, uri: target.uriTemplate };
        const context = Object.keys(given).length > 0 ? { context: { arguments: { ...given } } } : {};
        const { completion } = await client.complete({ ref, argument: { ...argument }, ...context }, timeout);
        return completion.values;
      }),
    watch: (uri, onLost) =>
      withLogin(async () => {
        if (era === 'modern') {
          const subscription = await client.listen({ resourceSubscriptions: [uri] }, timeout);
          void subscription.closed.then((why) => (why === 'local' ? undefined : onLost?.()));
          return () => subscription.close();
        }
        await client.subscribeResource({ uri }, timeout);
        return async () => void (await client.unsubscribeResource({ uri }, timeout));
      }),
    close,
  };
}

function offeredBy(client: Client): Offered {
  const { tools, resources, prompts, completions, logging } = client.getServerCapabilities() ?? {};
  return {
    tools: tools !== undefined,
    resources: resources !== undefined,
    watching: resources?.subscribe === true,
    prompts: prompts !== undefined,
    completion: completions !== undefined,
    logging: logging !== undefined,
  };
}

const loosePage = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });
const MOST_PAGES = 64;

/** The SDK refuses a whole list for one bad entry: then the pages are read one by one, entry by entry. */
async function listAsSent(client: Client, most: number, options: { timeout: number; cacheMode: 'refresh' }) {
  if (client.getServerCapabilities()?.tools === undefined) return { tools: [], isCut: false };
  try {
    const { tools } = await client.listTools(undefined, options);
    return { tools: tools.slice(0, most) as readonly unknown[], isCut: tools.length > most };
  } catch (error) {
    if (!(error instanceof Error) || !/invalid|valid/i.test(error.message)) throw error;
  }
  const tools: unknown[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES && tools.length <= most; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const read = await client.request({ method: 'tools/list', params }, loosePage, {
      timeout: options.timeout,
    });
    tools.push(...read.tools);
    cursor = read.nextCursor;
    if (cursor === undefined) break;
  }
  return { tools: tools.slice(0, most), isCut: tools.length > most || cursor !== undefined };
}
