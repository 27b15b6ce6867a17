import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { resolveConfig } from '../../src/kernel/config.ts';
import { newId } from '../../src/kernel/ids.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { localPrincipal } from '../../src/kernel/principal.ts';
import { copyOf, mayBeServed } from '../../src/mcp/brokered.ts';
import { createRegistry } from '../../src/mcp/registry.ts';
import type { Tool } from '../../src/mcp/define.ts';
import { openRooms } from '../../src/rooms.ts';
import { worldTool } from '../fixtures/broker-host.ts';
import { freshDatabase, freshFolder } from '../fixtures/databases.ts';
import { standingOn } from '../fixtures/ground.ts';

const root = new URL('../..', import.meta.url).pathname;

function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => join(folder, name));
}

describe('no other path to an executor exists', () => {
  it('a handler of a tool is called in two places: the protocol engine and the broker', () => {
    const calls = sources('src').filter((path) =>
      /\b(?:tool|front|wrapped)\.handler\s*\(/.test(readFileSync(join(root, path), 'utf8')),
    );
    // Those of the hub, of sources and of runs hand a call on to a tool that is behind the broker already.
    const handingOn = [
      'src/features/dispatch/governed.ts',
      'src/features/hub/profiles.ts',
      'src/features/hub/tool-finder.ts',
      'src/features/sources/served/offer.ts',
      'src/features/sources/served/reader.ts',
    ];
    expect(calls.sort()).toEqual([
      'src/features/broker/run/execute.ts',
      ...handingOn,
      'src/mcp/engine/tools.ts',
    ]);
  });

  it('only the funnel executes, and only the broker wraps', () => {
    const importers = (name: string) =>
      sources('src').filter((path) =>
        new RegExp(`from '[^']*/${name}\\.ts'`).test(readFileSync(join(root, path), 'utf8')),
      );
    expect(importers('execute')).toEqual(['src/features/broker/funnel.ts']);
    expect(importers('brokered').sort()).toEqual([
      'src/features/broker/broker.ts',
      'src/features/hub/catalogue.ts',
      'src/features/hub/profiles.ts',
      'src/features/sources/served/offer.ts',
      'src/features/sources/served/pass-through.ts',
      'src/mcp/registry.ts',
      'src/mcp/tool-list.ts',
    ]);
  });

  it('only the broker marks a tool; a copy is behind it exactly when the original is', () => {
    const marking = sources('src').filter((path) =>
      /\bmarkBrokered\(/.test(readFileSync(join(root, path), 'utf8')),
    );
    expect(marking.sort()).toEqual([
      'src/features/broker/broker.ts',
      'src/features/hub/catalogue.ts',
      'src/mcp/brokered.ts',
    ]);
    const bare = worldTool('bare', { handler: async () => ({ ok: true, value: undefined, text: '' }) });
    expect(mayBeServed(copyOf(bare, { name: 'other' }))).toBe(false);
  });

  it('a host refuses a world tool that is not behind the broker', () => {
    const bare = worldTool('bare', { handler: async () => ({ ok: true, value: undefined, text: '' }) });
    expect(mayBeServed(bare)).toBe(false);
    expect(() => createRegistry([{ key: 'x', name: 'x', version: '1', tools: [bare] }])).toThrow(
      /not behind the broker/,
    );
  });

  it('every world tool that any server of the hub lists leaves its row in the audit before it runs', async () => {
    const db = await freshDatabase('sqlite');
    const config = await resolveConfig({
      env: {
        HOLDFAST_WORKSPACE: freshFolder(),
        HOLDFAST_SEARXNG_URL: 'http://127.0.0.1:9',
        HOLDFAST_APPROVAL_WAIT: '1ms',
      },
      home: freshFolder(),
    });
    const rooms = await openRooms({ db, config, log: silentLog, ...standingOn(db) });
    const who = localPrincipal(`test:${newId()}`);
    const seen = new Map<string, Tool>();
    for (const { tools } of rooms.registry.all()) {
      const list = Array.isArray(tools)
        ? (tools as readonly Tool[])
        : await (tools as { list(who: unknown): Promise<readonly Tool[]> }).list(who);
      for (const tool of list) if (tool.effect === 'world') seen.set(tool.name, tool);
    }
    expect([...seen.keys()]).toEqual(
      expect.arrayContaining([
        'echo',
        'delete_path',
        'web_search',
        'Bash',
        'Read',
        'Edit',
        'Write',
        'Grep',
        'Glob',
        'WebFetch',
        'WebSearch',
        'BashOutput',
        'BashKill',
        'tools__echo',
      ]),
    );
    const { registry } = rooms;
    expect(registry.get('tools')).toBeDefined();
    for (const tool of seen.values()) {
      const callId = newId();
      const context = {
        who,
        callId,
        signal: new AbortController().signal,
        deadline: Date.now() + 1_000,
        can: new Set(),
        progress: () => {},
        say: () => {},
        ask: () => Promise.reject(new Error('nobody')),
      };
      await tool.handler({ no_such_argument: 1 } as never, context as never);
      const rows = await db.read((q) =>
        q.all<{ phase: string; outcome: string }>({
          text: 'select phase, outcome from tool_audit where call_id = $1',
          params: [callId],
        }),
      );
      expect(rows, tool.name).toEqual([{ phase: 'before', outcome: 'denied' }]);
    }
    await rooms.close();
  });
});
