// Counters and histograms of this process in the text format of Prometheus. Names and labels are ours and bounded: no
// label holds what a caller wrote.
import { statfsSync } from 'node:fs';
import type { Observer } from '../../kernel/observer.ts';
import type { HubFigures } from './figures.ts';

export interface Metrics extends Observer {
  render(figures: HubFigures): string;
}

/** Seconds, as Prometheus counts; from a tenth of a millisecond to ten seconds. */
const LATENCIES = [0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256];
/** Tools of sources come and go; beyond this many names they are counted together. */
const MOST_SERIES = 500;

/** `home`: the folder whose disk is watched. */
export function createMetrics(home: string): Metrics {
  const requests = family(
    'holdfast_http_requests_total',
    'Requests over HTTP that were answered.',
    'counter',
  );
  const requestSeconds = histogram('holdfast_http_request_seconds', 'Time to answer a request.', LATENCIES);
  const calls = family('holdfast_tool_calls_total', 'Tool calls by server, tool and outcome.', 'counter');
  const callSeconds = histogram('holdfast_tool_call_seconds', 'Time to answer a tool call.', LATENCIES);
  const batches = histogram('holdfast_write_batch_size', 'Changes that shared one commit.', SIZES);
  const commitSeconds = histogram('holdfast_commit_seconds', 'Time to write a batch to disk.', LATENCIES);
  let waiting = 0;
  return {
    request({ method, route, status, ms }) {
      const where = { method, route };
      requests.add({ ...where, status: `${Math.floor(status / 100)}xx` }, 1);
      requestSeconds.add({}, ms / 1000);
    },
    call({ server, tool, outcome, ms }) {
      calls.add({ server, tool, outcome }, 1);
      callSeconds.add({ server }, ms / 1000);
    },
    batch(facts) {
      waiting = facts.waiting;
      batches.add({}, facts.units);
      commitSeconds.add({}, facts.ms / 1000);
    },
    render(figures) {
      const queue = family(
        'holdfast_write_queue',
        'Changes that waited when the last batch was taken.',
        'gauge',
      );
      queue.add({}, waiting);
      const families = [requests, requestSeconds, calls, callSeconds, batches, commitSeconds, queue];
      return `${[...families, ...figureFamilies(figures, home)].map((each) => each.render()).join('\n')}\n`;
    },
  };
}

type Titled = Readonly<{ name: string; help: string }>;

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

function figureFamilies(figures: HubFigures, home: string): Family[] {
  const counted = (label: string, { name, help }: Titled, counts: Readonly<Record<string, number>>) => {
    const gauge = family(name, help, 'gauge');
    for (const [value, count] of Object.entries(counts)) gauge.add({ [label]: value }, count);
    return gauge;
  };
  const single = (name: string, help: string, value: number) => {
    const gauge = family(name, help, 'gauge');
    gauge.add({}, value);
    return gauge;
  };
  const memory = process.memoryUsage();
  return [
    counted('status', { name: 'holdfast_tasks', help: 'Tasks on the board by status.' }, figures.tasks),
    single('holdfast_leases', 'Claims whose lease has not run out.', figures.leases),
    single(
      'holdfast_leases_lapsed',
      'Claims whose lease ran out and that are not swept yet.',
      figures.lapsed,
    ),
    single('holdfast_approvals_pending', 'Calls that wait for a person.', figures.approvals),
    counted(
      'state',
      { name: 'holdfast_sources', help: 'Servers behind this hub by state.' },
      figures.sources,
    ),
    counted('state', { name: 'holdfast_runs', help: 'Runs of agents by state.' }, figures.runs),
    single('holdfast_sessions', 'Connections that are there.', figures.sessions),
    counted('state', { name: 'holdfast_jobs', help: 'Background jobs by state.' }, figures.jobs),
    single(
      'holdfast_job_wait_seconds',
      'How long the oldest job that is due waits.',
      figures.jobWaitMs / 1000,
    ),
    single('holdfast_event_head', 'The number of the newest event.', figures.eventHead),
    single('holdfast_resident_bytes', 'Memory of the process.', memory.rss),
    single('holdfast_disk_free_bytes', 'Room on the disk of the home folder.', freeBytes(home)),
    single('holdfast_uptime_seconds', 'Since the process started.', process.uptime()),
  ];
}

type Labels = Readonly<Record<string, string>>;

interface Family {
  add(labels: Labels, value: number): void;
  render(): string;
}

function family(name: string, help: string, type: 'counter' | 'gauge'): Family {
  const values = new Map<string, number>();
  return {
    add(labels, value) {
      const key = bounded(values, labels);
      values.set(key, (values.get(key) ?? 0) + value);
    },
    render: () =>
      [
        `# HELP ${name} ${help}`,
        `# TYPE ${name} ${type}`,
        ...[...values].map(([key, value]) => `${name}${key} ${value}`),
      ].join('\n'),
  };
}

type Buckets = { counts: number[]; sum: number; count: number };

function histogram(name: string, help: string, bounds: readonly number[]): Family {
  const series = new Map<string, Buckets>();
  return {
    add(labels, value) {
      const key = bounded(series, labels);
      let found = series.get(key);
      if (!found) series.set(key, (found = { counts: bounds.map(() => 0), sum: 0, count: 0 }));
      const place = bounds.findIndex((bound) => value <= bound);
      if (place !== -1) found.counts[place]! += 1;
      found.sum += value;
      found.count += 1;
    },
    render() {
      const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`];
      for (const [key, { counts, sum, count }] of series) {
        let below = 0;
        counts.forEach((each, i) => {
          below += each;
          lines.push(`${name}_bucket${withLabel(key, `le="${bounds[i]}"`)} ${below}`);
        });
        lines.push(`${name}_bucket${withLabel(key, 'le="+Inf"')} ${count}`);
        lines.push(`${name}_sum${key} ${sum}`, `${name}_count${key} ${count}`);
      }
      return lines.join('\n');
    },
  };
}

function withLabel(key: string, label: string): string {
  return key === '' ? `{${label}}` : `${key.slice(0, -1)},${label}}`;
}

/** The labels as they are written, or those of everything else once there are too many. */
function bounded(known: ReadonlyMap<string, unknown>, labels: Labels): string {
  const key = labelText(labels);
  if (known.has(key) || known.size < MOST_SERIES) return key;
  return labelText(Object.fromEntries(Object.keys(labels).map((label) => [label, 'other'])));
}

function labelText(labels: Labels): string {
  const shown = Object.entries(labels).map(([label, value]) => `${label}="${escape(value)}"`);
  return shown.length === 0 ? '' : `{${shown.join(',')}}`;
}

function escape(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
