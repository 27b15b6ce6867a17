// `/api/sources`. A source runs programs, so what changes one is for persons.
import { z } from 'zod';
import { defineRoute, type Route } from '../../http/route.ts';
import { HubError } from '../../kernel/errors.ts';
import { byRoute } from '../../store/acting.ts';
import { findSources } from './import.ts';
import { requireSourceKeeper } from './operator-only.ts';
import { reviewRoutes, type SourceRouteParts } from './review-routes.ts';
import { dropTools } from './rows.ts';
import { entrySchema, readEntry } from './settings.ts';
import type { Source } from './sources.ts';
import { sourceDetail, sourceView, toDetail, toView } from './views.ts';

const tag = 'sources';
const params = z.object({ name: z.string().min(1).max(64) });
const OK = { ok: true } as const;
const ok = z.literal(true);

export function sourceRoutes({ db, acting, sources }: SourceRouteParts): readonly Route[] {
  async function need(name: string): Promise<Source> {
    await sources.reload();
    const source = sources.find(name);
    if (source) return source;
    const known = sources.all().map(({ entry }) => entry.name);
    throw new HubError('not_found', `There is no source ${JSON.stringify(name)}.`, { known });
  }

  return [
    defineRoute({
      method: 'GET',
      path: '/api/sources',
      summary: 'Every source with its state, the entries that cannot be used, and what other hubs run.',
      tag,
      scope: 'tools:read',
      response: z.object({
        ok,
        sources: z.array(sourceView),
        refused: z.array(z.object({ name: z.string(), problem: z.string() })),
        hubs: z.array(
          z.object({
            hub: z.string(),
            source: z.string(),
            state: z.string(),
            reason: z.string().nullable(),
            pid: z.int().nullable(),
            tools: z.int(),
            changedAt: z.int(),
          }),
        ),
      }),
      async handler() {
        await sources.reload();
        const hubs = await sources.register.read();
        return {
          ...OK,
          sources: sources.all().map((source) => toView(sources, source)),
          refused: [...sources.refused()],
          hubs: [...hubs],
        };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/sources/:name',
      summary: 'One source with its tools, and what is suspicious about them.',
      tag,
      scope: 'tools:read',
      params,
      refusals: ['not_found'],
      response: z.object({ ok, source: sourceDetail }),
      handler: async ({ params: { name } }) => ({ ...OK, source: toDetail(sources, await need(name)) }),
    }),
    defineRoute({
      method: 'PUT',
      path: '/api/sources/:name',
      summary: 'Add a source to config.yaml, or replace its entry.',
      tag,
      scope: 'tools:admin',
      params,
      body: z.record(z.string(), z.unknown()).describe('An entry of `sources:` as config.yaml has it.'),
      response: z.object({ ok, source: sourceView }),
      async handler({ params: { name }, body }, { who }) {
        requireSourceKeeper(who, 'Adding a source');
        const read = readEntry(name, body);
        if ('problem' in read)
          throw new HubError('invalid', `The entry ${name} cannot be used: ${read.problem}.`, {
            known: Object.keys(entrySchema.shape),
          });
        await sources.write(name, body);
        return { ...OK, source: toView(sources, await need(name)) };
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: '/api/sources/:name',
      summary: 'Take a source out of config.yaml, with its login and what was approved of it.',
      tag,
      scope: 'tools:admin',
      params,
      refusals: ['not_found'],
      response: z.object({ ok }),
      async handler({ params: { name } }, { who }) {
        requireSourceKeeper(who, 'Removing a source');
        if ((await sources.raw(name)) === undefined) await need(name);
        await sources.write(name, undefined);
        await acting.change(byRoute(who, 'remove_source', { name }), async (tx) => {
          await dropTools(tx, name);
          tx.emit({ kind: 'source.removed', subject: name, realm: 'hub' });
        });
        return OK;
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/sources/:name/switch',
      summary: 'Switch a source on or off.',
      tag,
      scope: 'tools:admin',
      params,
      body: z.object({ enabled: z.boolean() }),
      refusals: ['not_found'],
      response: z.object({ ok, source: sourceView }),
      async handler({ params: { name }, body }, { who }) {
        requireSourceKeeper(who, 'Switching a source');
        await need(name);
        await sources.write(name, { ...(await sources.raw(name)), enabled: body.enabled });
        return { ...OK, source: toView(sources, await need(name)) };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/sources/:name/test',
      summary: 'Connect to a source now and say how that went.',
      tag,
      scope: 'tools:read',
      params,
      refusals: ['not_found'],
      response: z.object({ ok, source: sourceDetail }),
      async handler({ params: { name } }) {
        await need(name);
        await sources.test(name);
        return { ...OK, source: toDetail(sources, await need(name)) };
      },
    }),
    ...reviewRoutes({ db, acting, sources }, need),
    defineRoute({
      method: 'POST',
      path: '/api/sources/:name/login',
      summary: 'Begin a login: answers the page that a person has to visit.',
      tag,
      scope: 'tools:admin',
      params,
      refusals: ['not_found', 'unavailable'],
      response: z.object({ ok, page: z.string().nullable() }),
      async handler({ params: { name } }, { who }) {
        requireSourceKeeper(who, 'Logging in to a source');
        await need(name);
        const { page } = await sources.login(name);
        return { ...OK, page: page ?? null };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/sources/import',
      summary: 'What the file of another client would bring: nothing is changed.',
      tag,
      scope: 'tools:read',
      body: z.object({ text: z.string().max(2_000_000), path: z.string().max(4_000).default('mcp.json') }),
      response: z.object({
        ok,
        found: z.array(
          z.object({
            name: z.string(),
            entry: z.record(z.string(), z.unknown()),
            notes: z.array(z.string()),
            problem: z.string().nullable(),
          }),
        ),
      }),
      async handler({ body }) {
        await sources.reload();
        const taken = new Set(sources.all().map(({ entry }) => entry.name));
        const found = findSources(body.text, body.path, taken);
        return {
          ...OK,
          found: found.map(({ name, entry, notes }) => {
            const read = readEntry(name, entry);
            return { name, entry, notes: [...notes], problem: 'problem' in read ? read.problem : null };
          }),
        };
      },
    }),
  ];
}
