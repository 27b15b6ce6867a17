export type GrepQuery = Readonly<{
  patterns: readonly string[];
  glob: string | undefined;
  type: string | undefined;
  caseInsensitive: boolean;
  maxMatches: number;
}>;

/** How many lines around a match are shown with it. */
export type Around = Readonly<{ before: number; after: number }>;

/** Where an engine found something: a path of the workspace, and a place counted from 1. */
export type GrepHit = Readonly<{ path: string; line: number; column: number }>;

export type GrepAnswer = Readonly<{ hits: readonly GrepHit[]; truncated: boolean; engine: 'ripgrep' | 'builtin' }>;

/** Larger files are not searched by either engine. */
export const MOST_BYTES = 8 * 1024 * 1024;

/** File types by their endings; the same names ripgrep has for them. */
export const TYPES: Readonly<Record<string, readonly string[]>> = {
  ts: ['ts', 'tsx', 'mts', 'cts'],
  js: ['js', 'jsx', 'mjs', 'cjs'],
  py: ['py', 'pyi'],
  rust: ['rs'],
  go: ['go'],
  java: ['java'],
  c: ['c', 'h'],
  cpp: ['cpp', 'cc', 'cxx', 'hpp', 'hh', 'h'],
  ruby: ['rb'],
  php: ['php'],
  swift: ['swift'],
  kotlin: ['kt', 'kts'],
  sh: ['sh', 'bash', 'zsh'],
  md: ['md', 'markdown'],
  json: ['json', 'jsonl'],
  yaml: ['yml', 'yaml'],
  toml: ['toml'],
  html: ['html', 'htm'],
  css: ['css', 'scss'],
  sql: ['sql'],
  xml: ['xml'],
  txt: ['txt'],
};
