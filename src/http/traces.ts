// Spans to an OTLP receiver over HTTP as JSON: request and tool call, each once it is over. A receiver that is slow or
// away costs nothing but the spans: what does not fit is dropped, and the hub never waits for it.
import type { Environment } from '../kernel/config.ts';
import type { Log } from '../kernel/log.ts';
import type { Observer } from '../kernel/observer.ts';
import { openSpan } from '../kernel/span.ts';
import { VERSION } from '../kernel/version.ts';

export interface Traces extends Observer {
  /** Sends what is left. */
  close(): Promise<void>;
}

const MOST_WAITING = 2_000;
const SEND_AT = 200;
const SEND_EVERY_MS = 5_000;
const PATIENCE_MS = 5_000;
/** The end of the hub waits no longer for a receiver that does not answer. */
const PARTING_MS = 1_000;

type Span = Readonly<Record<string, unknown>>;

export function openTraces(endpoint: string, env: Environment, log: Log): Traces {
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`;
  const headers = { 'content-type': 'application/json', ...headersIn(env['OTEL_EXPORTER_OTLP_HEADERS']) };
  const resource = {
    attributes: attributes({
      'service.name': env['OTEL_SERVICE_NAME'] || 'holdfast',
      'service.version': VERSION,
      'process.pid': process.pid,
    }),
  };
  let waiting: Span[] = [];
  let sending: Promise<void> | undefined;
  let isComplained = false;
  const parting = new AbortController();
  const timer = setInterval(() => void flush(), SEND_EVERY_MS);
  timer.unref();

  function add(span: Span): void {
    if (waiting.length >= MOST_WAITING) return;
    waiting.push(span);
    if (waiting.length >= SEND_AT) void flush();
  }

  function flush(): Promise<void> {
    return (sending ??= send().finally(() => (sending = undefined)));
  }

  async function send(): Promise<void> {
    const spans = waiting;
    waiting = [];
    if (spans.length === 0) return;
    const body = {
      resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'holdfast', version: VERSION }, spans }] }],
    };
    try {
      const answer = await fetch(url, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
        redirect: 'error',
        signal: AbortSignal.any([AbortSignal.timeout(PATIENCE_MS), parting.signal]),
      });
      await answer.body?.cancel();
      if (!answer.ok) throw new Error(`it answered ${answer.status}`);
      isComplained = false;
    } catch (error) {
      // Said once until it works again: a receiver that is away for a day is one line and not thousands.
      if (!isComplained)
        log.warn('Traces could not be sent; they are dropped until the receiver answers.', { error });
      isComplained = true;
    }
  }

  return {
    isTracing: true,
    request({ id, method, route, status, ms, span = openSpan() }) {
      add({
        ...timed(ms),
        ...span,
        name: `${method} ${route}`,
        kind: 2,
        attributes: attributes({
          'http.request.method': method,
          'http.route': route,
          'http.response.status_code': status,
          'holdfast.request_id': id,
        }),
        status: { code: status >= 500 ? 2 : 0 },
      });
    },
    call({ server, tool, outcome, ms, span = openSpan() }) {
      add({
        ...timed(ms),
        ...span,
        name: `tools/call ${tool}`,
        kind: 2,
        attributes: attributes({
          'mcp.method.name': 'tools/call',
          'mcp.server': server,
          'mcp.tool.name': tool,
          outcome,
        }),
        status: { code: outcome === 'ok' ? 0 : 2 },
      });
    },
    batch: () => undefined,
    async close() {
      clearInterval(timer);
      const end = setTimeout(() => parting.abort(), PARTING_MS);
      await sending;
      await flush();
      clearTimeout(end);
    },
  };
}

/** Nanoseconds as text, as OTLP has them in JSON. */
function timed(ms: number): Span {
  const end = BigInt(Math.round((performance.timeOrigin + performance.now()) * 1000)) * 1000n;
  const start = end - BigInt(Math.round(ms * 1000)) * 1000n;
  return { startTimeUnixNano: String(start), endTimeUnixNano: String(end) };
}

function attributes(values: Readonly<Record<string, string | number>>): object[] {
  return Object.entries(values).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
  }));
}

/** `name=value,name=value`, as the variable is documented. */
function headersIn(text: string | undefined): Record<string, string> {
  return Object.fromEntries(
    (text ?? '').split(',').flatMap((pair) => {
      const at = pair.indexOf('=');
      return at < 1 ? [] : [[pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())]];
    }),
  );
}
