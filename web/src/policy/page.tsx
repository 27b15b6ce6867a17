import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactNode } from 'react';
import { call } from '../api/call.ts';
import { Section } from '../parts/drawer.tsx';
import { Command, Refused, Skeleton } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { PageHead } from '../parts/page.tsx';
import { Moment } from '../parts/time.tsx';

type Current = Readonly<{
  path: string;
  loadedAt: number | null;
  rules: { name: string; decide: string }[];
  problems: { line: number; column: number; message: string }[];
}>;
type Explained = Readonly<{ decision: string; reason: string; notes: string[]; shape: string }>;
type DryRun = Readonly<{
  looked: number;
  changes: {
    callId: string;
    toolName: string;
    agentId: string | null;
    was: string;
    now: string;
    reason: string;
  }[];
}>;

const SIGNS: Readonly<Record<string, string>> = {
  allow: 'text-kelp',
  deny: 'text-amber',
  ask: 'text-coral',
  require_approval: 'text-coral',
};

/** What is in force, what it would do to a call, and what another one would have done. The file itself is edited in an editor. */
export function PolicyPage(): ReactNode {
  const { data, error } = useQuery({
    queryKey: ['policy'],
    queryFn: () => call<Current>('/api/tools/policy'),
  });
  if (error)
    return (
      <div className="p-4">
        <Refused error={error} />
      </div>
    );
  if (!data) return <Skeleton />;
  return (
    <>
      <PageHead title="Policy">
        The first rule that matches decides. Without one, safe tools run and others ask you.
      </PageHead>
      <div className="grid gap-x-10 px-4 pb-8 xl:grid-cols-2">
        <div>
          <Section
            as="h2"
            title="In force"
            aside={
              data.loadedAt !== null && (
                <span className="text-meta text-faint">
                  read <Moment at={data.loadedAt} />
                </span>
              )
            }
          >
            {data.problems.map(({ line, column, message }) => (
              <p
                key={`${line}:${column}`}
                role="alert"
                className="bg-amber-wash mb-2 rounded-one px-3 py-1.5"
              >
                Line {line}, column {column}: {message}. The last good policy is in force.
              </p>
            ))}
            {data.rules.length === 0 && (
              <p className="text-soft">
                There is no rule. Write some into this file; it is read again when it changes:
              </p>
            )}
            <ol className="border-line border-t">
              {data.rules.map(({ name, decide }, at) => (
                <li key={at} className="row border-line border-b">
                  <span className="text-meta text-faint w-6 text-right">{at + 1}</span>
                  <span className={`w-12 font-medium ${SIGNS[decide] ?? ''}`}>{decide}</span>
                  <span className="truncate">
                    <Foreign text={name} />
                  </span>
                </li>
              ))}
            </ol>
            <div className="mt-2">
              <Command text={data.path} label="Copy the path" />
            </div>
          </Section>
          <Explain />
        </div>
        <div className="mt-5 xl:mt-0">
          <Try />
        </div>
      </div>
    </>
  );
}

function Explain(): ReactNode {
  const [tool, setTool] = useState('Bash');
  const [args, setArgs] = useState('{"command": "npm publish"}');
  const [agent, setAgent] = useState('');
  const explain = useMutation({
    mutationFn: () =>
      call<Explained>('/api/tools/policy/explain', {
        method: 'POST',
        body: { tool, args: JSON.parse(args || '{}') as object, ...(agent !== '' && { agentId: agent }) },
      }),
  });
  const submit = (event: FormEvent) => (event.preventDefault(), explain.mutate());
  return (
    <Section as="h2" title="What would happen to a call?">
      <form onSubmit={submit} className="flex flex-col gap-2">
        <div className="flex gap-2">
          <input
            className="field min-w-0 flex-1"
            aria-label="Tool"
            value={tool}
            onChange={({ target }) => setTool(target.value)}
          />
          <input
            className="field min-w-0 flex-1"
            aria-label="Agent"
            placeholder="any agent"
            value={agent}
            onChange={({ target }) => setAgent(target.value)}
          />
        </div>
        <textarea
          className="field font-mono text-[12px]"
          rows={2}
          aria-label="Arguments as JSON"
          value={args}
          onChange={({ target }) => setArgs(target.value)}
        />
        <button className="button self-start">Explain</button>
      </form>
      <div className="mt-2" aria-live="polite">
        <Refused error={explain.error} />
        {explain.data && (
          <p>
            <strong className={SIGNS[explain.data.decision]}>
              {explain.data.decision.replace('_', ' ')}
            </strong>
            : <Foreign text={explain.data.reason} />
            {explain.data.notes.map((note) => (
              <span key={note} className="text-soft block">
                <Foreign text={note} />
              </span>
            ))}
          </p>
        )}
      </div>
    </Section>
  );
}

const DRAFT = `version: 1
rules:
  - name: nothing is published by itself
    tool: Bash
    args: { command: '*publish*' }
    decide: ask
`;

function Try(): ReactNode {
  const [text, setText] = useState(DRAFT);
  const check = useMutation({
    mutationFn: () =>
      call<Pick<Current, 'problems'>>('/api/tools/policy/check', { method: 'POST', body: { text } }),
  });
  const run = useMutation({
    mutationFn: () => call<DryRun>('/api/tools/policy/dry-run', { method: 'POST', body: { text } }),
  });
  return (
    <Section as="h2" title="Try another policy">
      <textarea
        className="field w-full font-mono text-[12px] leading-[18px]"
        rows={16}
        spellCheck={false}
        aria-label="A policy to try"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <div className="mt-2 flex gap-2">
        <button className="button" onClick={() => check.mutate()}>
          Check it
        </button>
        <button className="button" onClick={() => run.mutate()}>
          What would it have changed?
        </button>
      </div>
      <div className="mt-2" aria-live="polite">
        <Refused error={check.error ?? run.error} />
        {check.data?.problems.length === 0 && (
          <p className="text-kelp flex items-center gap-1">
            <Icon name="tick" size={14} /> A good policy. Nothing was changed; write it into the file to put
            it in force.
          </p>
        )}
        {check.data?.problems.map(({ line, column, message }) => (
          <p key={`${line}:${column}`} className="text-amber">
            Line {line}, column {column}: {message}
          </p>
        ))}
        {run.data && (
          <>
            <p className="mt-2">
              Of the last {run.data.looked} calls it would have decided {run.data.changes.length} otherwise.
            </p>
            <ul>
              {run.data.changes.map(({ callId, toolName, agentId, was, now, reason }) => (
                <li key={callId} className="row">
                  {agentId ?? 'somebody'} <strong className="font-medium">{toolName}</strong> {was} →{' '}
                  <span className={SIGNS[now]}>{now}</span>
                  <span className="text-meta text-faint truncate">{reason}</span>
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </Section>
  );
}
