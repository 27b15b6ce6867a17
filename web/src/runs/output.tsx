import { memo, useEffect, useRef, useState, type ReactNode } from 'react';
import { CommandLine } from '../approvals/command-line.tsx';
import { Diff } from '../parts/diff.tsx';
import { Cut, Foreign, Quoted } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { Markdown } from '../parts/markdown.tsx';
import { exact } from '../parts/time.tsx';
import { time } from '../pulse/say.ts';
import type { Block, Call, Story, Wait } from './story.ts';
import { WAITED } from './trace.ts';

/** A run's output as a document: what the agent said as prose, tool calls folded to one line. */
export function Output({
  story,
  isOpen,
  children,
}: Readonly<{ story: Story; isOpen: boolean; children?: ReactNode }>): ReactNode {
  const { blocks, lines } = story;
  const { end, unseen, toEnd } = useStuckToEnd(lines, isOpen);
  return (
    <div className="relative flex min-w-0 flex-1 flex-col gap-2" aria-live="off">
      {blocks.length === 0 && (
        <p className="text-soft">{isOpen ? 'It has said nothing yet.' : 'Nothing it said was kept.'}</p>
      )}
      {blocks.map((block) => (
        <Told key={block.key} block={block} />
      ))}
      {children}
      <div ref={end} className="h-px" />
      {unseen > 0 && (
        <button
          className="button bg-raised shadow-drawer sticky bottom-1 self-center rounded-full"
          onClick={toEnd}
        >
          {unseen} new {unseen === 1 ? 'line' : 'lines'}
          <Icon name="down" size={12} />
        </button>
      )}
    </div>
  );
}

/** Stays at the end while one is there; otherwise counts what came meanwhile. */
function useStuckToEnd(lines: number, isOpen: boolean) {
  const end = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(isOpen);
  const [seen, setSeen] = useState(0);
  const latest = useRef(lines);
  latest.current = lines;
  useEffect(() => {
    const mark = end.current;
    if (!mark) return undefined;
    const observer = new IntersectionObserver(
      ([entry]) => {
        isAtEnd.current = entry?.isIntersecting === true;
        if (isAtEnd.current) setSeen(latest.current);
      },
      { rootMargin: '0px 0px 48px 0px' },
    );
    observer.observe(mark);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (!isAtEnd.current || !isOpen) return;
    end.current?.scrollIntoView({ block: 'nearest' });
    setSeen(lines);
  }, [lines, isOpen]);
  const toEnd = () => {
    isAtEnd.current = true;
    end.current?.scrollIntoView({ block: 'nearest' });
    setSeen(lines);
  };
  return { end, unseen: isOpen && !isAtEnd.current ? Math.max(0, lines - seen) : 0, toEnd };
}

export const Told = memo(function Told({ block }: Readonly<{ block: Block }>): ReactNode {
  switch (block.kind) {
    case 'prose':
      return <Markdown text={block.text} />;
    case 'plain':
      return (
        <pre className="font-mono text-[12px] leading-[18px] break-words whitespace-pre-wrap" tabIndex={-1}>
          <Cut text={block.text}>{(shown) => <Foreign text={shown} />}</Cut>
        </pre>
      );
    case 'thought':
      return (
        <Folded title="thought" gist={block.text}>
          <div className="text-soft italic">
            <Markdown text={block.text} />
          </div>
        </Folded>
      );
    case 'notice':
      return (
        <p className="text-meta text-faint break-words whitespace-pre-wrap">
          <Foreign text={block.text.slice(-4000).replace(STAMP, (at) => exact(Date.parse(at)))} />
        </p>
      );
    case 'error':
      return (
        <p className="text-amber break-words whitespace-pre-wrap">
          <Foreign text={block.text} />
        </p>
      );
    case 'said':
      return (
        <Quoted
          by={
            <span className={`font-medium ${block.isQuestion ? 'text-coral' : 'text-ink'}`}>
              {speaker(block.from)} {block.isQuestion && 'asks'}
            </span>
          }
        >
          <Markdown text={block.text} />
        </Quoted>
      );
    case 'wait':
      return <Waited wait={block} />;
    case 'call':
    default:
      return <Called call={block} />;
  }
});

/** The person at the hub is the one who reads this. */
function speaker(from: string): ReactNode {
  return /^(operator|local|system):/.test(from) ? 'You' : <Foreign text={from.replace(/^\w+:/, '')} />;
}

/** What it stood still for, told once it was long enough to be noticed. */
function Waited({ wait }: Readonly<{ wait: Block & Wait }>): ReactNode {
  const { at = 0, until } = wait;
  if (until === undefined || until - at < NOTICED_MS) return null;
  return (
    <p className="text-meta text-faint">
      {WAITED[wait.reason]}, {time(until - at)}
    </p>
  );
}

const NOTICED_MS = 5_000;

/** How the hub writes a moment where programs read along. */
const STAMP = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z\b/g;

const SIGNS = {
  runs: ['text-tide', 'under way'],
  ok: ['text-kelp', 'done'],
  failed: ['text-amber', 'failed'],
} as const;

function Called({ call }: Readonly<{ call: Call }>): ReactNode {
  const [colour, words] = SIGNS[call.state];
  return (
    <Folded
      title={call.name}
      gist={call.gist}
      sign={
        <span className={`text-meta shrink-0 ${colour}`}>
          {call.state === 'ok' ? <Icon name="tick" size={12} /> : null}
          <span className={call.state === 'ok' ? 'sr-only' : ''}>{words}</span>
        </span>
      }
    >
      <Exchanged call={call} />
    </Folded>
  );
}

/** What a call was given, and what it answered. */
export function Exchanged({ call }: Readonly<{ call: Call }>): ReactNode {
  const input = call.input as Readonly<Record<string, unknown>> | undefined;
  const command = input?.['command'] ?? input?.['cmd'];
  const [before, after] = [
    input?.['old_string'] ?? input?.['oldText'],
    input?.['new_string'] ?? input?.['newText'],
  ];
  return (
    <>
      {typeof command === 'string' ? (
        <CommandLine text={command} />
      ) : typeof before === 'string' && typeof after === 'string' ? (
        <Diff before={before} after={after} label="The edit" />
      ) : (
        input !== undefined && <Well text={JSON.stringify(input, undefined, 2)} />
      )}
      {call.output !== '' && <Well text={call.output} />}
    </>
  );
}

function Well({ text }: Readonly<{ text: string }>): ReactNode {
  return (
    <pre
      className="bg-sunken mt-1 max-h-80 overflow-auto rounded-one p-2 font-mono text-[12px] leading-[18px] whitespace-pre-wrap"
      tabIndex={0}
    >
      <Cut text={text}>{(shown) => <Foreign text={shown} />}</Cut>
    </pre>
  );
}

function Folded({
  title,
  gist,
  sign,
  children,
}: Readonly<{ title: string; gist: string; sign?: ReactNode; children: ReactNode }>): ReactNode {
  const [isShown, setShown] = useState(false);
  return (
    <details className="group/fold" onToggle={({ currentTarget }) => setShown(currentTarget.open)}>
      <summary className="text-soft hover:text-ink flex min-w-0 items-center gap-1.5 rounded">
        <Icon name="right" size={11} className="text-faint group-open/fold:rotate-90" />
        <span className="max-w-[45%] shrink-0 truncate font-medium">
          <Foreign text={title} />
        </span>
        <span className="text-faint min-w-0 flex-1 truncate font-mono text-[12px]">
          <Foreign text={gist.slice(0, 240)} />
        </span>
        {sign}
      </summary>
      <div className="mt-1 mb-1 pl-4">{isShown && children}</div>
    </details>
  );
}
