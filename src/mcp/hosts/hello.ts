/**
 * The first line in each direction on the hub's socket, before the protocol starts. Only node
 * builtins here: the shim that writes it decides how fast a stdio server starts.
 */
import { readJsonObject } from '../../kernel/loose-json.ts';
export type Hello = Readonly<{
  holdfast: 1;
  server: string;
  profile: string;
  /** Names the client's process and stays the same when it reconnects, so that its claims stay its own. */
  seat: string;
  version: string;
  /** Its process, so that one that was killed is known to be gone. */
  pid?: number;
  /** The folder it works in, whatever it is attached as: file and shell tools follow it. Empty when it is gone. */
  cwd?: string;
  /** The query of an attach URL, when the client was bound by one. */
  params?: string;
  /**
   * Only of attachments that find their project at run time; the documented ones say nothing and stay
   * unbound.
   */
  from?: Whereabouts;
}>;

/** Where a stdio process works. The hub looks up what that means: the shim stays as cheap as it is. */
export type Whereabouts = Readonly<{
  pid: number;
  parent: number;
  /** Empty when it has none. */
  cwd: string;
  /** Fixed by `--agent`: who it is. */
  agent?: string;
  /** Fixed by `--team`: used instead of the project of the folder. */
  team?: string;
}>;

/** `beatMs`: how often the hub wants a sign of life, which follows from its lease. Older hubs do not say. */
export type Welcome = Readonly<
  { ok: true; version: string; beatMs?: number | undefined } | { ok: false; error: string }
>;

/**
 * The last thing a hub says when it stops in order: everything it has read is answered, so what is still
 * open was never begun and can be put to the next backend. A hub that is killed does not say it.
 */
export const GOODBYE = 'notifications/holdfast/goodbye';

/** What a stdio process says to its backend from time to time, so that its silence means something. */
export const BEAT = 'notifications/holdfast/beat';

export const MAX_HELLO = 64 * 1024;
/** Nobody means a longer one, and a timer could not keep it. */
const LONGEST_BEAT_MS = 60 * 60_000;

export function readHello(text: string): Hello | undefined {
  const value = readJsonObject(text);
  if (!value || value['holdfast'] !== 1) return undefined;
  const { server, profile, seat, version, params, from, pid, cwd } = value;
  const texts = [server, profile, seat, version].every(
    (part) => typeof part === 'string' && part.length <= 256,
  );
  if (!texts || (params !== undefined && typeof params !== 'string')) return undefined;
  if (pid !== undefined && !Number.isInteger(pid)) return undefined;
  if (cwd !== undefined && !isFolderName(cwd)) return undefined;
  if (from !== undefined && !isWhereabouts(from)) return undefined;
  return value as unknown as Hello;
}

function isWhereabouts(value: unknown): value is Whereabouts {
  if (value === null || typeof value !== 'object') return false;
  const { pid, parent, cwd, agent, team } = value as Readonly<Record<string, unknown>>;
  const names = [agent, team].every((name) => name === undefined || isShortName(name));
  return names && Number.isInteger(pid) && Number.isInteger(parent) && isFolderName(cwd);
}

function isFolderName(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 4096 && !value.includes('\0');
}

/** As everywhere (`kernel/words.ts`), without loading what cleans texts. */
export function isShortName(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.trim() !== '' &&
    value.length <= 200 &&
    !/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u.test(value)
  );
}

export function readWelcome(text: string): Welcome | undefined {
  const value = readJsonObject(text);
  if (value?.['ok'] === true && typeof value['version'] === 'string') {
    const { version, beatMs } = value;
    return {
      ok: true,
      version,
      ...(typeof beatMs === 'number' && beatMs >= 1 && beatMs <= LONGEST_BEAT_MS && { beatMs }),
    };
  }
  return value?.['ok'] === false ? { ok: false, error: String(value['error']) } : undefined;
}
