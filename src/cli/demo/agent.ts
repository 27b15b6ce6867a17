/** An agent of the demo: a real MCP client over HTTP with a token of its own, so that the hub treats it as any other. */
export interface DemoAgent {
  readonly name: string;
  /** Calls a tool of the hub endpoint; answers its structured result. */
  call<T = Record<string, unknown>>(tool: string, args?: Readonly<Record<string, unknown>>): Promise<T>;
}

type Answer = Readonly<{
  result?: { structuredContent?: unknown; isError?: boolean; content?: { text?: string }[] };
  error?: { message: string };
}>;

export async function joinAs(address: string, name: string, token: string): Promise<DemoAgent> {
  let session: string | null = null;
  let id = 0;

  async function ask(method: string, params: object, isNotice = false): Promise<Answer> {
    const response = await fetch(`${address}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(session !== null && { 'mcp-session-id': session }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...(!isNotice && { id: (id += 1) }), method, params }),
    });
    session ??= response.headers.get('mcp-session-id');
    const text = await response.text();
    if (isNotice || text === '') return {};
    const data = response.headers.get('content-type')?.startsWith('text/event-stream')
      ? lastData(text)
      : text;
    return JSON.parse(data) as Answer;
  }

  await ask('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name, version: '1' },
  });
  await ask('notifications/initialized', {}, true);
  return {
    name,
    async call<T>(tool: string, args: Readonly<Record<string, unknown>> = {}): Promise<T> {
      const { result, error } = await ask('tools/call', { name: tool, arguments: args });
      const problem =
        error?.message ?? (result?.isError ? (result.content?.[0]?.text ?? 'refused') : undefined);
      if (problem !== undefined) throw new Error(`${tool}: ${problem}`);
      return result?.structuredContent as T;
    },
  };
}

/** Of an answer as a stream, the answer itself comes last. */
function lastData(stream: string): string {
  return (
    stream
      .split('\n')
      .findLast((line) => line.startsWith('data:'))
      ?.slice('data:'.length) ?? '{}'
  );
}
