import { spawn } from 'node:child_process';
import type { Environment } from '../../kernel/config.ts';

/** Long answers at a terminal go through a pager, as in git: what fits on the screen is simply printed. */

const READING = new Set([
  'list',
  'show',
  'search',
  'report',
  'rooms',
  'inspect',
  'diff',
  'explain',
  'schema',
  'stats',
]);
const ALONE = new Set(['search', 'stats', 'agents', 'doctor', 'logs', 'completion']);
const LASTING = new Set(['--watch', '-f', '--follow', '--fix']);

/** Only what reads and ends: what asks, waits or follows is for the screen itself. */
export function isPageable(args: readonly string[]): boolean {
  if (args.includes('--help') || args.includes('-h')) return true;
  const [noun, verb] = args;
  if (args.some((arg) => LASTING.has(arg)) || args.includes('--json')) return false;
  return ALONE.has(noun ?? '') || READING.has(verb ?? '');
}

/** `--no-pager` may stand anywhere before a lone `--`. */
export function takePager(args: readonly string[]): Readonly<{ isWanted: boolean; rest: readonly string[] }> {
  const end = args.indexOf('--');
  const rest = args.filter((arg, i) => arg !== '--no-pager' || (end >= 0 && i > end));
  return { isWanted: rest.length === args.length, rest };
}

/** Undefined: nobody wants one. */
export function pagerOf(env: Environment): string | undefined {
  const named = env['HOLDFAST_PAGER'] ?? env['PAGER'] ?? 'less';
  return named.trim() === '' || named === 'cat' || env['TERM'] === 'dumb' ? undefined : named;
}

export function rowsOf(text: string, columns: number): number {
  return text.split('\n').reduce((rows, line) => rows + Math.max(1, Math.ceil(line.length / columns)), 0);
}

/**
 * Resolves when the person has left it; false when there is no such program, so that the text can be printed
 * instead.
 */
export function showInPager(text: string, pager: string, env: Environment): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(pager, {
      shell: true,
      stdio: ['pipe', 'inherit', 'inherit'],
      // As git has it: quit when it fits, keep colours, leave the text on the screen.
      env: { LESS: 'FRX', LV: '-c', ...env },
    });
    child.on('error', () => resolve(false));
    // Who leaves before the end has read enough.
    child.stdin.on('error', () => undefined);
    child.on('close', (code) => resolve(code !== 127 && code !== 126));
    child.stdin.end(text);
  });
}
