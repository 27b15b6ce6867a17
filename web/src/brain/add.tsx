import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask } from '../api/call.ts';
import { queryClient } from '../api/client.ts';
import { useDraft } from '../drafts/use-draft.ts';
import { useSetPlace } from '../frame/place.ts';
import { NoteForm } from '../parts/note-form.tsx';

/** A Markdown file about a project, as `holdfast brain import` and agents write them. */
export function AddFile({ onClose }: Readonly<{ onClose(): void }>): ReactNode {
  const [name, content] = [useDraft('brain name'), useDraft('brain content')];
  const setPlace = useSetPlace();
  const add = useMutation({
    mutationFn: () =>
      ask('POST /api/brain/memories', {
        type: 'entity',
        category: 'projects',
        name: name.text.trim(),
        content: content.text.trim(),
      }),
    onSuccess: ({ id }) => {
      [name, content].forEach(({ forget }) => forget());
      void queryClient.invalidateQueries({ queryKey: ['brain'] });
      onClose();
      setPlace({ at: id }, true);
    },
  });
  return (
    <NoteForm
      label="New file"
      title={name}
      titleLabel="Name of the file"
      text={content}
      textLabel="What stands in it"
      textHint="What agents should know of a project. Markdown."
      make={add}
      onMake={() => add.mutate()}
      onClose={onClose}
    />
  );
}
