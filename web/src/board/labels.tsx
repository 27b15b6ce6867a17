import { useState, type ReactNode } from 'react';
import { Refused } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { useCards } from './cards.ts';
import { useRelabel } from './queries.ts';

/** The words a task is sorted by; each goes with a click, a new one is typed. */
export function Labels({ id }: Readonly<{ id: string }>): ReactNode {
  const { data: cards } = useCards();
  const relabel = useRelabel(id);
  const [text, setText] = useState('');
  const card = cards?.get(id);
  if (!card) return null;
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      {card.labels.map((label) => (
        <span key={label} className="border-line text-meta flex items-center gap-1 rounded-full border pl-2">
          <Foreign text={label} />
          <button
            className="quiet min-h-5! px-1!"
            aria-label={`Take the label ${label} away`}
            onClick={() => relabel.mutate({ remove: [label] })}
          >
            <Icon name="close" size={11} />
          </button>
        </span>
      ))}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() !== '') relabel.mutate({ add: [text.trim()] }, { onSuccess: () => setText('') });
        }}
      >
        <input
          className="text-meta placeholder:text-faint hover:border-edge focus:border-edge w-24 rounded-full border border-transparent bg-transparent px-2 py-0.5"
          aria-label="A label"
          placeholder="add a label"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </form>
      <Refused error={relabel.error} />
    </div>
  );
}
