import { readFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { openTraces } from '../../src/http/traces.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { eachEngine, freshPlace } from '../fixtures/databases.ts';
import { openTestHub } from '../fixtures/hub.ts';
import { openReceiver, spansIn } from '../fixtures/otlp-receiver.ts';
import { MODERN_META } from '../fixtures/modern-call.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const namesIn = (text: string) => new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!));

eachEngine('/metrics', (engine) => {
  it('counts requests, calls and batches, and says how the hub stands', async () => {
    const env: Record<string, string> = {};
    if (engine === 'postgres') {
      const { location, schema } = await freshPlace('postgres');
      Object.assign(env, { HOLDFAST_DATABASE_URL: location, HOLDFAST_DATABASE_SCHEMA: schema! });
    }
    const hub = await openTestHub({ env });
    await hub.rpc('/api/mcp/tasks', 'tools/call', {
      _meta: MODERN_META,
      name: 'create_task',
      arguments: { title: 'one' },
    });
    await hub.rpc('/api/mcp/tasks', 'tools/call', {
      _meta: MODERN_META,
      name: 'get_task',
      arguments: { taskId: 'nothing' },
    });
    await hub.rpc('/api/mcp/tasks', 'tools/call', {
      _meta: MODERN_META,
      name: 'no-such-tool',
      arguments: {},
    });
    await hub.fetch('/api/board/tasks?secret=canary-in-a-query');
    const answer = await hub.fetch('/metrics');
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const text = await answer.text();
    expect(text).toContain('holdfast_tool_calls_total{server="tasks",tool="create_task",outcome="ok"} 1');
    expect(text).toContain('holdfast_tool_calls_total{server="tasks",tool="get_task",outcome="error"} 1');
    expect(text).toContain('holdfast_tool_calls_total{server="tasks",tool="none",outcome="refused"} 1');
    expect(text).toContain(
      'holdfast_http_requests_total{method="GET",route="/api/board/tasks",status="4xx"} 1',
    );
    expect(text).toContain('holdfast_tasks{status="todo"} 1');
    expect(text).toMatch(/holdfast_write_batch_size_count [1-9]/);
    expect(text).not.toContain('canary');
    expect(text).not.toContain('such');
    for (const line of text.trimEnd().split('\n'))
      expect(line).toMatch(
        /^(# (HELP|TYPE) |[a-z_]+(\{[a-zA-Z_]+="[^"]*"(,[a-zA-Z_]+="[^"]*")*\})? -?[\d.e+-]+$)/,
      );
  });
});

it('is what the dashboard asks for and the guide tells, name by name', async () => {
  const hub = await openTestHub();
  const known = namesIn(await (await hub.fetch('/metrics')).text());
  const dashboard = JSON.parse(read('docs/observability/grafana.json')) as {
    panels: { targets: { expr: string }[] }[];
  };
  const asked = new Set(
    dashboard.panels.flatMap(({ targets }) =>
      targets.flatMap(({ expr }) => expr.match(/holdfast_\w+/g) ?? []),
    ),
  );
  const { groups } = parse(read('docs/observability/alerts.yaml')) as {
    groups: { rules: { alert: string; expr: string; annotations: { summary: string } }[] }[];
  };
  const base = (name: string) => (known.has(name) ? name : name.replace(/_(bucket|sum|count)$/, ''));
  expect(new Set([...asked].map(base))).toEqual(known);
  for (const { alert, expr, annotations } of groups.flatMap(({ rules }) => rules)) {
    for (const name of expr.match(/holdfast_\w+/g) ?? []) expect(known, alert).toContain(base(name));
    expect(annotations.summary, alert).toMatch(/\.$/);
  }
  const told = new Set(
    [...read('docs/guides/observability.md').matchAll(/^\| `(holdfast_\w+)`/gm)].map(([, name]) => name),
  );
  expect(told).toEqual(known);
});

it('spans reach a receiver as OTLP, in the trace the request came with', async () => {
  const { received, url } = await openReceiver();
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = `${url}/`;
  process.env['OTEL_EXPORTER_OTLP_HEADERS'] = 'x-team=tide%20pool';
  onTestFinished(() => {
    delete process.env['OTEL_EXPORTER_OTLP_ENDPOINT'];
    delete process.env['OTEL_EXPORTER_OTLP_HEADERS'];
  });
  const hub = await openTestHub();
  const trace = '0af7651916cd43dd8448eb211c80319c';
  await hub.fetch('/api/board/tasks?q=canary', {
    headers: { traceparent: `00-${trace}-b7ad6b7169203331-01` },
  });
  await hub.rpc('/api/mcp/tasks', 'tools/call', {
    _meta: MODERN_META,
    name: 'create_task',
    arguments: { title: 'canary' },
  });
  await hub.hub.close();
  const spans = spansIn(received);
  expect(received[0]).toMatchObject({ path: '/v1/traces', headers: { 'x-team': 'tide pool' } });
  const listed = spans.find(({ name }) => name === 'GET /api/board/tasks');
  expect(listed).toMatchObject({
    traceId: trace,
    parentSpanId: 'b7ad6b7169203331',
    kind: 2,
    status: { code: 0 },
  });
  expect(BigInt(listed.endTimeUnixNano) - BigInt(listed.startTimeUnixNano)).toBeGreaterThan(0n);
  expect(spans.map(({ name }) => name)).toContain('tools/call create_task');
  expect(JSON.stringify(received)).not.toContain('canary');
});

it('a receiver that answers 500 or is away is complained of once and waited for by nobody', async () => {
  const { url, received } = await openReceiver(() => 500);
  const warnings: string[] = [];
  const log = { ...silentLog, warn: (message: string) => void warnings.push(message) };
  const facts = { id: 'x', method: 'GET', route: '/r', status: 200, ms: 1, span: undefined };
  const traces = openTraces(url, {}, log);
  for (let i = 0; i < 450; i += 1) traces.request(facts);
  await traces.close();
  expect(received.length).toBeGreaterThan(0);
  expect(warnings).toHaveLength(1);
  const away = openTraces('http://127.0.0.1:9', {}, log);
  for (let i = 0; i < 10_000; i += 1) away.request(facts);
  await away.close();
  expect(warnings).toHaveLength(2);
});

it.each(['hangs', 'is away'])('a receiver that %s slows neither the hub nor its end', async (how) => {
  const { received, url } = await openReceiver(() => 'never');
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = how === 'hangs' ? url : 'http://127.0.0.1:9';
  onTestFinished(() => void delete process.env['OTEL_EXPORTER_OTLP_ENDPOINT']);
  const hub = await openTestHub();
  const headers = { authorization: `Bearer ${hub.token}` };
  const slowest = { ms: 0 };
  // Twice as many as go out at once: the rest waits behind the ones that nobody answers.
  for (let i = 0; i < 450; i += 1) {
    const startedAt = performance.now();
    expect((await hub.fetch('/api/board/tasks', { headers })).status).toBe(200);
    slowest.ms = Math.max(slowest.ms, performance.now() - startedAt);
  }
  expect(slowest.ms).toBeLessThan(2_000);
  expect(received.length > 0).toBe(how === 'hangs');
  const endingAt = performance.now();
  await hub.hub.close();
  expect(performance.now() - endingAt).toBeLessThan(4_000);
});

it('who looks at the hub with curl is told what it is; who wants JSON gets JSON', async () => {
  const hub = await openTestHub();
  const at = (accept: string) => hub.fetch('/', { headers: { accept } });
  const plain = await at('*/*');
  expect([plain.status, plain.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
  expect(await plain.text()).toMatch(/^Holdfast \S+: one hub .*\n\n {2}the page/);
  expect((await at('application/json')).status).toBe(404);
  expect((await at('text/html')).headers.get('content-type')).toMatch(/^text\/html/);
});
