import { describe, expect, it } from 'vitest';
import { chainOf, readBudget, refuseCircles } from './quota-settings.ts';

const chain = (agents: Record<string, string[]>) =>
  Object.fromEntries(Object.entries(agents).map(([name, fallback]) => [name, { fallback }]));

describe('fallbacks', () => {
  it.each([
    [{ a: ['a'] }, 'a → a'],
    [{ a: ['b'], b: ['a'] }, 'a → b → a'],
    [{ a: ['b'], b: ['c'], c: ['b'] }, 'b → c → b'],
  ])('a circle is refused by its way: %j', (agents, way) =>
    expect(() => refuseCircles(chain(agents as unknown as Record<string, string[]>), [])).toThrow(way),
  );

  it('a name that is nobody is refused, one that is a family is not', () => {
    expect(() => refuseCircles(chain({ a: ['nobody'] }), ['codex'])).toThrow('agents.a.fallback');
    expect(() => refuseCircles(chain({ a: ['codex'] }), ['codex'])).not.toThrow();
  });

  it('many that lead to the same are no circle, and take no time', () => {
    const names = Array.from({ length: 40 }, (_, i) => `a${i}`);
    const agents = chain(Object.fromEntries(names.map((name, i) => [name, names.slice(i + 1)])));
    expect(() => refuseCircles(agents, [])).not.toThrow();
    expect(chainOf(agents, 'a0')).toEqual(names.slice(1));
  });

  it('a chain goes on with the chains of those in it, each once', () => {
    const agents = chain({ a: ['b', 'd'], b: ['c'], c: [], d: ['c'] });
    expect(chainOf(agents, 'a')).toEqual(['b', 'c', 'd']);
    expect(chainOf(agents, 'elsewhere')).toEqual([]);
  });
});

describe('budgets', () => {
  it('are read in tokens and dollars per window', () => {
    expect(readBudget('b', { '5h': { tokens: '2M' }, week: { tokens: 500, dollars: 20 } })).toEqual({
      '5h': { tokens: 2_000_000, dollars: undefined },
      week: { tokens: 500, dollars: 20 },
    });
    expect(readBudget('b', undefined)).toEqual({});
  });

  it.each([
    { month: { tokens: 1 } },
    { day: {} },
    { day: { tokens: 'many' } },
    { day: { dollars: -1 } },
    { day: 5 },
  ])('refused: %j', (value) => expect(() => readBudget('b', value)).toThrow('config.yaml'));
});
