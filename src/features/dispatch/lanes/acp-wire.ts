import { asObject, asText, type Json, parseObject } from '../frames/common.ts';

/** JSON-RPC over lines, as ACP speaks it. */
export interface Rpc {
  request(method: string, params: object): Promise<Json>;
  notify(method: string, params: object): void;
  /** One line of the other side; answers the message it was, if it was one. */
  receive(line: string): Json | undefined;
  /** The other side is gone: whoever waits is told. */
  end(why: Error): void;
}

export class RpcFailure extends Error {
  override readonly name = 'RpcFailure';
  readonly code: number;
  /** What the agent calls it, where it does. */
  readonly kind: string | undefined;

  constructor(code: number, message: string, kind?: string) {
    super(message);
    this.code = code;
    this.kind = kind;
  }
}

export type Served = Readonly<{
  write(line: string): void;
  /** Undefined: no such method. */
  serve(method: string, params: Json): Promise<object> | undefined;
  hear(method: string, params: Json): void;
}>;

const NO_METHOD = { code: -32_601, message: 'Method not found' };

export function createRpc({ write, serve, hear }: Served): Rpc {
  const waiting = new Map<number, Readonly<{ resolve(result: Json): void; reject(error: Error): void }>>();
  let next = 0;
  let over: Error | undefined;
  const say = (message: object) => write(JSON.stringify({ jsonrpc: '2.0', ...message }));

  function answer(id: unknown, method: string, params: Json): void {
    const served = serve(method, params);
    if (!served) return say({ id, error: NO_METHOD });
    served.then(
      (result) => say({ id, result }),
      (error: unknown) =>
        say({ id, error: { code: -32_603, message: error instanceof Error ? error.message : 'failed' } }),
    );
  }

  function settle(message: Json): void {
    const waiter = waiting.get(message['id'] as number);
    if (!waiter) return;
    waiting.delete(message['id'] as number);
    const error = asObject(message['error']);
    if (error) waiter.reject(new RpcFailure(Number(error['code']) || 0, describe(error), kindOf(error)));
    else waiter.resolve(asObject(message['result']) ?? {});
  }

  return {
    request(method, params) {
      if (over) return Promise.reject(over);
      const id = (next += 1);
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        say({ id, method, params });
      });
    },
    notify: (method, params) => say({ method, params }),
    receive(line) {
      const message = parseObject(line);
      if (!message) return undefined;
      const method = asText(message['method']);
      const params = asObject(message['params']) ?? {};
      if (method === undefined) settle(message);
      else if (message['id'] === undefined) hear(method, params);
      else answer(message['id'], method, params);
      return message;
    },
    end(why) {
      over = why;
      for (const { reject } of waiting.values()) reject(why);
      waiting.clear();
    },
  };
}

function kindOf(error: Json): string | undefined {
  const data = asObject(error['data']);
  return asText(data?.['errorKind']) ?? asText(data?.['codexErrorInfo']);
}

/** Adapters put the real reason into `data`. */
function describe(error: Json): string {
  const message = asText(error['message']) ?? 'the agent reported an error';
  const data = asObject(error['data']);
  const details = asText(error['data']) ?? asText(data?.['details']) ?? asText(data?.['message']);
  return details === undefined || message.includes(details) ? message : `${message}: ${details}`;
}
