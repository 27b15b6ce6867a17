import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { ask } from '../api/call.ts';
import { queryClient } from '../api/client.ts';
import { useDraft } from '../drafts/use-draft.ts';
import { useSetPlace } from '../frame/place.ts';
import { NoteForm } from '../parts/note-form.tsx';
import { Contradicts, type Saved } from './contradicts.tsx';
import { useScope } from './scope.ts';

type AddProps = Readonly<{ onClose(): void }>;

/** A fact in a person's own words; of the project one looks at, or of all. */
export function AddFact({ onClose }: AddProps): ReactNode {
  const setPlace = useSetPlace();
  const [saved, setSaved] = useState<Saved>();
  const done = (at: string | undefined) => (onClose(), setPlace({ at }, true));
  const { title, content, scope, add } = useAdd('fact', (answer) =>
    answer.contradictions ? setSaved(answer) : done(answer.fact?.id),
  );
  if (saved?.fact && saved.contradictions)
    return (
      <Contradicts
        fact={saved.fact}
        against={saved.contradictions}
        onDone={(isKept) => done(isKept ? saved.fact!.id : undefined)}
      />
    );
  return (
    <NoteForm
      label="New fact"
      title={title}
      titleLabel="What it is about"
      text={content}
      textLabel="The fact"
      textHint={
        scope.scopeTeamId === undefined
          ? 'One fact in plain words. Agents of every project are given it.'
          : `One fact in plain words. Agents of ${scope.scopeTeamId} are given it.`
      }
      make={add}
      onMake={() => add.mutate()}
      onClose={onClose}
    />
  );
}

/** How something is done; under a name that is there already it is the next version of it. */
export function AddProcedure({ onClose }: AddProps): ReactNode {
  const { title, content, add } = useAdd('procedure', onClose);
  return (
    <NoteForm
      label="New procedure"
      title={title}
      titleLabel="Its name"
      text={content}
      textLabel="The steps"
      textHint="How it is done here, step by step. Under a name that is there already it is the next version."
      make={add}
      onMake={() => add.mutate()}
      onClose={onClose}
    />
  );
}

function useAdd(what: 'fact' | 'procedure', onSaved: (saved: Saved) => void) {
  const [title, content] = [useDraft(`${what} title`), useDraft(`${what} content`)];
  const scope = useScope();
  const add = useMutation({
    mutationFn: () =>
      ask('POST /api/memory', {
        ...(what === 'fact' ? { title: title.text.trim() } : { procedureName: title.text.trim() }),
        content: content.text.trim(),
        ...scope,
      }),
    onSuccess: (saved) => {
      [title, content].forEach(({ forget }) => forget());
      void queryClient.invalidateQueries({ queryKey: ['memory'] });
      onSaved(saved);
    },
  });
  return { title, content, scope, add };
}
