import { describe, expect, it } from 'vitest';
import { createKeyedTurns, createTurns } from './turns.ts';

/** Work that begins and ends when the test says so. */
function steps() {
  const said: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) => async () => {
    said.push(`begins ${name}`);
    await new Promise<void>((resolve) => ends.set(name, resolve));
    said.push(`ends ${name}`);
    return name;
  };
  return { said, work, end: (name: string) => ends.get(name)!() };
}

const aWhile = () => new Promise((resolve) => setImmediate(resolve));

describe('turns', () => {
  it('are taken one after the other, in order, and answer what their own work answers', async () => {
    const { said, work, end } = steps();
    const turns = createTurns();
    const [one, two] = [turns.take(work('one')), turns.take(work('two'))];
    await aWhile();
    expect(said).toEqual(['begins one']);
    end('one');
    expect(await one).toBe('one');
    await aWhile();
    end('two');
    expect(await two).toBe('two');
    expect(said).toEqual(['begins one', 'ends one', 'begins two', 'ends two']);
  });

  it('go on after one that failed, which only its own caller hears of', async () => {
    const turns = createTurns();
    const broken = turns.take(async () => {
      throw new Error('broken');
    });
    const next = turns.take(() => 'next');
    await expect(broken).rejects.toThrow('broken');
    expect(await next).toBe('next');
    await turns.settled();
  });

  it('of one key do not wait for those of another', async () => {
    const { said, work, end } = steps();
    const inTurn = createKeyedTurns();
    const all = [inTurn('a', work('one')), inTurn('a', work('two')), inTurn('b', work('other'))];
    await aWhile();
    expect(said).toEqual(['begins one', 'begins other']);
    for (const name of ['other', 'one']) end(name);
    await aWhile();
    end('two');
    expect(await Promise.all(all)).toEqual(['one', 'two', 'other']);
    const broken = inTurn('a', () => Promise.reject(new Error('broken')));
    const next = inTurn('a', async () => 'next');
    await expect(broken).rejects.toThrow('broken');
    expect(await next).toBe('next');
  });
});
