import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { ask } from '../api/call.ts';
import { queryClient } from '../api/client.ts';
import { Discard, Overtaken } from '../drafts/discard.tsx';
import { useDraft } from '../drafts/use-draft.ts';
import { Section } from '../parts/drawer.tsx';
import { Refused } from '../parts/empty.tsx';
import { Cut, Quoted } from '../parts/foreign.tsx';
import { Markdown } from '../parts/markdown.tsx';
import { sendOrLeave } from '../parts/send-or-leave.ts';
import { Unready } from '../parts/unready.tsx';
import { useSoul } from './queries.ts';

/** What each part of it is for. */
const FIELDS = {
  personality: 'How it is: calm, curious, blunt.',
  voice: 'How it speaks.',
  values: 'What it would not give up.',
  backstory: 'Where it comes from.',
  inner_world: 'What it thinks about by itself.',
  examples: 'A few things it might say, word for word.',
} as const;
type Field = keyof typeof FIELDS;

/** Who it is, part by part, each written here. */
export function Soul({ id }: Readonly<{ id: string }>): ReactNode {
  const { data, error } = useSoul(id);
  if (!data) return <Unready error={error} />;
  return (
    <div className="min-h-0 flex-1 overflow-y-auto px-4 pb-6" tabIndex={0} aria-label="Soul">
      {(Object.keys(FIELDS) as Field[]).map((field) => (
        <Part key={field} id={id} field={field} text={data.soul[field]} />
      ))}
    </div>
  );
}

type PartProps = Readonly<{ id: string; field: Field; text: string | undefined }>;

function Part({ id, field, text }: PartProps): ReactNode {
  const draft = useDraft(`being ${id} soul ${field}`, { base: text ?? '' });
  // What was begun is open again when somebody comes back.
  const [isOpen, setOpen] = useState(draft.isBegun);
  const name = field.replaceAll('_', ' ');
  const set = useMutation({
    mutationFn: () => ask('PUT /v1/beings/:id/soul', { id, [field]: draft.text.trim() }),
    onSuccess: () => (draft.forget(), setOpen(false)),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['being', id] }),
  });
  const canSet = draft.isBegun && draft.text.trim() !== '' && !set.isPending;
  return (
    <Section
      as="h2"
      title={name}
      aside={
        !isOpen && (
          <button className="quiet" onClick={() => setOpen(true)}>
            {text === undefined ? 'Write' : 'Change'}
            <span className="sr-only">its {name}</span>
          </button>
        )
      }
    >
      {isOpen ? (
        <form
          aria-label={`Its ${name}`}
          className="flex max-w-[80ch] flex-col gap-2"
          onSubmit={(event) => (event.preventDefault(), canSet && set.mutate())}
        >
          <textarea
            autoFocus
            className="field w-full resize-y"
            rows={6}
            maxLength={16_000}
            aria-label={`Its ${name}`}
            placeholder={FIELDS[field]}
            value={draft.text}
            onChange={({ target }) => draft.set(target.value)}
            onKeyDown={sendOrLeave}
          />
          <Overtaken draft={draft} what={`Its ${name}`} />
          <div className="flex flex-wrap justify-end gap-2">
            <Discard drafts={[draft]} />
            <button
              type="button"
              className="button"
              onClick={() => setOpen(false)}
              title="What you wrote stays"
            >
              Cancel
            </button>
            <button className="button button-main" disabled={!canSet} title="Ctrl Enter">
              Apply
            </button>
          </div>
          <Refused error={set.error} />
        </form>
      ) : text === undefined ? (
        <p className="text-faint">{FIELDS[field]}</p>
      ) : (
        <Quoted>
          <Cut text={text}>{(shown) => <Markdown text={shown} />}</Cut>
        </Quoted>
      )}
    </Section>
  );
}
