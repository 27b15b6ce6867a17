import type { Client } from '@modelcontextprotocol/client';
import type { ContentBlock, ResourceContents } from '../content.ts';
import type { ToolAnnotations } from '../define.ts';
import type { Params } from '../protocol/jsonrpc.ts';
import type { Era } from '../protocol/versions.ts';
import type { Prompt, PromptMessage, Resource, ResourceTemplate } from '../server.ts';

/** A connected server of others, in words of our own. */
export interface Upstream {
  readonly era: Era;
  readonly name: string;
  readonly version: string;
  readonly instructions: string | undefined;
  listTools(): Promise<readonly UpstreamTool[]>;
  callTool(name: string, args: Params, call?: CallOptions): Promise<UpstreamResult>;
  listResources(): Promise<readonly Resource[]>;
  listTemplates(): Promise<readonly ResourceTemplate[]>;
  readResource(uri: string): Promise<readonly ResourceContents[]>;
  listPrompts(): Promise<readonly Omit<Prompt, 'get'>[]>;
  getPrompt(name: string, args: Readonly<Record<string, string>>): Promise<readonly PromptMessage[]>;
  close(): Promise<void>;
}

export type UpstreamTool = Readonly<{
  name: string;
  title?: string;
  description?: string;
  inputSchema: Params;
  outputSchema?: Params;
  annotations?: Partial<ToolAnnotations>;
}>;

export type UpstreamResult = Readonly<{ content: readonly ContentBlock[]; structuredContent?: unknown; isError: boolean; meta?: Params }>;

export type CallOptions = Readonly<{
  signal?: AbortSignal;
  timeoutMs?: number;
  onProgress?(done: number, total?: number, message?: string): void;
}>;

type WithLogin = <T>(work: () => Promise<T>) => Promise<T>;

export function createUpstream(client: Client, withLogin: WithLogin, callMs: number): Upstream {
  const info = client.getServerVersion();
  const timeout = { timeout: callMs };
  return {
    era: client.getProtocolEra() === 'modern' ? 'modern' : 'legacy',
    name: info?.name ?? '',
    version: info?.version ?? '',
    instructions: client.getInstructions(),
    listTools: () => withLogin(async () => (await client.listTools(undefined, timeout)).tools as unknown as readonly UpstreamTool[]),
    callTool: (name, args, { signal, timeoutMs = callMs, onProgress } = {}) =>
      withLogin(async () => {
        const result = await client.callTool(
          { name, arguments: args },
          {
            timeout: timeoutMs,
            ...(signal && { signal }),
            ...(onProgress && {
              onprogress: ({ progress, total, message }) => onProgress(progress, total, message),
              resetTimeoutOnProgress: true,
            }),
          },
        );
        return {
          content: result.content ?? [],
          isError: result.isError === true,
          ...(result.structuredContent !== undefined && { structuredContent: result.structuredContent }),
          ...(result._meta && { meta: result._meta }),
        };
      }),
    listResources: () => withLogin(async () => (await client.listResources(undefined, timeout)).resources as readonly Resource[]),
    listTemplates: () =>
      withLogin(async () => (await client.listResourceTemplates(undefined, timeout)).resourceTemplates as readonly ResourceTemplate[]),
    readResource: (uri) => withLogin(async () => (await client.readResource({ uri }, timeout)).contents as readonly ResourceContents[]),
    listPrompts: () => withLogin(async () => (await client.listPrompts(undefined, timeout)).prompts as readonly Omit<Prompt, 'get'>[]),
    getPrompt: (name, args) =>
      withLogin(async () => (await client.getPrompt({ name, arguments: { ...args } }, timeout)).messages as readonly PromptMessage[]),
    close: () => client.close(),
  };
}
