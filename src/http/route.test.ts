import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineRoute, flagText, integerText, listText } from './route.ts';

describe('query text', () => {
  it('reads whole numbers and refuses what only looks like one', () => {
    const limit = integerText(z.int().min(1).max(500));
    expect(limit.parse('42')).toBe(42);
    for (const bad of ['', ' 5', '1e3', '0x10', '1.5', '0', '501', '-1', '99999999999999999999']) {
      expect(limit.safeParse(bad).success, bad).toBe(false);
    }
  });

  it('reads flags only in their two spellings', () => {
    expect(flagText().parse('true')).toBe(true);
    expect(flagText().parse('false')).toBe(false);
    expect(flagText().safeParse('1').success).toBe(false);
  });

  it('splits lists and refuses empty names and too many of them', () => {
    expect(listText(3).parse('task.claimed, task.done')).toEqual(['task.claimed', 'task.done']);
    expect(listText(3).safeParse('a,,b').success).toBe(false);
    expect(listText(3).safeParse('a,b,c,d').success).toBe(false);
  });
});

describe('defineRoute', () => {
  it('types the handler by the schemas and keeps the declaration as data', () => {
    const route = defineRoute({
      method: 'POST',
      path: '/api/echo/:id',
      summary: 'Echo',
      tag: 'echo',
      scope: 'echo:write',
      params: z.object({ id: z.string() }),
      query: z.object({ times: integerText(z.int()).default(1) }),
      body: z.object({ text: z.string() }),
      response: z.object({ text: z.string() }),
      async handler({ params, query, body }) {
        return { text: `${params.id}:${body.text.repeat(query.times)}` };
      },
    });
    expect(route).toMatchObject({ method: 'POST', path: '/api/echo/:id', scope: 'echo:write' });
  });
});
