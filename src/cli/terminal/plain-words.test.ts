import { expect, it } from 'vitest';
import { HubError } from '../../kernel/errors.ts';
import { inPlainWords } from './plain-words.ts';

it.each([
  [
    'Invalid body: title must be a string of 1 to 500 characters, got "".',
    'title must be 1 to 500 characters long, got "".',
  ],
  [
    'Invalid query: limit must be a whole number from 1 to 500, got "0".',
    'limit must be a whole number from 1 to 500, got "0".',
  ],
  [
    'Invalid body: body must be a string of 1 to 20000 characters, got "".',
    'the text must be 1 to 20000 characters long, got "".',
  ],
  ['Invalid body: add.0 must be one word, got "big job".', 'add must be one word, got "big job".'],
  ['01a1e9f8-ca18-7459-8e2b-92fff54cb5c0 is backlog.', 'f54cb5c0 is backlog.'],
  ['The body must not hold a NUL character.', 'What is written must not hold a NUL character.'],
  ['status change failed: not_holder', 'status change failed: not_holder'],
])('%s', (said, meant) => {
  const { message, hint } = inPlainWords(new HubError('invalid', said));
  expect(message).toBe(meant);
  expect(hint).toBe('Correct it and try again.');
});

it('names commands, not tools', () => {
  const hint = 'It waits: do not retry, pick other work (list_tasks with ready=true), or add_comment.';
  expect(inPlainWords(new HubError('conflict', 'x', { hint })).hint).toBe(
    'It waits: do not retry, pick other work (`holdfast board list --ready`), or `holdfast board comment`.',
  );
});
