import { describe, expect, it } from 'vitest';
import type { MemoryClient, MemoryHost } from '../fixtures/memory-host.ts';

/** What the extended profile adds to `clawboo-memory`, over any host. */
export function memoryExtendedContract(name: string, openHost: () => Promise<MemoryHost>): void {
  const open = async (): Promise<MemoryClient> => (await openHost()).connect({ profile: 'extended' });
  const save = async (client: MemoryClient, title: string, content: string, more: object = {}) =>
    (await client.call('memory_save', { title, content, ...more })).value.fact;

  describe(`${name}: memory_supersede`, () => {
    it('answers the new fact now and the old one as of then, and links both', async () => {
      const client = await open();
      const old = await save(client, 'Port', 'The port is 8080', { validFrom: 1_000 });
      const { value } = await client.call('memory_supersede', {
        id: old.id,
        content: 'The port is 9090',
        validFrom: 2_000,
      });
      expect(value).toMatchObject({
        fact: { title: 'Port', content: 'The port is 9090', supersedes: old.id, validTo: null },
        superseded: { id: old.id, supersededBy: value.fact.id, validTo: 2_000 },
      });
      const at = async (asOf?: number) =>
        (await client.call('memory_search', { query: 'port', asOf })).value.results.map(
          (fact: { content: string }) => fact.content,
        );
      expect(await at()).toEqual(['The port is 9090']);
      expect(await at(1_500)).toEqual(['The port is 8080']);
      expect(await at(2_000)).toEqual(['The port is 9090']);
      expect(await at(500)).toEqual([]);
      expect((await client.call('memory_browse')).value.facts).toHaveLength(1);
      const versions = (await client.call('memory_history', { id: value.fact.id })).value.versions;
      expect(versions.map((fact: { id: string }) => fact.id)).toEqual([old.id, value.fact.id]);
      expect((await client.call('memory_history', { id: old.id })).value.versions).toEqual(versions);
    });

    it('finds what held then among any number of versions', async () => {
      const client = await open();
      let fact = await save(client, 'Port', 'The port is 0', { validFrom: 1_000 });
      for (let i = 1; i < 12; i++) {
        fact = (
          await client.call('memory_supersede', {
            id: fact.id,
            content: `The port is ${i}`,
            validFrom: 1_000 + i,
          })
        ).value.fact;
      }
      const { results } = (await client.call('memory_search', { query: 'port', asOf: 1_005, limit: 1 }))
        .value;
      expect(results.map((hit: { content: string }) => hit.content)).toEqual(['The port is 5']);
    });

    it('lets one of two that supersede at once win', async () => {
      const client = await open();
      const old = await save(client, 'Port', 'one');
      const answers = await Promise.all(
        ['two', 'three'].map((content) => client.call('memory_supersede', { id: old.id, content })),
      );
      expect(answers.filter((answer) => answer.isError).map((answer) => answer.value.code)).toEqual([
        'conflict',
      ]);
    });

    it('finds now what holds now, and later what begins later', async () => {
      const client = await open();
      const tomorrow = Date.now() + 86_400_000;
      const contents = async (asOf?: number) =>
        (await client.call('memory_search', { query: 'speed limit', asOf })).value.results.map(
          (fact: { content: string }) => fact.content,
        );
      await save(client, 'Speed limit', 'The speed limit is ten');
      await save(client, 'Speed limit to come', 'The speed limit will be twenty', { validFrom: tomorrow });
      expect(await contents()).toEqual(['The speed limit is ten']);
      expect(await contents(Date.now() + 60_000)).toEqual(['The speed limit is ten']);
      expect((await contents(tomorrow)).toSorted()).toEqual([
        'The speed limit is ten',
        'The speed limit will be twenty',
      ]);
    });

    it('refuses to end a fact before its time', async () => {
      const client = await open();
      const old = await save(client, 'Port', 'The port is 8080');
      const refused = await client.call('memory_supersede', {
        id: old.id,
        content: 'x',
        validFrom: Date.now() + 86_400_000,
      });
      expect([refused.isError, refused.value.code]).toEqual([true, 'invalid']);
      expect((await client.call('memory_search', { query: 'port' })).value.results).toHaveLength(1);
      expect(
        (await client.call('memory_supersede', { id: old.id, content: 'now', validFrom: Date.now() + 5_000 }))
          .isError,
      ).toBe(false);
    });

    it('takes a fact that says it already as the new version', async () => {
      const client = await open();
      const old = await save(client, 'Port', 'The port is 8080');
      const other = await save(client, 'Port', 'The port is 9090');
      expect(
        (await client.call('memory_supersede', { id: old.id, content: 'The port is 9090' })).value.fact.id,
      ).toBe(other.id);
      for (const id of [old.id, other.id]) {
        const { versions } = (await client.call('memory_history', { id })).value;
        expect(versions.map((fact: { id: string }) => fact.id)).toEqual([old.id, other.id]);
      }
      expect((await client.call('memory_forget', { id: other.id })).value.forgotten.toSorted()).toEqual(
        [old.id, other.id].toSorted(),
      );
    });

    it('refuses a blank title, as a save does a blank name', async () => {
      const client = await open();
      const old = await save(client, 'Port', 'The port is 8080');
      expect((await client.call('memory_supersede', { id: old.id, title: '  ', content: 'x' })).isError).toBe(
        true,
      );
      expect((await client.call('memory_save', { procedureName: '  ', content: 'x' })).isError).toBe(true);
    });

    it('refuses a scope that is a secret', async () => {
      const secret = `ghp_${'Z'.repeat(36)}`;
      const refused = await (
        await open()
      ).call('memory_save', { title: 'a', content: 'b', scopeTeamId: secret });
      expect(refused.isError).toBe(true);
      expect(refused.lines.join(' ')).not.toContain(secret);
    });

    it('answers a repeated save of a forgotten procedure with what it is: not found', async () => {
      const client = await open();
      const args = { procedureName: 'deploy', content: 'push', idempotencyKey: 'k1' };
      const { procedure } = (await client.call('memory_save', args)).value;
      await client.call('memory_forget', { id: procedure.id });
      expect((await client.call('memory_save', args)).lines[0]).toBe(`not found: ${procedure.id}`);
    });

    it('refuses an unknown id with the documented shape', async () => {
      const refused = await (await open()).call('memory_supersede', { id: 'nope', content: 'x' });
      expect([refused.isError, refused.lines[0]]).toEqual([true, 'not found: nope']);
    });
  });

  describe(`${name}: memory_forget`, () => {
    it('removes a fact and its earlier versions from every read', async () => {
      const client = await open();
      const old = await save(client, 'Secret plan', 'meet at dawn');
      const { value } = await client.call('memory_supersede', { id: old.id, content: 'meet at noon' });
      const { forgotten } = (await client.call('memory_forget', { id: value.fact.id })).value;
      expect(forgotten.toSorted()).toEqual([old.id, value.fact.id].toSorted());
      expect(
        (await client.call('memory_search', { query: 'secret plan meet dawn noon' })).value.results,
      ).toEqual([]);
      expect((await client.call('memory_search', { query: 'dawn', asOf: Date.now() })).value.results).toEqual(
        [],
      );
      expect((await client.call('memory_browse')).value.facts).toEqual([]);
      for (const id of forgotten)
        expect((await client.call('memory_get', { id })).lines[0]).toBe(`not found: ${id}`);
      expect((await client.call('memory_forget', { id: old.id })).lines[0]).toBe(`not found: ${old.id}`);
    });

    it('lets the same words be saved again', async () => {
      const client = await open();
      const fact = await save(client, 'A', 'encore');
      await client.call('memory_forget', { id: fact.id });
      expect(
        (await client.call('memory_save', { title: 'A', content: 'encore' })).value.duplicate,
      ).toBeUndefined();
      expect((await client.call('memory_search', { query: 'encore' })).value.results).toHaveLength(1);
    });
  });

  describe(`${name}: provenance`, () => {
    it('tells who saved a fact, from where and when', async () => {
      const host = await openHost();
      const client = await host.connect({ profile: 'extended', team: 'red', agent: 'ann' });
      const fact = await save(client, 'A', 'b', { source: 'docs/plan.md' });
      expect((await client.call('memory_get', { id: fact.id })).value).toMatchObject({
        author: 'ann',
        source: 'docs/plan.md',
        validTo: null,
        position: 0,
      });
    });

    it('flags a near-duplicate', async () => {
      const client = await open();
      const text = 'the nightly backup of the staging server starts at three and takes an hour';
      const one = await save(client, 'Backup', text);
      expect(
        (await client.call('memory_save', { title: 'Backup', content: `${text} or so` })).value.similar,
      ).toEqual([one.id]);
    });
  });

  describe(`${name}: procedures`, () => {
    it('reads back a procedure, newest or any version, and lists the newest', async () => {
      const client = await open();
      for (const content of ['first', 'second'])
        await client.call('memory_save', { procedureName: 'deploy', content });
      expect((await client.call('memory_get_procedure', { name: 'deploy' })).value).toMatchObject({
        procedure: { version: 2, content: 'second' },
        versions: [2, 1],
      });
      expect(
        (await client.call('memory_get_procedure', { name: 'deploy', version: 1 })).value.procedure.content,
      ).toBe('first');
      expect((await client.call('memory_list_procedures')).value.procedures).toMatchObject([
        { name: 'deploy', version: 2 },
      ]);
      expect((await client.call('memory_get_procedure', { name: 'nope' })).lines[0]).toBe('not found: nope');
    });

    it('prefers the procedure of the caller over the global one', async () => {
      const host = await openHost();
      const anyone = await host.connect({ profile: 'extended' });
      await anyone.call('memory_save', { procedureName: 'deploy', content: 'global' });
      const red = await host.connect({ profile: 'extended', team: 'red' });
      await red.call('memory_save', { procedureName: 'deploy', content: 'red' });
      expect((await red.call('memory_get_procedure', { name: 'deploy' })).value.procedure.content).toBe(
        'red',
      );
      const blue = await host.connect({ profile: 'extended', team: 'blue' });
      expect((await blue.call('memory_get_procedure', { name: 'deploy' })).value.procedure.content).toBe(
        'global',
      );
    });
  });

  describe(`${name}: changing what is not one's own`, () => {
    it('hides another team and refuses to change what is global', async () => {
      const host = await openHost();
      const anyone = await host.connect({ profile: 'extended' });
      const blue = await save(anyone, 'B', 'of blue', { scopeTeamId: 'blue' });
      const global = await save(anyone, 'G', 'of all');
      const red = await host.connect({ profile: 'extended', team: 'red' });
      for (const tool of ['memory_get', 'memory_history', 'memory_forget']) {
        expect((await red.call(tool, { id: blue.id })).lines[0]).toBe(`not found: ${blue.id}`);
      }
      expect((await red.call('memory_supersede', { id: blue.id, content: 'mine' })).lines[0]).toBe(
        `not found: ${blue.id}`,
      );
      expect((await red.call('memory_forget', { id: global.id })).value.code).toBe('forbidden');
      expect((await red.call('memory_supersede', { id: global.id, content: 'mine' })).value.code).toBe(
        'forbidden',
      );
    });
  });
}
