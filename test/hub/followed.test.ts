import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { spanOfRun, traceparentOf } from '../../src/kernel/span.ts';
import { freshFolder } from '../fixtures/databases.ts';
import { dispatchHub } from '../fixtures/dispatch-hub.ts';
import { openReceiver, spansIn } from '../fixtures/otlp-receiver.ts';

const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));

it('one call is found under one id in its run, the hub, the server behind it, the metrics and the log', async () => {
  const { received, url } = await openReceiver();
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = url;
  onTestFinished(() => void delete process.env['OTEL_EXPORTER_OTLP_ENDPOINT']);
  const folder = freshFolder();
  const [told, log] = ['told', 'access.log'].map((name) => join(folder, name)) as [string, string];
  const { execPath: node } = process;
  const hub = await dispatchHub(
    'sqlite',
    { traced: { family: 'command', command: [node, fixture('dispatch/traced.mjs'), 'telling__note'] } },
    {
      sources: { telling: { command: [node, fixture('source-telling.mjs'), told], trust: 'all' } },
      'access-log': log,
    },
  );
  await expect
    .poll(async () => (await hub.ask('GET', '/api/sources')).body.sources[0].state, { timeout: 20_000 })
    .toBe('ready');
  const run = await hub.run('go', 'traced');
  expect(JSON.stringify(run)).toContain('noted');
  const metrics = await (await hub.fetch('/metrics')).text();
  expect(metrics).toMatch(/holdfast_tool_calls_total\{server="\w+",tool="telling__note",outcome="ok"\} 1\n/);
  await hub.hub.close();

  const { traceId, spanId } = spanOfRun(run.task_id);
  const inTrace = spansIn(received).filter((span) => span.traceId === traceId);
  const call = inTrace.find(({ name }) => name === 'tools/call telling__note');
  const request = inTrace.find((span) => span.spanId === call.parentSpanId);
  expect(request).toMatchObject({ name: 'POST /mcp', parentSpanId: spanId });
  const [meta] = readFileSync(told, 'utf8').trimEnd().split('\n');
  expect(JSON.parse(meta!)).toMatchObject({ traceparent: traceparentOf(call) });
  const id = request.attributes.find(({ key }: { key: string }) => key === 'holdfast.request_id');
  const lines = readFileSync(log, 'utf8').trimEnd().split('\n');
  expect(lines.filter((line) => JSON.parse(line).id === id.value.stringValue)).toEqual([
    expect.stringContaining('"route":"/mcp"'),
  ]);
});
