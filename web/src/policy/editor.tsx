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
import { usePolicyText, type PolicyText, type Problem } from './queries.ts';

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
  const problems = useProblems(text);
  const save = useMutation({
    mutationFn: () => ask('PUT /api/tools/policy/file', { text, version: draft.on }),
    onSuccess: (made) => {
      draft.forget();
      queryClient.setQueryData(['policy', 'file'], made);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['policy'] }),
  });
  const goTo = ({ line }: Problem) => {
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
      <textarea
        ref={field}
        className="field w-full font-mono text-[12px] leading-[18px] whitespace-pre"
        rows={Math.min(32, Math.max(14, text.split('\n').length + 1))}
        spellCheck={false}
        wrap="off"
        aria-label={file ? 'policy.yaml' : 'A policy to try'}
        value={text}
        onChange={({ target }) => (draft.set(target.value), save.reset())}
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
      {file ? (
        <div className="mt-2 flex flex-wrap items-center gap-2">
          <button
            className="button button-main"
            disabled={!isChanged || isOvertaken || problems?.length !== 0 || save.isPending}
            onClick={() => save.mutate()}
          >
            Put it in force
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
function useProblems(text: string): readonly Problem[] | undefined {
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
  return asked === text ? data?.problems : undefined;
}
