import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask } from '../api/call.ts';
import { queryClient } from '../api/client.ts';
import { useDraft } from '../drafts/use-draft.ts';
import { NameForm } from '../parts/name-form.tsx';

/** A folder is enough: which repository it belongs to the hub finds out. */
export function AddProject({ onClose }: Readonly<{ onClose(): void }>): ReactNode {
  const folder = useDraft('project folder');
  const add = useMutation({
    mutationFn: (path: string) => ask('POST /api/projects/resolve', { folder: path }),
    onSuccess: ({ project }) => {
      if (project === null) return;
      folder.forget();
      void queryClient.invalidateQueries({ queryKey: ['projects'] });
      onClose();
    },
  });
  return (
    <>
      <NameForm
        label="New project"
        field="Folder of the project"
        placeholder="Folder on this machine, such as /home/ada/web"
        verb="Create"
        name={folder}
        make={add}
        onMake={(path) => add.mutate(path)}
        onClose={onClose}
      />
      {add.data?.project === null && (
        <p role="status" className="text-amber px-4 py-2">
          A home or the root of the disk is no project: name a folder below it.
        </p>
      )}
    </>
  );
}
