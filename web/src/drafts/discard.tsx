import type { ReactNode } from 'react';
import type { Drafted } from './use-draft.ts';

/** Throws away what was typed: the one way, beside sending it, that it goes. */
export function Discard({
  drafts,
  onDiscard,
}: Readonly<{ drafts: readonly Drafted[]; onDiscard?(): void }>): ReactNode {
  if (!drafts.some(({ isBegun }) => isBegun)) return null;
  return (
    <>
      {drafts.some(({ isSecret }) => isSecret) && (
        <span className="text-meta text-amber">it seems to hold a key, so only this tab keeps it</span>
      )}
      <button
        type="button"
        className="quiet"
        onClick={() => {
          for (const { forget } of drafts) forget();
          onDiscard?.();
        }}
      >
        Discard
      </button>
    </>
  );
}

/** Somebody else changed what this text is about: it is for who writes to say whose words hold. */
export function Overtaken({ draft, what }: Readonly<{ draft: Drafted; what: string }>): ReactNode {
  if (!draft.isOvertaken) return null;
  return (
    <p role="status" className="bg-amber-wash rounded-one px-3 py-1">
      {what} was changed elsewhere since you began.{' '}
      <button type="button" className="quiet" onClick={draft.forget}>
        Take it as it is
      </button>
    </p>
  );
}
