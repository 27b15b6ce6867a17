// `sessions` of config.yaml. There is none unless a person says so.
import { isAbsolute } from 'node:path';
import { isObject } from '../../kernel/loose-json.ts';
import { resolvePath } from '../../kernel/site.ts';
import { badValue, readDuration } from '../../kernel/settings.ts';

export const CLIENTS = ['claude-code', 'codex', 'gemini', 'opencode'] as const;
export type SessionClient = (typeof CLIENTS)[number];

export type SessionSettings = Readonly<{
  from: readonly SessionClient[];
  exclude: Readonly<{ folders: readonly string[]; projects: readonly string[] }>;
  /** 0: for ever. */
  keepMs: number;
  /** Bytes of a result that are kept. */
  resultBytes: number;
}>;

const KEEP_MS = 365 * 24 * 3_600_000;
const RESULT_BYTES = 16 * 1024;
const SIZE = /^(\d{1,6})\s*(B|KB|MB)?$/i;
const UNITS: Readonly<Record<string, number>> = { b: 1, kb: 1024, mb: 1024 * 1024 };

/** Undefined: nobody said yes. */
export function readSessionSettings(given: unknown): SessionSettings | undefined {
  if (given === undefined || given === null || given === false) return undefined;
  if (!isObject(given)) throw bad('', 'a map with from, exclude, keep and result, or left out', given);
  const { from = [], exclude = {}, keep, result, ...odd } = given;
  const [unknown] = Object.keys(odd);
  if (unknown !== undefined) throw bad('', 'made of from, exclude, keep and result', unknown);
  if (!Array.isArray(from) || !from.every(isSessionClient))
    throw bad('.from', `a list of ${CLIENTS.join(', ')}`, from);
  if (!isObject(exclude)) throw bad('.exclude', 'a map with folders and projects', exclude);
  const { folders = [], projects = [], ...more } = exclude;
  const [strange] = Object.keys(more);
  if (strange !== undefined) throw bad('.exclude', 'made of folders and projects', strange);
  if (!isTexts(folders)) throw bad('.exclude.folders', 'a list of absolute folders', folders);
  if (!isTexts(projects)) throw bad('.exclude.projects', 'a list of projects', projects);
  const paths = folders.map((folder) => resolvePath(folder));
  const relative = folders.find((folder) => !isAbsolute(folder) && !folder.startsWith('~'));
  if (relative !== undefined) throw bad('.exclude.folders', 'a list of absolute folders', relative);
  const keepMs = keep === undefined ? KEEP_MS : readDuration(plainText(keep));
  if (keepMs === undefined) throw bad('.keep', 'a duration such as 365d (0 keeps for ever)', keep);
  return {
    from: [...new Set(from)],
    exclude: { folders: paths, projects },
    keepMs,
    resultBytes: result === undefined ? RESULT_BYTES : sizeOf(result),
  };
}

function sizeOf(given: unknown): number {
  const [, count, unit = 'B'] = SIZE.exec(plainText(given)) ?? [];
  const bytes = Number(count) * UNITS[unit.toLowerCase()]!;
  if (!Number.isFinite(bytes) || bytes < 256 || bytes > 1024 * 1024)
    throw bad('.result', 'a size from 256B to 1MB such as 16KB', given);
  return bytes;
}

function plainText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

export function isSessionClient(value: unknown): value is SessionClient {
  return CLIENTS.some((client) => client === value);
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string' && each !== '');
}

function bad(at: string, expects: string, given: unknown): Error {
  return badValue(
    `sessions${at} in config.yaml`,
    expects,
    typeof given === 'string' ? given : JSON.stringify(given),
  );
}
