import { useState, type FormEvent, type ReactNode } from 'react';
import type { PeerMessage } from '../../../src/features/peers/mail/message.ts';
import { Discard } from '../drafts/discard.tsx';
import { useDraft } from '../drafts/use-draft.ts';
import { Refused } from '../parts/empty.tsx';
import { isSendKey } from '../parts/send-key.ts';
import { useSend } from './queries.ts';

type Writing = Readonly<{
  to: string;
  replyTo?: PeerMessage | undefined;
  letters?: readonly PeerMessage[];
  onDone(): void;
}>;

/** A letter to whoever is picked. What was begun for one is not sent to another: it stays theirs. */
export function NewLetter({
  names,
  onDone,
}: Readonly<{ names: readonly string[]; onDone(): void }>): ReactNode {
  const [picked, pick] = useState(names[0]!);
  const to = names.includes(picked) ? picked : names[0]!;
  return (
    <section aria-label="New letter" className="border-line mb-4 border-b pb-2">
      <label className="text-soft mb-2 flex items-center gap-2">
        To
        <select autoFocus className="field text-ink" value={to} onChange={({ target }) => pick(target.value)}>
          {names.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        <button className="quiet ml-auto" onClick={onDone}>
          Cancel
        </button>
      </label>
      <Write key={to} to={to} onDone={onDone} />
    </section>
  );
}

export function Write({ to, replyTo: chosen, letters = [], onDone }: Writing): ReactNode {
  const draft = useDraft(`mail ${to}`);
  const { text } = draft;
  // What was begun as an answer stays one.
  const replyTo = chosen ?? letters.find(({ id }) => id === draft.about?.['answers']);
  const write = (words: string) => draft.set(words, replyTo && { answers: replyTo.id });
  const send = useSend();
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (text.trim() === '' || send.isPending) return;
    send.mutate(
      { to, text, ...(replyTo && { replyTo: replyTo.id }) },
      { onSuccess: () => (draft.forget(), onDone()) },
    );
  };
  return (
    <form onSubmit={submit} className="mb-4 flex flex-col gap-2">
      <textarea
        className="field w-full"
        rows={2}
        aria-label={`Write to ${to}`}
        placeholder={
          replyTo
            ? `Answer “${replyTo.text.slice(0, 60)}”`
            : `Write to ${to}; it comes along with the answer to its next call.`
        }
        value={text}
        onChange={({ target }) => write(target.value)}
        onKeyDown={(event) => isSendKey(event) && submit()}
      />
      {text !== '' && (
        <div className="flex flex-wrap items-center justify-end gap-2">
          <Discard drafts={[draft]} onDiscard={onDone} />
          <button className="button button-main" disabled={send.isPending}>
            Send <kbd className="key">Ctrl Enter</kbd>
          </button>
        </div>
      )}
      <Refused error={send.error} />
    </form>
  );
}
