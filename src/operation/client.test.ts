import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { type ApiOf, callRoutes, requestOf, type RouteRequest } from './client.ts';
import { change, look } from './operation.ts';

describe('a request', () => {
  it('has the fields that its path names there, and the rest in the body', () => {
    expect(requestOf('POST /api/beds/:bedId/kelp/:id/cut', { bedId: 'b1', id: 7, depth: 2 })).toEqual({
      method: 'POST',
      path: '/api/beds/b1/kelp/7/cut',
      body: { depth: 2 },
    });
  });

  it('of a GET has the rest in the query, lists with commas', () => {
    expect(requestOf('GET /api/kelp/:id', { id: 'k', limit: 5, isWet: true, tags: ['a', 'b'] })).toEqual({
      method: 'GET',
      path: '/api/kelp/k?limit=5&isWet=true&tags=a%2Cb',
    });
  });

  it('has in its query what its text names after the question mark', () => {
    expect(requestOf('DELETE /api/kelp/:id?now', { id: 'k', now: true, reason: 'rot' })).toEqual({
      method: 'DELETE',
      path: '/api/kelp/k?now=true',
      body: { reason: 'rot' },
    });
  });

  it('has as its body the field that its text names in braces', () => {
    expect(requestOf('PUT /api/kelp/:id {bed}', { id: 'k', bed: { depth: 2 } })).toEqual({
      method: 'PUT',
      path: '/api/kelp/k',
      body: { depth: 2 },
    });
  });

  it('escapes what would be read as something else', () => {
    const { path } = requestOf('GET /api/kelp/:id/near', { id: 'a/b?c#d%20 é', query: 'x&y=z +1' });
    const url = new URL(path, 'http://hub');
    expect(url.pathname.split('/')).toHaveLength(5);
    expect(decodeURIComponent(url.pathname.split('/')[3]!)).toBe('a/b?c#d%20 é');
    expect(Object.fromEntries(url.searchParams)).toEqual({ query: 'x&y=z +1' });
  });

  it('leaves out what is not given, and keeps what is empty', () => {
    expect(requestOf('GET /api/kelp', { limit: undefined, team: '' })).toEqual({
      method: 'GET',
      path: '/api/kelp?team=',
    });
    expect(requestOf('POST /api/kelp', { title: undefined, tags: [], note: null })).toEqual({
      method: 'POST',
      path: '/api/kelp',
      body: { tags: [], note: null },
    });
  });

  it('without fields has neither a query nor a body', () => {
    expect(requestOf('GET /api/kelp')).toEqual({ method: 'GET', path: '/api/kelp' });
    expect(requestOf('POST /api/kelp/:id/cut', { id: 'k', depth: undefined })).toEqual({
      method: 'POST',
      path: '/api/kelp/k/cut',
    });
  });
});

describe('the typed client', () => {
  const kelp = z.object({ id: z.string(), length: z.int() });
  const said = { summary: 'Kelp.', scope: 'kelp:read' };
  const list = look({
    ...said,
    name: 'list_kelp',
    input: { limit: z.int().optional() },
    output: z.object({ kelp: z.array(kelp) }),
    route: 'GET /api/kelp',
    run: async () => ({ kelp: [] }),
  });
  const tide = look({
    ...said,
    name: 'tide',
    input: {},
    output: z.object({ isHigh: z.boolean() }),
    route: 'GET /api/tide',
    run: async () => ({ isHigh: true }),
  });
  const cut = change({
    ...said,
    name: 'cut_kelp',
    input: { id: z.string(), depth: z.int().default(1), all: z.boolean().optional() },
    onlyTool: ['all'],
    output: kelp,
    route: 'POST /api/kelp/:id/cut',
    run: async (_room: undefined, { id, depth }) => ({ id, length: depth }),
  });
  const onlyTool = look({
    ...said,
    name: 'smell_kelp',
    input: {},
    output: z.object({}),
    tool: { title: 'Smell' },
    run: async () => ({}),
  });
  const operations = [list, tide, cut, onlyTool] as const;
  type KelpApi = ApiOf<(typeof operations)[number]>;

  it('sends what the operation takes and answers what it answers', async () => {
    const sent: RouteRequest[] = [];
    const ask = callRoutes<KelpApi>(async (request) => (sent.push(request), { id: 'k', length: 3 }));
    const answer = await ask('POST /api/kelp/:id/cut', { id: 'k', depth: 3 });
    expect(answer.length).toBe(3);
    await ask('GET /api/kelp');
    await ask('GET /api/tide');
    expect(sent).toEqual([
      { method: 'POST', path: '/api/kelp/k/cut', body: { depth: 3 } },
      { method: 'GET', path: '/api/kelp' },
      { method: 'GET', path: '/api/tide' },
    ]);
  });

  it('does not compile with a route, a field or a type that is not there', () => {
    expectTypeOf<keyof KelpApi>().toEqualTypeOf<
      'GET /api/kelp' | 'GET /api/tide' | 'POST /api/kelp/:id/cut'
    >();
    expectTypeOf<KelpApi['GET /api/kelp']['answer']>().toEqualTypeOf<{
      kelp: { id: string; length: number }[];
    }>();
    const ask = callRoutes<KelpApi>(async () => undefined);
    const mistakes = [
      // @ts-expect-error there is no such route
      () => ask('GET /api/weed'),
      // @ts-expect-error there is no such field
      () => ask('GET /api/kelp', { limits: 5 }),
      // @ts-expect-error it takes a number
      () => ask('GET /api/kelp', { limit: '5' }),
      // @ts-expect-error it takes no field at all
      () => ask('GET /api/tide', { limit: 5 }),
      // @ts-expect-error it does not work without an id
      () => ask('POST /api/kelp/:id/cut'),
      // @ts-expect-error it does not work without an id
      () => ask('POST /api/kelp/:id/cut', { depth: 2 }),
      // @ts-expect-error only its tool takes that
      () => ask('POST /api/kelp/:id/cut', { id: 'k', all: true }),
      // @ts-expect-error it answers no such field
      async () => (await ask('GET /api/kelp')).weed,
    ];
    expect(mistakes).toHaveLength(8);
  });
});
