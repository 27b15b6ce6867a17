import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** The suite keeps time itself; a machine that stalls makes it miss an answer, not us. */
export const RETRY = 2;

/** What one run of the official suite said, scenario by scenario. */
export type Report = Readonly<{
  code: number | null;
  required: readonly Row[];
  unscored: readonly Row[];
  output: string;
}>;

type Row = Readonly<{ scenario: string; passes: boolean; checks: number }>;

export function runSuite(
  args: readonly string[],
  folder: string,
  env: NodeJS.ProcessEnv = {},
): Promise<Report> {
  const suite = join(
    createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json'),
    '../dist/index.js',
  );
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [suite, ...args], { cwd: folder, env: { ...process.env, ...env } });
    onTestFinished(() => void child.kill('SIGKILL'));
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.on('close', (code) => resolve({ code, ...readSummary(output), output }));
  });
}

/** The suite prints every scenario once with its checks, then again those that do not count. */
function readSummary(output: string): Pick<Report, 'required' | 'unscored'> {
  const [, summary = ''] = output.split(/=== (?:SUITE )?SUMMARY ===/);
  const [scored = '', notScored = ''] = summary.split('Not scored for');
  const unscored = new Set([...notScored.matchAll(/^ {2}[✓✗] (\S+) \(/gmu)].map(([, scenario]) => scenario));
  const rows = [...scored.matchAll(/^([✓✗]) (\S+): (\d+) passed/gmu)].map(([, mark, scenario, checks]) => ({
    scenario: scenario!,
    passes: mark === '✓',
    checks: Number(checks),
  }));
  return {
    required: rows.filter((row) => !unscored.has(row.scenario)),
    unscored: rows.filter((row) => unscored.has(row.scenario)),
  };
}

export function showTable(title: string, { required, unscored }: Report): string {
  const line = ({ scenario, passes, checks }: Row) =>
    `  ${passes ? '✓' : '✗'} ${scenario.padEnd(50)} ${String(checks).padStart(3)} checks`;
  const passed = required.filter((row) => row.passes).length;
  return [
    `${title}: ${passed}/${required.length} required`,
    ...required.map(line),
    ...(unscored.length > 0
      ? [
          `  not scored: ${unscored.filter((row) => row.passes).length}/${unscored.length}`,
          ...unscored.map(line),
        ]
      : []),
  ].join('\n');
}
