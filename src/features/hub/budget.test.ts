import { z } from 'zod';
import { describe, expect, it } from 'vitest';
import { localPrincipal, operatorPrincipal } from '../../kernel/principal.ts';
import type { Tool } from '../../mcp/define.ts';
import { budgetView, costOf } from './budget.ts';

const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
/** Costs about as many tokens as it is told to. */
const tool = (name: string, cost = 100): Tool => ({
  name,
  title: name,
  description: 'x'.repeat(cost * 4 - 60 - name.length),
  input: z.object({}),
  inputSchema: { type: 'object' },
  annotations: READS,
  scope: 'tools:call',
  effect: 'read',
  handler: async () => ({ ok: true, value: undefined }),
});
const of = (source: string, ...tools: Tool[]): Tool[] =>
  tools.map((one) => ({ ...one, name: `${source}__${one.name}`, source, isForeign: true }));

const FIRST = ['a', 'b', 'c', 'search'];
const own = FIRST.map((name) => tool(name, 50));
const here = localPrincipal('seat');

function viewOf(budget: number, used: readonly string[] = []) {
  const view = budgetView({
    budget,
    first: FIRST,
    always: new Set(['search']),
    last: ['Read'],
    lately: async () => [...used],
  });
  return async (tools: readonly Tool[], who = here) =>
    (await view.choose(tools, who)).map(({ name }) => name).join(' ');
}

describe('the budget of a list', () => {
  it('counts a token as four characters of name, description and schema', () => {
    const one = tool('a');
    const shown = { name: one.name, description: one.description, inputSchema: { type: 'object' } };
    expect(costOf(one)).toBe(Math.ceil(JSON.stringify(shown).length / 4));
  });

  it('has the first ones, then what is switched on, as far as it reaches', async () => {
    const tools = [...own, tool('Read'), tool('never')];
    expect(await viewOf(1_000)(tools)).toBe('search a b c Read');
    expect(await viewOf(210)(tools)).toBe('search a b c');
    expect(await viewOf(130)(tools)).toBe('search a');
    expect(await viewOf(10)(tools)).toBe('search');
  });

  it('keeps a third for sources, when there are any, and no more than they want', async () => {
    const tools = [...own, ...of('x', tool('one'), tool('two'))];
    expect(await viewOf(270)(tools)).toBe('search a b x__one');
    expect(await viewOf(270)(own)).toBe('search a b c');
    expect(await viewOf(230)([...own, ...of('x', tool('one', 20))])).toBe('search a b c x__one');
  });

  it('takes whole sources before parts, and those before what is switched on', async () => {
    const tools = [
      ...own,
      tool('Read'),
      ...of('big', tool('one'), tool('two', 400)),
      ...of('tiny', tool('all')),
    ];
    expect(await viewOf(520)(tools)).toBe('search a b c tiny__all big__one Read');
    expect(await viewOf(450)(tools)).toBe('search a b c tiny__all big__one');
  });

  it('takes sources and tools that were used lately first', async () => {
    const tools = [...own, ...of('x', tool('one')), ...of('y', tool('one'), tool('two'))];
    expect(await viewOf(420)(tools)).toBe('search a b c x__one y__one');
    expect(await viewOf(420, ['y__two'])(tools)).toBe('search a b c y__two y__one');
    expect(await viewOf(310, ['y__two'])(tools)).toBe('search a b c x__one');
    expect(await viewOf(310, ['y__two'])(tools.filter(({ source }) => source !== 'x'))).toBe(
      'search a b c y__two',
    );
  });

  it('stays the same for a session whatever is used; a source that comes takes no place of another', async () => {
    const used: string[] = [];
    const list = viewOf(310, used);
    const tools = [...own, ...of('x', tool('one')), ...of('y', tool('one'))];
    expect(await list(tools)).toBe('search a b c x__one');
    used.push('y__one');
    const [later, stateless] = [localPrincipal('later'), { ...operatorPrincipal, client: 'codex' }];
    expect(await list(tools)).toBe('search a b c x__one');
    expect(await list(tools, later)).toBe('search a b c y__one');
    expect(await list(tools, stateless)).toBe('search a b c y__one');
    expect(await list([...of('a', tool('one')), ...tools])).toBe('search a b c x__one');
  });
});
