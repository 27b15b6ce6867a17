import { describe, expect, it } from 'vitest';
import { analyse } from './analyse.ts';

describe('the voice of a turn', () => {
  const isSelf = (content: string): boolean => analyse({ title: '', content }).isAboutSelf;

  it.each([
    "I've moved and you helped, but it was my idea",
    'Our dog is ill',
    'We’re back',
    'Ich habe meine Prüfung bestanden',
    'Я люблю чай',
  ])('is about who speaks: %s', (text) => expect(isSelf(text)).toBe(true));
  it.each(["That's great, you must be proud!", 'I admire your courage', 'The bus is late'])(
    'is not: %s',
    (text) => expect(isSelf(text)).toBe(false),
  );
});
