// What a client would have written: some 500 turns to a session.
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCorpus } from './memory-corpus.ts';

const PER_SESSION = 500;

/** Lines as Claude Code writes them: words by Zipf's law, about a kilobyte each, calls and results between what is said. */
export function writeCorpus(home: string, turns: number): number {
  const corpus = createCorpus();
  const folder = join(home, '.claude/projects/-bench');
  mkdirSync(folder, { recursive: true });
  let bytes = 0;
  for (let from = 0; from < turns; from += PER_SESSION) {
    const session = `bench-${from / PER_SESSION}`;
    const path = join(folder, `${session}.jsonl`);
    const lines = Array.from({ length: Math.min(PER_SESSION, turns - from) }, (_, i) =>
      lineOf(from + i, session),
    );
    writeFileSync(path, lines.join(''));
    bytes += statSync(path).size;
  }
  return bytes;

  function lineOf(i: number, session: string): string {
    const said = (count: number): string =>
      Array.from({ length: count / 5 }, () => corpus.question().join(' ')).join(' ');
    const blocks = [
      () => ['user', { type: 'text', text: said(60) }],
      () => ['assistant', { type: 'text', text: said(120) }],
      () => [
        'assistant',
        {
          type: 'tool_use',
          id: `c${i}`,
          name: i % 8 === 2 ? 'Bash' : 'Read',
          input: { file_path: `/work/src/${corpus.question()[0]}.ts`, command: said(10) },
        },
      ],
      () => [
        'user',
        { type: 'tool_result', tool_use_id: `c${i - 1}`, is_error: i % 40 === 3, content: said(220) },
      ],
    ] as const;
    const [type, block] = blocks[i % 4]!() as unknown as readonly [string, object];
    return `${JSON.stringify({ parentUuid: `p${i}`, isSidechain: false, type, message: { role: type, model: 'claude-x', content: [block] }, uuid: `u${i}-${session}`, timestamp: new Date(1_700_000_000_000 + i * 1_000).toISOString(), cwd: '/work', sessionId: session, version: '2.1.325', gitBranch: 'main' })}\n`;
  }
}
