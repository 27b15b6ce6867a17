// What the real clients print when their model says that there is no more, as `scripts/record-limits.mjs` recorded them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type NamedFamily, readerFor } from '../../src/features/dispatch/agents/families.ts';
import { waitUntil } from '../../src/features/dispatch/quota/decide.ts';
import { freshFolder } from '../fixtures/databases.ts';
import { dispatchHub, PATIENCE } from '../fixtures/dispatch-hub.ts';

const folder = fileURLToPath(new URL('../fixtures/dispatch/limits/', import.meta.url));
const REPLAY = fileURLToPath(new URL('../fixtures/dispatch/acp-limited.mjs', import.meta.url));
const HOUR = 3_600_000;
const MINUTE = 60_000;

type Entry = {
  now?: number;
  out?: string;
  err?: string;
  end?: { code: number | null; signal: string | null };
};
const entriesOf = (name: string): Entry[] =>
  readFileSync(join(folder, `${name}.jsonl`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Entry);

/** Those that said nothing within four minutes: they wait by themselves, and only their silence tells. */
const SILENT = ['gemini.rate', 'opencode.usage'];

describe('what clients print about limits', () => {
  const recorded = readdirSync(folder)
    .filter((name) => name.endsWith('.exec.jsonl'))
    .map((name) => name.replace('.exec.jsonl', ''))
    .filter((name) => !SILENT.includes(name));

  it('is recorded for every family and every kind', () => {
    const kinds = ['rate', 'usage', 'overload', 'credit', 'key'];
    const all = ['claude', 'codex', 'gemini', 'opencode'].flatMap((family) =>
      kinds.map((kind) => `${family}.${kind}`),
    );
    expect([...recorded, ...SILENT].toSorted()).toEqual(all.toSorted());
  });

  it.each(recorded)('%s is known for what it is', (name) => {
    const [family, kind] = name.split('.');
    const reader = readerFor(family as NamedFamily, undefined);
    const said = entriesOf(`${name}.exec`).flatMap(({ out }) =>
      out === undefined ? [] : (reader.read(out) ?? []),
    );
    const classes: Record<string, string> = { credit: 'credit', key: 'auth' };
    expect(reader.verdict()).toMatchObject({
      ok: false,
      class: classes[kind!] ?? 'rate_limit',
      limit: { kind },
    });
    // A client's own word is no work of a model.
    expect(said.map(({ type }) => type)).not.toContain('text');
  });

  it.each(SILENT)('%s says nothing, and nothing is read into it', (name) => {
    const reader = readerFor(name.split('.')[0] as NamedFamily, undefined);
    for (const { out } of entriesOf(`${name}.exec`)) if (out !== undefined) reader.read(out);
    expect(reader.verdict()).toBeUndefined();
  });

  it.each([
    ['claude', 2 * HOUR, 1_000],
    ['codex', 2 * HOUR, 2 * MINUTE],
    ['gemini', 24 * HOUR, 24 * HOUR],
  ])('%s tells when its window opens', (family, after, within) => {
    const reader = readerFor(family as NamedFamily, undefined);
    const entries = entriesOf(`${family}.usage.exec`);
    for (const { out } of entries) if (out !== undefined) reader.read(out);
    const verdict = reader.verdict()!;
    const limit = verdict.ok ? undefined : verdict.limit;
    const now = entries[0]!.now!;
    // An hour of back-off would be the first step: what is told is something else.
    const until = waitUntil(limit!, { now, inRow: 0 }, { parks: 1, backoffMs: HOUR / 2, zone: 'UTC' });
    expect(until).not.toBe(now + HOUR / 2);
    expect(Math.abs(until - now - after)).toBeLessThanOrEqual(within);
  });
});

describe('what agents that speak ACP say about limits', () => {
  it.each([
    ['claude.rate', 'rate'],
    ['claude.usage', 'usage'],
    ['claude.overload', 'overload'],
    ['codex.rate', 'rate'],
    ['codex.usage', 'usage'],
    ['codex.overload', 'overload'],
    ['gemini.usage', 'usage'],
    ['opencode.rate', 'rate'],
    ['opencode.overload', 'overload'],
  ])('%s makes the run wait', async (name, kind) => {
    const command = [process.execPath, REPLAY, join(folder, `${name}.acp.jsonl`)];
    const [family] = name.split('.');
    // Codex says its errors in the voice of the model, and only its own family knows how to tell them apart.
    const settings = family === 'codex' ? await asFamily('codex', command) : { family: 'acp', command };
    const hub = await dispatchHub('sqlite', { talker: settings }, { dispatch: { backoff: '1h' } });
    const id = await hub.start('Say hello.', 'talker');
    const show = async () => (await hub.ask('GET', `/v1/biam/tasks/${id}`)).body.task;
    await expect.poll(show, PATIENCE).toMatchObject({ phase: 'waiting_quota', waits_for: { kind } });
  });

  it.each([
    ['claude.credit', 'credit'],
    ['claude.key', 'auth'],
    ['codex.key', 'auth'],
    ['codex.credit', 'credit'],
    ['gemini.credit', 'credit'],
    ['gemini.key', 'auth'],
    ['opencode.credit', 'credit'],
    ['opencode.key', 'auth'],
  ])('%s ends it, class %s', async (name, kind) => {
    const command = [process.execPath, REPLAY, join(folder, `${name}.acp.jsonl`)];
    const hub = await dispatchHub('sqlite', { talker: { family: 'acp', command } });
    expect(await hub.run('Say hello.', 'talker')).toMatchObject({ status: 'failed', error: { class: kind } });
  });
});

/** A named family whose adapter is the replay. */
async function asFamily(family: string, command: readonly string[]) {
  const { chmodSync, writeFileSync } = await import('node:fs');
  const bin = freshFolder();
  const script = `#!/bin/sh\nexec ${command.map((part) => `'${part}'`).join(' ')}\n`;
  for (const name of [family, `${family}-acp`]) {
    writeFileSync(join(bin, name), script);
    chmodSync(join(bin, name), 0o755);
  }
  return { family, lane: 'acp', env: { PATH: `${bin}:${process.env['PATH']}` } };
}
