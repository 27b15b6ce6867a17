import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * On a fresh checkout vitest begins with the largest files. Those that drive processes and browsers take the longest and
 * are among the smallest; begun last, they would run alone at the end.
 */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) =>
      /\/test\/(hosts|browser|torture|bins|linear|chaos)\//.test(moduleId);
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

/**
 * Forks, because better-sqlite3 and child processes dislike sharing a process; real databases and
 * processes need longer than vitest's defaults on a busy two-core machine.
 */
export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['node_modules/**', 'dist/**', 'test/fixtures/**'],
    globalSetup: ['test/fixtures/global-setup.ts'],
    setupFiles: ['test/fixtures/plain-imports.ts', 'test/fixtures/signal-guard.ts'],
    sequence: { sequencer: LongFirst },
    pool: 'forks',
    // Node reads our sources as they are. It keeps what it compiled, where vite would hand each of a thousand modules anew to each file.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // One more than there are cores: much of what is tested waits for processes and clocks.
    maxWorkers: Math.min(4, availableParallelism() + 1),
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 15_000 } },
    teardownTimeout: 20_000,
    // The suite kills processes and races clocks on machines that stall for seconds; `npm test` names each retry.
    retry: process.env['CI'] ? 1 : 0,
    env: { HOLDFAST_LOG: 'silent' },
  },
});
