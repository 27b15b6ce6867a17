import { describe, expect, it } from 'vitest';
import { analyse } from './analyse.ts';
import { namesSomething } from './voice.ts';

describe('the voice of a turn', () => {
  const isSelf = (content: string): boolean => analyse({ title: '', content }).isAboutSelf;

  it.each([
    "I've moved and you helped, but it was my idea",
    'Our dog is ill',
    'We’re back',
    'Ich habe meine Prüfung bestanden',
    'Я люблю чай',
  ])('is about who speaks: %s', (text) => expect(isSelf(text)).toBe(true));
  it.each(["That's great, you must be proud!", 'I admire your courage', 'The bus is late'])('is not: %s', (text) =>
    expect(isSelf(text)).toBe(false),
  );
});

describe('a name in a turn', () => {
  it.each(['My teacher is called Ingrid.', 'We flew to Rome', 'He wrote "Hold the Rabbit"', 'and, Kevin says, it rains'])(
    'is seen in: %s',
    (text) => expect(namesSomething(text)).toBe(true),
  );
  it.each(['Thanks, Gwen!', 'Great idea. That helps', 'but I think so', ''])('is not seen in: %s', (text) =>
    expect(namesSomething(text)).toBe(false),
  );
});
