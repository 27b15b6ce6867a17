import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { FormEvent, ReactNode } from 'react';
import { ask } from '../api/call.ts';
import { queryClient } from '../api/client.ts';
import { useDraft } from '../drafts/use-draft.ts';
import { Refused } from '../parts/empty.tsx';
import { wordsOf } from '../parts/words.ts';
import { onEscape } from '../parts/leave-key.ts';

/** A program or an address, under a name. Its tools wait until somebody has looked at them, as everywhere. */
export function AddSource({ onClose }: Readonly<{ onClose(): void }>): ReactNode {
  const [name, reach] = [useDraft('source name'), useDraft('source reach')];
  const navigate = useNavigate();
  const add = useMutation({
    mutationFn: () =>
      ask('PUT /api/sources/:name {entry}', { name: name.text.trim(), entry: entryOf(reach.text) }),
    onSuccess: ({ source }) => {
      [name, reach].forEach(({ forget }) => forget());
      void queryClient.invalidateQueries({ queryKey: ['sources'] });
      onClose();
      void navigate({ to: '/sources/$name', params: { name: source.name } });
    },
  });
  const submit = (event: FormEvent) => (event.preventDefault(), add.mutate());
  return (
    <form
      aria-label="New source"
      onSubmit={submit}
      onKeyDown={onEscape(onClose)}
      className="border-line flex flex-wrap items-center gap-2 border-b px-4 py-3"
    >
      <input
        autoFocus
        className="field grow basis-full sm:w-40 sm:flex-none"
        aria-label="Name of the source"
        placeholder="Name, such as github"
        value={name.text}
        onChange={({ target }) => name.set(target.value)}
      />
      <input
        className="field min-w-64 grow basis-full font-mono sm:flex-1 text-[12px]"
        aria-label="Command or address"
        placeholder="npx -y @scope/server, or https://…/mcp"
        value={reach.text}
        onChange={({ target }) => reach.set(target.value)}
      />
      <button
        className="button button-main"
        disabled={name.text.trim() === '' || reach.text.trim() === '' || add.isPending}
      >
        Create
      </button>
      <button type="button" className="button" onClick={onClose} title="What you wrote stays">
        Cancel
      </button>
      <Refused error={add.error} />
    </form>
  );
}

/** As config.yaml has it: an address, or a command with its words. */
export function entryOf(text: string): { url: string } | { command: string[] } {
  const said = text.trim();
  return /^https?:\/\//i.test(said) ? { url: said } : { command: wordsOf(said) };
}
