import type { Ability } from './protocol/abilities.ts';

/**
 * A question a tool puts to the client while it works. Earlier revisions answer it over the open
 * connection; 2026-07-28 ends the call with `input_required` and calls again with the answers, so a
 * handler must ask before it changes anything: it runs from the top on every round.
 */
export type Question =
  | Readonly<{
      method: 'elicitation/create';
      params: Readonly<{ message: string; requestedSchema: object; mode?: 'form' }>;
    }>
  | Readonly<{
      method: 'elicitation/create';
      params: Readonly<{ message: string; mode: 'url'; url: string; elicitationId: string }>;
    }>
  | Readonly<{
      method: 'sampling/createMessage';
      params: Readonly<{ messages: readonly object[]; maxTokens: number } & Record<string, unknown>>;
    }>
  | Readonly<{ method: 'roots/list'; params?: Readonly<Record<string, never>> }>;

export type Reply = Readonly<Record<string, unknown>>;

/** What the client must have declared before it may be asked. */
export function abilityFor(question: Question): Ability {
  if (question.method === 'roots/list') return 'roots';
  if (question.method === 'sampling/createMessage')
    return 'tools' in question.params ? 'sampling.tools' : 'sampling';
  return question.params.mode === 'url' ? 'elicitation.url' : 'elicitation';
}
