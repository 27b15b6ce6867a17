import { useEffect, useRef, useState, type ReactNode } from 'react';
import { Foreign } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { Markdown } from '../parts/markdown.tsx';

type Frame = Readonly<{ id: string; kind: string; text: string; detail: string }>;

const KEPT = 2000;

/** A run's output as a document: what the agent said as prose, tool calls folded to one line. */
export function Output({ id, isOpen }: Readonly<{ id: string; isOpen: boolean }>): ReactNode {
  const [frames, setFrames] = useState<readonly Frame[]>([]);
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const source = new EventSource(`/v1/biam/subscribe?task_id=${encodeURIComponent(id)}`);
    let waiting: Frame[] = [];
    const flush = setInterval(() => {
      if (waiting.length === 0) return;
      const come = waiting;
      waiting = [];
      setFrames((before) => [...before, ...come].slice(-KEPT));
    }, 150);
    const take = (kind: string) => (event: MessageEvent<string>) => {
      waiting.push(frameOf(kind, event));
      if (kind === 'terminal') source.close();
    };
    for (const kind of ['frame', 'message', 'task', 'terminal'])
      source.addEventListener(kind, take(kind) as EventListener);
    return () => (clearInterval(flush), source.close());
  }, [id]);
  useEffect(() => {
    if (isOpen) end.current?.scrollIntoView({ block: 'nearest' });
  }, [frames, isOpen]);
  const shown = frames.filter(({ text }) => text !== '');
  return (
    <div className="flex flex-col gap-2" aria-live="off">
      {shown.length === 0 && <p className="text-soft">{isOpen ? 'Nothing yet.' : 'Nothing was kept.'}</p>}
      {shown.map((frame) =>
        frame.kind === 'prose' ? (
          <Markdown key={frame.id} text={frame.text} />
        ) : (
          <Folded key={frame.id} frame={frame} />
        ),
      )}
      <div ref={end} />
    </div>
  );
}

function Folded({ frame }: Readonly<{ frame: Frame }>): ReactNode {
  return (
    <details className="text-soft">
      <summary className="flex items-center gap-1.5">
        <Icon name="right" size={11} />
        <span className="truncate font-mono text-[12px]">
          <Foreign text={frame.text} />
        </span>
      </summary>
      <pre
        className="bg-sunken mt-1 max-h-72 overflow-auto rounded-one p-2 font-mono text-[12px] whitespace-pre-wrap"
        tabIndex={0}
      >
        <Foreign text={frame.detail} />
      </pre>
    </details>
  );
}

/** What an agent said in the form that all families share; where a frame has none, its own words. */
function frameOf(kind: string, { data, lastEventId }: MessageEvent<string>): Frame {
  const value = parse(data);
  const id = `${kind} ${lastEventId}`;
  const detail = JSON.stringify(value, undefined, 2);
  if (kind === 'terminal')
    return {
      id,
      kind,
      text: typeof value['status'] === 'string' ? `ended: ${value['status']}` : 'ended',
      detail,
    };
  if (kind === 'task') return { id, kind, text: '', detail };
  const said = objectIn(value, 'common') ?? objectIn(value, 'body') ?? value;
  const tool = objectIn(said, 'tool');
  if (tool)
    return {
      id,
      kind: 'call',
      text: tool['phase'] === 'start' || tool['phase'] === undefined ? callOf(tool) : '',
      detail,
    };
  const { type } = said;
  // Where a line is its own text, only its type stands beside it.
  const text = said['text'] ?? (typeof type === 'string' && WORDED.has(type) ? value['line'] : undefined);
  if (typeof text === 'string')
    return { id, kind: type === 'thought' || type === 'notice' ? 'call' : 'prose', text, detail };
  return { id, kind: 'call', text: typeof type === 'string' && type !== 'usage' ? type : '', detail };
}

const WORDED: ReadonlySet<string> = new Set(['text', 'thought', 'notice', 'error']);

function callOf(tool: Record<string, unknown>): string {
  const input = objectIn(tool, 'input') ?? {};
  const main = ['command', 'file_path', 'path', 'pattern', 'url', 'query']
    .map((name) => input[name])
    .find((each) => typeof each === 'string');
  return `${typeof tool['name'] === 'string' ? tool['name'] : 'tool'}${typeof main === 'string' ? ` ${main}` : ''}`;
}

function objectIn(value: Record<string, unknown>, name: string): Record<string, unknown> | undefined {
  const found = value[name];
  return typeof found === 'object' && found !== null ? (found as Record<string, unknown>) : undefined;
}

function parse(data: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(data);
    return typeof value === 'object' && value !== null
      ? (value as Record<string, unknown>)
      : { text: String(value) };
  } catch {
    return { text: data };
  }
}
