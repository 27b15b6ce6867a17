import { useState, type FormEvent, type ReactNode } from 'react';
import { useAgents } from '../agents/queries.ts';
import { Agent } from '../parts/agent.tsx';
import { Foreign } from '../parts/foreign.tsx';
import type { Card } from './cards.ts';
import { onEscape } from '../parts/leave-key.ts';

/** Work under way has a holder: a person gives the task to an agent, and it waits for that agent. */
export function WhoTakesIt({
  card,
  onChoose,
  onClose,
}: Readonly<{ card: Card; onChoose(agent: string): void; onClose(): void }>): ReactNode {
  const agents = useAgents(undefined).filter(({ seats }) => seats.length > 0);
  const [name, setName] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() !== '') onChoose(name.trim());
  };
  return (
    <form
      onSubmit={submit}
      onKeyDown={onEscape(onClose)}
      aria-label="Who takes it?"
      className="arrives border-line bg-sunken mx-3 mb-2 flex flex-wrap items-center gap-2 rounded-one border px-3 py-2"
    >
      <span className="mr-1">
        Who takes{' '}
        <strong className="font-medium">
          <Foreign text={card.title.slice(0, 80)} />
        </strong>
        ?
      </span>
      {agents.map((agent) => (
        <button
          key={`${agent.teamId} ${agent.name}`}
          type="button"
          className="button"
          onClick={() => onChoose(agent.name)}
        >
          <Agent name={agent.name} life={agent.life} />
        </button>
      ))}
      <input
        autoFocus
        className="field w-44"
        aria-label="Name of an agent"
        placeholder="or a name…"
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <button className="button" disabled={name.trim() === ''}>
        Assign
      </button>
      <button type="button" className="quiet" onClick={onClose}>
        Cancel
      </button>
    </form>
  );
}
