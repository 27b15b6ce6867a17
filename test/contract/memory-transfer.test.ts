import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { restOfDesk } from '../fixtures/memory-host.ts';
import type { Binding } from '../../src/kernel/principal.ts';
import { eachEngine, freshDatabase, freshFolder } from '../fixtures/databases.ts';
import type { Engine } from '../fixtures/databases.ts';
import { freshHome, runHoldfast } from '../fixtures/hub-process.ts';

async function openApi(engine: Engine, bound: Binding = {}) {
  const rest = restOfDesk(await freshDatabase(engine), bound);
  return (record: object) =>
    rest('POST', '/api/memory/import', {
      records: [{ kind: 'fact', title: 'A', content: 'b', ...record }],
    });
}

eachEngine('/api/memory/import', (engine) => {
  it.each([
    [{ title: ' ' }, 'title'],
    [{ validFrom: 2_000, validTo: 1_000 }, 'validTo'],
    [{ kind: 'procedure', title: 'x'.repeat(201) }, 'title'],
  ])('refuses %j', async (record, mentioned) => {
    const put = await openApi(engine);
    expect(await put(record)).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining(mentioned) },
    });
  });

  it('refuses a connection the facts of another tenant', async () => {
    const put = await openApi(engine, { tenant: 'acme' });
    expect(await put({ tenantId: 'other' })).toMatchObject({
      status: 403,
      body: { error: expect.stringContaining('tenant other') },
    });
    expect(await put({ tenantId: 'acme' })).toMatchObject({ status: 200, body: { saved: 1 } });
  });
});

describe('holdfast memory import', () => {
  const run = (env: ReturnType<typeof freshHome>, ...args: string[]) => runHoldfast(env, ['memory', ...args]);

  it('saves nothing when a file cannot be read to its end, and says where it is wrong', () => {
    const env = freshHome({ HOLDFAST_EMBEDDING: 'none' });
    const folder = freshFolder();
    const write = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const good = write('good.md', '# Port\n\n9090\n');
    const cases = [
      [write('bad.jsonl', 'Remember the milk.\n'), ':1 is not JSON'],
      [
        write('nul.jsonl', '{"kind":"fact","title":"x","content":"a\\u0000b"}\n'),
        ':1 is not a record: content must not contain NUL',
      ],
      [
        write('bad.md', '# One\n\n1\n\n<!-- holdfast {bad} -->\n'),
        ':5 is a holdfast comment that cannot be read',
      ],
      [write('long.md', `# One\n\n${'x'.repeat(100_001)}\n`), ':1 (# One) is not a record: content'],
    ] as const;
    for (const [file, message] of cases) {
      const refused = run(env, 'import', good, file);
      expect([refused.code === 0, refused.err]).toEqual([false, expect.stringContaining(file + message)]);
      expect(refused.err).not.toContain('internal');
    }
    expect(run(env, 'import', good).out.trim()).toBe('saved 1, known already 0, declined 0');
  });

  it('takes back a Markdown export whatever the facts say', () => {
    const env = freshHome({ HOLDFAST_EMBEDDING: 'none' });
    for (const [title, content] of [
      ['Learn C#', '```sh\nan open fence'],
      ['Second', '\\# literal\n# heading'],
      ['Third', 'a\r\nb'],
    ] as const)
      run(env, 'save', title, content);
    const file = join(freshFolder(), 'out.md');
    run(env, 'export', file);
    expect(run(env, 'import', file).out.trim()).toBe('saved 0, known already 3, declined 0');
  });

  it('sends text that JSON makes longer in requests that the hub takes', () => {
    const file = join(freshFolder(), 'much.jsonl');
    const lines = Array.from({ length: 6 }, (_, i) =>
      JSON.stringify({ kind: 'fact', title: `${i}`, content: `${'\u001b'.repeat(90_000)} end` }),
    );
    writeFileSync(file, lines.join('\n'));
    expect(run(freshHome({ HOLDFAST_EMBEDDING: 'none' }), 'import', file).out.trim()).toBe(
      'saved 6, known already 0, declined 0',
    );
  });
});
