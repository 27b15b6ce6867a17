/**
 * Where to look. Paths are relative to the workspace, with forward slashes, and '' is the workspace itself.
 */
export type SearchGround = Readonly<{
  root: string;
  /** The folder to search, or the one file. */
  folder: string;
  /** Where the caller stands: globs with a slash start here. */
  base: string;
  /** Folders that stay closed. */
  closed: ReadonlySet<string>;
}>;

export type GrepQuery = Readonly<{
  patterns: readonly string[];
  glob: string | undefined;
  type: string | undefined;
  caseInsensitive: boolean;
  maxMatches: number;
  /** Files that the rules keep from this call are passed over. */
  mayReach(path: string): boolean;
}>;

/** How many lines around a match are shown with it. */
export type LinesAround = Readonly<{ before: number; after: number }>;

/** Where something was found: a path of the workspace, and a place counted from 1. */
export type GrepHit = Readonly<{ path: string; line: number; column: number }>;

export type GrepAnswer = Readonly<{ hits: readonly GrepHit[]; truncated: boolean }>;

/** Larger files are not searched. */
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
