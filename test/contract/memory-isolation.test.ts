import { expect, it, onTestFinished } from 'vitest';
import { createMemoryDesk } from '../../src/features/memory/memory.ts';
import { createActing } from '../../src/store/calls.ts';
import { createFacts, fileFact, saveProcedure } from '../../src/features/memory/facts.ts';
import { factTexts } from '../../src/features/memory/texts.ts';
import { createUses } from '../../src/features/memory/uses.ts';
import { createHttpApp } from '../../src/http/app.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { localPrincipal } from '../../src/kernel/principal.ts';
import { awaitEmbedding, startEmbedding } from '../../src/recall/vectors/embedding-queue.ts';
import { createMeaning } from '../../src/recall/vectors/meaning.ts';
import { embeddingSettings } from '../../src/recall/vectors/provider.ts';
import { countVectors } from '../../src/recall/vectors/rows.ts';
import { eachEngine, freshDatabase } from '../fixtures/databases.ts';
import { startEmbeddingEndpoint } from '../fixtures/embedding-endpoint.ts';
import { connectMemory, routesOfDesk, serverOfDesk } from '../fixtures/memory-host.ts';
import { serveHttp } from '../fixtures/mcp-http.ts';

type Scope = Readonly<{ team: string; agent: string; tenant: string }>;

const TEAMS = ['', 'red', 'blue', 'red ', 'RED'];
const AGENTS = ['', 'ann', 'bob'];
const TENANTS = ['', 'acme', 'other'];

function maySee(reader: Partial<Scope>, { team, agent, tenant }: Scope): boolean {
  return (
    (team === '' || team === reader.team) &&
    (agent === '' || agent === reader.agent) &&
    tenant === (reader.tenant ?? '')
  );
}

/** Small and seeded, so that a failure can be repeated. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

eachEngine('isolation', (engine) => {
  it(
    'no read path of any era shows a canary of a scope the reader is not in',
    { timeout: 120_000 },
    async () => {
      const db = await freshDatabase(engine);
      const endpoint = await startEmbeddingEndpoint();
      const meaning = createMeaning(
        db,
        embeddingSettings({ HOLDFAST_EMBEDDING_URL: endpoint.url }),
        systemClock,
      );
      const memory = createFacts({ onSaved: (tx, fact) => awaitEmbedding(tx, fact.number) });
      const uses = createUses({ db, log: silentLog });
      const desk = createMemoryDesk({
        db,
        facts: memory,
        meaning,
        uses,
        via: 'tool',
        acting: createActing(db),
      });
      const queue = startEmbedding({ db, meaning, texts: factTexts, holder: 'hub', log: silentLog });
      const http = await serveHttp(serverOfDesk(desk, db));
      onTestFinished(() => http.close());

      const canaries: { canary: string; scope: Scope; ids: string[] }[] = [];
      for (const team of TEAMS) {
        for (const agent of AGENTS) {
          for (const tenant of TENANTS) {
            const canary = `canary${canaries.length}x`;
            const ids: string[] = [];
            const filing = { space: 'memory', tenant, team, agent };
            const saved = await db.write({ id: 'fixture', asserted: false }, async (tx) => {
              const old = await fileFact(createFacts().in(tx, localPrincipal('fixture')), filing, {
                title: `bird ${canary}`,
                content: `the shared word ${canary}`,
                tags: ['session-1', canary],
                source: canary,
              });
              // A procedure of a tenant can only be filed by a bound caller, and then never for one agent.
              const bound = tenant === '' ? {} : { team, tenant };
              const procedure = {
                name: `procedure-${canary}`,
                content: canary,
                source: canary,
                scopeTeamId: team,
                scopeAgentId: agent,
              };
              if (tenant === '' || agent === '')
                await saveProcedure(memory.in(tx, localPrincipal('fixture', bound)), procedure);
              return old;
            });
            ids.push(saved.fact.id);
            const newer = await desk.supersede(localPrincipal('fixture'), {
              id: saved.fact.id,
              content: `the shared word again ${canary}`,
            });
            ids.push(newer.fact.id);
            canaries.push({ canary, scope: { team, agent, tenant }, ids });
          }
        }
      }
      await expect.poll(async () => (await db.read(countVectors)).pending, { timeout: 20_000 }).toBe(0);

      const roll = dice(42);
      const pick = <T>(values: readonly T[]): T => values[roll(values.length)]!;
      const lie = () => ({ scopeTeamId: pick(TEAMS), scopeAgentId: pick(AGENTS) });
      let looked = 0;
      for (let round = 0; round < 40; round++) {
        const reader = {
          team: pick(TEAMS.slice(1)),
          ...(roll(2) ? { agent: pick(AGENTS.slice(1)) } : {}),
          ...(roll(3) === 0 ? { tenant: pick(TENANTS.slice(1)) } : {}),
        };
        const client = await connectMemory(http.documented, round % 2 === 0 ? 'legacy' : 'modern', {
          ...reader,
          profile: 'extended',
        });
        const target = pick(canaries);
        const calls: [string, Record<string, unknown>][] = [
          ['memory_search', { query: 'shared word', limit: 100, ...lie() }],
          ['memory_search', { query: target.canary, limit: 100, explain: true, ...lie() }],
          ['memory_search', { query: `bird ${target.canary}`, mode: 'vector', limit: 100, ...lie() }],
          ['memory_search', { query: 'shared word again', mode: 'hybrid', limit: 100, ...lie() }],
          ['memory_search', { query: 'shared word', asOf: Date.now() - roll(5_000), limit: 100, ...lie() }],
          ['memory_browse', { limit: 200, ...lie() }],
          ['memory_list_procedures', { limit: 200, ...lie() }],
          ['memory_get_procedure', { name: `procedure-${target.canary}`, ...lie() }],
          ['memory_get', { id: pick(target.ids), ...lie() }],
          ['memory_history', { id: pick(target.ids), ...lie() }],
          ['memory_supersede', { id: pick(target.ids), content: 'taken over', validFrom: 1 }],
          [
            'memory_save',
            { title: `bird ${round}`, content: 'the shared word again', tags: ['session-1'], ...lie() },
          ],
        ];
        for (const [tool, args] of calls) {
          const answer = await client.call(tool, args);
          const shown = JSON.stringify(answer);
          const given = JSON.stringify(args);
          for (const { canary, scope, ids } of canaries) {
            if (maySee(reader, scope)) continue;
            // What the caller said itself is no leak: a refusal repeats the id it was given.
            const leaks = [canary, ...ids].filter((mark) => !given.includes(mark) && shown.includes(mark));
            expect({ reader, tool, args, leaks }).toEqual({ reader, tool, args, leaks: [] });
            if (given.includes(ids[0]!) || given.includes(ids[1]!)) expect(answer.isError).toBe(true);
            looked += 1;
          }
        }
      }
      expect(looked).toBeGreaterThan(10_000);

      // The same over REST, where what a token is bound to takes the place of the connection's parameters.
      let reader: Partial<Scope> = {};
      let shownToTheirOwn = 0;
      const app = createHttpApp({
        routes: routesOfDesk(desk, db),
        authenticate: () => localPrincipal('', reader),
        log: silentLog,
      });
      onTestFinished(() => app.close());
      const { address } = await app.listen({ host: '127.0.0.1', ports: [0] });
      for (let round = 0; round < 40; round++) {
        reader = {
          team: pick(TEAMS.slice(1)),
          ...(roll(2) ? { agent: pick(AGENTS.slice(1)) } : {}),
          ...(roll(3) === 0 ? { tenant: pick(TENANTS.slice(1)) } : {}),
        };
        const target = pick(canaries);
        const id = pick(target.ids);
        const asked = (more: Record<string, string>): string =>
          new URLSearchParams({ ...lie(), ...more }).toString();
        const paths = [
          `/api/memory/search?${asked({ query: 'shared word', limit: '100', explain: 'true' })}`,
          `/api/memory/search?${asked({ query: `bird ${target.canary}`, mode: pick(['fts', 'vector', 'hybrid']), limit: '100' })}`,
          `/api/memory/search?${asked({ query: 'shared word', asOf: String(Date.now() - roll(5_000)), limit: '100' })}`,
          `/api/memory?${asked({ limit: '200' })}`,
          `/api/memory/export?${asked({})}`,
          `/api/memory/export?${asked({ after: 'procedures:' })}`,
          `/api/memory/procedures?${asked({ limit: '200' })}`,
          `/api/memory/procedures/procedure-${target.canary}?${asked({})}`,
          `/api/memory/facts/${id}?${asked({})}`,
          `/api/memory/facts/${id}/history?${asked({})}`,
          `/api/memory/stats?${asked({})}`,
        ];
        for (const path of paths) {
          const response = await fetch(address + path);
          expect({ path, isFault: response.status >= 500 }).toEqual({ path, isFault: false });
          const shown = await response.text();
          for (const { canary, scope, ids } of canaries) {
            if (maySee(reader, scope)) {
              if (shown.includes(canary)) shownToTheirOwn += 1;
              continue;
            }
            const leaks = [canary, ...ids].filter((mark) => !path.includes(mark) && shown.includes(mark));
            expect({ reader, path, leaks }).toEqual({ reader, path, leaks: [] });
            if (ids.includes(id) && path.includes(id)) expect(response.status).toBe(404);
          }
        }
      }
      expect(shownToTheirOwn).toBeGreaterThan(400);
      // How much is embedded counts every scope: only who is bound to none learns it.
      const counted = async (): Promise<object> =>
        (await (await fetch(`${address}/api/memory/embedding`)).json()) as object;
      for (const bound of [{ team: 'red' }, { team: 'red', agent: 'ann' }, { team: 'red', tenant: 'acme' }]) {
        reader = bound;
        expect(Object.keys(await counted())).toEqual(['provider']);
      }
      reader = {};
      expect(await counted()).toMatchObject({ progress: { left: 0 } });
      await queue.stop();
    },
  );
});
