import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freshFolder } from './fixtures/databases.ts';
import { freshHome, startHub } from './fixtures/hub-process.ts';
import { newRepositoryWithCommit } from './fixtures/repositories.ts';
import { startStdio, type StdioClient } from './fixtures/stdio-client.ts';

/** Plays the transcripts of a guide against a real hub and real stdio processes, line by line. */
const guide = (name: string) => readFileSync(new URL(`../docs/guides/${name}.md`, import.meta.url), 'utf8');

type Step = Readonly<{ line: string; expected?: string }>;

function stepsOf(text: string): Step[] {
  const lines = [...text.matchAll(/```transcript\n(.*?)```/gs)].flatMap(([, block]) =>
    block!.trimEnd().split('\n'),
  );
  const isAnswer = (line: string | undefined) => line?.startsWith('   ') === true;
  return lines.flatMap((line, i) => {
    if (isAnswer(line)) return [];
    return [isAnswer(lines[i + 1]) ? { line, expected: lines[i + 1]!.trim() } : { line }];
  });
}

it('two agents, two repositories', { timeout: 180_000 }, async () => {
  const root = freshFolder();
  const env = freshHome();
  await startHub(env);
  const clients = new Map<string, StdioClient>();
  const known = new Map<string, string>();
  const filled = (text: string) =>
    text.replace(/\$(\w+)/g, (_, name: string) => known.get(name) ?? `$${name}`);

  async function play({ line, expected }: Step): Promise<void> {
    const started = /^start (\w+): (\S+) in (\S+)$/.exec(line);
    if (started) {
      const [, key, client, repository] = started;
      const folder = join(root, repository!);
      if (!existsSync(folder)) newRepositoryWithCommit(folder);
      clients.set(key!, await startStdio(env, 'holdfast', ['serve'], folder, client));
      return;
    }
    const killed = /^kill (\w+)$/.exec(line);
    if (killed) return clients.get(killed[1]!)!.kill();
    const [, key, tool, args] = /^(\w+)> (\S+) (.*)$/.exec(line)!;
    const answer = await clients.get(key!)!.call(tool!, JSON.parse(filled(args!)) as object);
    const value = answer.structuredContent;
    const refusal = /^refused: (.*)$/.exec(expected ?? '');
    if (refusal) return expect({ line, error: value['error'] }).toEqual({ line, error: refusal[1] });
    const [, wanted, name] = /^(\{.*\})(?:\s+as (\w+))?$/.exec(expected!)!;
    expect({ line, ...value }).toMatchObject({ line, ...(JSON.parse(wanted!) as object) });
    if (name) known.set(name, value['id'] as string);
  }

  const steps = stepsOf(guide('two-agents'));
  expect(steps.length).toBeGreaterThan(20);
  for (const step of steps) await play(step);
});
