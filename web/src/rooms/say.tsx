import { useMutation } from '@tanstack/react-query';
import { useMemo, useRef, type ReactNode } from 'react';
import { useSeats } from '../agents/queries.ts';
import { ask } from '../api/call.ts';
import { queryClient } from '../api/client.ts';
import { Discard } from '../drafts/discard.tsx';
import { useDraft } from '../drafts/use-draft.ts';
import { useKeys } from '../frame/keys.ts';
import { Refused } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';

/** What stands before the end: an @ that does not continue a word, and some of a name. */
const MENTION = /(?:^|[\s(])@([\p{L}\p{N}_.:-]*)$/u;
const OFFERED = 5;

/** A post of the person. Who can be reached with an @ is offered; whose inbox got it is said. */
export function Say({
  roomId,
  name,
  speakers,
}: Readonly<{ roomId: string; name: string; speakers: readonly string[] }>): ReactNode {
  const post = useMutation({
    mutationFn: (text: string) => ask('POST /api/chat/rooms/:roomId/posts', { roomId, text }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['room', roomId] }),
  });
  const draft = useDraft(`room ${roomId} post`);
  const { text } = draft;
  const field = useRef<HTMLTextAreaElement>(null);
  const offered = useOffered(text, speakers);
  useKeys('Rooms', { r: { does: 'Say something', run: () => field.current?.focus() } });
  const send = () => {
    if (text.trim() !== '' && !post.isPending) post.mutate(text, { onSuccess: draft.forget });
  };
  const complete = (chosen: string) => {
    draft.set(text.replace(/@[^@]*$/, `@${chosen} `));
    field.current?.focus();
  };
  const reached = text === '' ? (post.data?.mentioned ?? []) : [];
  return (
    <div className="border-line shrink-0 border-t px-4 py-3">
      {offered.length > 0 && (
        <div role="group" aria-label="Who to reach" className="mb-1 flex flex-wrap items-center gap-1">
          {offered.map((each, at) => (
            <button key={each} className="quiet" onClick={() => complete(each)}>
              @<Foreign text={each} />
              {at === 0 && <kbd className="key">Tab</kbd>}
            </button>
          ))}
        </div>
      )}
      <div className="flex items-end gap-2">
        <textarea
          ref={field}
          className="field min-w-0 flex-1 resize-none"
          rows={2}
          aria-label={`Say something in ${name}`}
          placeholder={`Say something in ${name}; @name reaches an inbox.`}
          value={text}
          onChange={({ target }) => draft.set(target.value)}
          onKeyDown={(event) => {
            if (event.nativeEvent.isComposing) return;
            if (event.key === 'Tab' && !event.shiftKey && offered[0] !== undefined) {
              event.preventDefault();
              complete(offered[0]);
            }
            if (event.key === 'Enter' && !event.shiftKey) {
              event.preventDefault();
              send();
            }
            if (event.key === 'Escape') event.currentTarget.blur();
          }}
        />
        <button
          className="button button-main min-h-8"
          disabled={text.trim() === '' || post.isPending}
          onClick={send}
        >
          Send <kbd className="key">Enter</kbd>
        </button>
      </div>
      <div className="flex flex-wrap items-center justify-end gap-2 empty:hidden">
        <Discard drafts={[draft]} />
      </div>
      <p aria-live="polite" className="text-meta text-faint empty:hidden">
        {reached.length > 0 && (
          <>
            In the inbox of <Foreign text={reached.join(', ')} />.
          </>
        )}
      </p>
      <Refused error={post.error} />
    </div>
  );
}

/** Names that begin so: of who is connected and of who has spoken here. A name that stands there whole needs no offer. */
function useOffered(text: string, speakers: readonly string[]): readonly string[] {
  const { data } = useSeats();
  return useMemo(() => {
    const begun = MENTION.exec(text)?.[1]?.toLowerCase();
    if (begun === undefined) return [];
    const names = new Set([...speakers, ...(data?.seats ?? []).map((seat) => seat.name)]);
    return [...names]
      .filter((each) => each.toLowerCase().startsWith(begun) && each.toLowerCase() !== begun)
      .sort()
      .slice(0, OFFERED);
  }, [text, speakers, data]);
}
