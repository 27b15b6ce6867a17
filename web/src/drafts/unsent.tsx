import type { ReactNode } from 'react';
import { Moment } from '../parts/time.tsx';
import { forgetDraft } from './drafts.ts';
import { useDrafts } from './use-draft.ts';

/** Everything that was typed here and not sent, also of what is not there any more: each thrown away by name. */
export function Unsent(): ReactNode {
  const drafts = [...useDrafts('')].sort(([, a], [, b]) => b.at - a.at);
  if (drafts.length === 0)
    return <p className="text-soft">Nothing. What you type and do not send is kept here, in this browser.</p>;
  return (
    <ul aria-label="Typed and not sent">
      {drafts.map(([key, { text, at }]) => (
        <li key={key} className="row border-line border-b last:border-0">
          <span className="text-meta text-faint w-40 shrink-0 truncate font-mono" title={key}>
            {key}
          </span>
          <span className="min-w-0 flex-1 truncate">{text.slice(0, 200)}</span>
          <Moment at={at} />
          <button className="quiet" aria-label={`Discard ${key}`} onClick={() => forgetDraft(key)}>
            Discard
          </button>
        </li>
      ))}
    </ul>
  );
}
