import { useMutation, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useRef, type ReactNode } from 'react';
import { ask, askUntil } from '../api/call.ts';
import { queryClient } from '../api/client.ts';
import { Discard } from '../drafts/discard.tsx';
import { useDraft } from '../drafts/use-draft.ts';
import { Diff } from '../parts/diff.tsx';
import { Section } from '../parts/drawer.tsx';
import { Command, Refused, Skeleton } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { Dry } from './dry.tsx';
import { CodeField, type Mark } from './code-field.tsx';
import {
  LATELY,
  SIGNS,
  useDecidedLately,
  usePolicyText,
  type Checked,
  type PolicyText,
  type Problem,
} from './queries.ts';

type RuleLinesProps = Readonly<{
  rules: Checked['rules'];
  decided: ReadonlyMap<string, number>;
  onGo(place: Readonly<{ line: number }>): void;
}>;

const DRAFT = `version: 1
rules:
  - name: nothing is published by itself
    tool: Bash
    args: { command: '*publish*' }
    decide: ask
`;

/** The file itself for who has signed in; a sheet to try things on for everybody else. */
export function PolicyEditor({ isSignedIn }: Readonly<{ isSignedIn: boolean }>): ReactNode {
  const { data: file, error } = usePolicyText();
  if (!isSignedIn)
    return (
      <Section as="h2" title="Try another policy">
        <Sheet file={undefined} />
        <p className="text-soft mt-4 mb-1">To put one in force from here, sign this browser in:</p>
        <Command text="holdfast open" />
      </Section>
    );
  if (error) return <Refused error={error} />;
  if (!file) return <Skeleton />;
  return (
    <Section as="h2" title="The file">
      <Sheet file={file} />
    </Section>
  );
}

function Sheet({ file }: Readonly<{ file: PolicyText | undefined }>): ReactNode {
  const base = file === undefined || file.text === '' ? DRAFT : file.text;
  // Whoever has typed nothing sees the file as it is; whoever has is told, and keeps what was typed.
  const draft = useDraft(file ? 'policy file' : 'policy sheet', { base, version: file?.version });
  const { text, isOvertaken } = draft;
  const field = useRef<HTMLTextAreaElement>(null);
  const isNew = file !== undefined && file.version === 'absent';
  const isChanged = file === undefined || text !== file.text;
  const checked = useChecked(text);
  const problems = checked?.problems;
  const decided = useDecidedLately();
  const save = useMutation({
    mutationFn: () => ask('PUT /api/tools/policy/file', { text, version: draft.on }),
    onSuccess: (made) => {
      draft.forget();
      queryClient.setQueryData(['policy', 'file'], made);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['policy'] }),
  });
  const goTo = ({ line }: Pick<Problem, 'line'>) => {
    const start =
      text
        .split('\n')
        .slice(0, line - 1)
        .join('\n').length + (line > 1 ? 1 : 0);
    field.current?.focus();
    field.current?.setSelectionRange(start, start + (text.split('\n')[line - 1]?.length ?? 0));
  };
  return (
    <>
      <CodeField
        field={field}
        label={file ? 'policy.yaml' : 'A policy to try'}
        text={text}
        marks={marksOf(checked, decided)}
        onChange={(next) => (draft.set(next), save.reset())}
      />
      <div aria-live="polite" className="mt-1 min-h-5">
        {problems === undefined ? null : problems.length === 0 ? (
          <p className="text-kelp flex items-center gap-1">
            <Icon name="tick" size={14} /> {save.isSuccess ? 'In force.' : 'A good policy.'}
          </p>
        ) : (
          problems.slice(0, 8).map((problem) => (
            <p key={`${problem.line}:${problem.column}`}>
              <button className="text-amber text-left hover:underline" onClick={() => goTo(problem)}>
                Line {problem.line}, column {problem.column}: <Foreign text={problem.message} />
              </button>
            </p>
          ))
        )}
      </div>
      <RuleLines rules={checked?.rules ?? []} decided={decided} onGo={goTo} />
      {file ? (
        <div className="mt-2 flex flex-wrap items-center gap-2">
          <button
            className="button button-main"
            disabled={!isChanged || isOvertaken || problems?.length !== 0 || save.isPending}
            onClick={() => save.mutate()}
          >
            Apply
          </button>
          {isChanged && !isNew && (
            <button className="quiet" onClick={draft.forget}>
              Back to the file
            </button>
          )}
        </div>
      ) : (
        <div className="mt-2 flex flex-wrap items-center gap-2">
          <Discard drafts={[draft]} />
        </div>
      )}
      <div className="mt-2 flex flex-col gap-2">
        <Refused error={save.error} onClose={() => save.reset()} />
        {isOvertaken && file && (
          <div role="status" className="bg-amber-wash rounded-one px-3 py-1.5">
            The file was changed elsewhere while you wrote.{' '}
            <button className="quiet" onClick={() => (draft.rebase(), save.reset())}>
              Compare mine with it
            </button>
            <button className="quiet" onClick={() => (draft.forget(), save.reset())}>
              Take it as it is
            </button>
          </div>
        )}
        {file && isChanged && !isNew && <Diff before={file.text} after={text} label="Your change" />}
        {isChanged && problems?.length === 0 && <Dry text={text} />}
      </div>
    </>
  );
}

/** Looked at as one types; undefined until the hub has said what it thinks of this very text. */
function useChecked(text: string): Checked | undefined {
  const asked = useDeferredValue(text);
  const { data } = useQuery({
    queryKey: ['policy-check', asked],
    gcTime: 0,
    queryFn: async ({ signal }) => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      signal.throwIfAborted();
      return askUntil(signal)('POST /api/tools/policy/check', { text: asked });
    },
  });
  return asked === text ? data : undefined;
}

function marksOf(checked: Checked | undefined, decided: ReadonlyMap<string, number>): readonly Mark[] {
  const problems = (checked?.problems ?? []).map(({ line, message }): Mark => ({
    line,
    kind: 'problem',
    says: message,
  }));
  const rules = (checked?.rules ?? []).map(({ name, decide, line }): Mark => ({
    line,
    kind: decide === 'allow' || decide === 'deny' ? decide : 'ask',
    says: `${decide}: ${name}, ${timesIn(decided.get(name) ?? 0)}`,
  }));
  return [...problems, ...rules];
}

/** Where each rule begins, and how often it decided among the calls of late. */
function RuleLines({ rules, decided, onGo }: RuleLinesProps): ReactNode {
  if (rules.length === 0) return null;
  return (
    <ul aria-label="Rules of this text" className="mt-1">
      {rules.map(({ name, decide, line }, at) => (
        <li key={at} className="flex flex-wrap items-baseline gap-x-2">
          <button className="text-tide hover:underline" onClick={() => onGo({ line })}>
            Line {line}
          </button>
          <span className={`font-medium ${SIGNS[decide] ?? ''}`}>{decide}</span>
          <span className="min-w-0 truncate">
            <Foreign text={name} />
          </span>
          <span className="text-soft">{timesIn(decided.get(name) ?? 0)}</span>
        </li>
      ))}
    </ul>
  );
}

function timesIn(count: number): string {
  return count === 0 ? 'decided nothing lately' : `decided ${count} of the last ${LATELY} calls`;
}
