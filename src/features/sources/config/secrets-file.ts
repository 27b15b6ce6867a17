import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HubError } from '../../../kernel/errors.ts';
import type { UpstreamTarget } from '../../../mcp/upstream/connect.ts';
import type { SourceEntry } from './settings.ts';

export type Secrets = ReadonlyMap<string, string>;

const REFERENCE = /\$\{secrets\.([A-Za-z0-9_.-]{1,100})\}/g;

/** `secrets.yaml` in the home: names and texts. A file that cannot be read has none, and the source that needs one says so. */
export async function readSecrets(home: string): Promise<Secrets> {
  const text = await readFile(join(home, 'secrets.yaml'), 'utf8').catch(() => '');
  if (text === '') return new Map();
  const { readYaml } = await import('../../../kernel/yaml-text.ts');
  let document: unknown;
  try {
    document = readYaml(text);
  } catch {
    return new Map();
  }
  if (document === null || typeof document !== 'object') return new Map();
  return new Map(
    Object.entries(document).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value] as const] : [],
    ),
  );
}

/** Variables that every program may know of the hub's environment. Nothing of ours and no secret is among them. */
const INHERITED =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|TERM|LANG|LANGUAGE|LC_[A-Z]+|TZ|TMPDIR|TEMP|TMP|XDG_[A-Z_]+|SSL_CERT_(?:FILE|DIR)|NODE_EXTRA_CA_CERTS|(?:HTTPS?|NO|ALL)_PROXY|(?:https?|no|all)_proxy)$/;

/** Where a source is, with its secrets filled in. `used` are the values that must not be said. */
export function locate(
  entry: SourceEntry,
  secrets: Secrets,
  env: Readonly<Record<string, string | undefined>>,
): Readonly<{ target: UpstreamTarget; used: readonly string[] }> {
  const used: string[] = [];
  const fill = (text: string) =>
    text.replace(REFERENCE, (_, name: string) => {
      const value = secrets.get(name);
      if (value === undefined) throw missing(name);
      used.push(value);
      return value;
    });
  const all = (texts: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, fill(text)]));
  if (entry.url !== undefined)
    return { target: { kind: 'http', url: fill(entry.url), headers: all(entry.headers) }, used };
  const inherited = Object.entries(env).filter(
    ([name, value]) => value !== undefined && (INHERITED.test(name) || entry.inherit.includes(name)),
  );
  const [command, ...args] = entry.command!.map(fill);
  const target: UpstreamTarget = {
    kind: 'stdio',
    command: command!,
    args,
    env: { ...(Object.fromEntries(inherited) as Record<string, string>), ...all(entry.env) },
    ...(entry.cwd !== undefined && { cwd: entry.cwd }),
  };
  return { target, used };
}

function missing(name: string): HubError {
  return new HubError('unavailable', `secrets.yaml has no entry ${name}`, {
    hint: `Add "${name}: …" to secrets.yaml in HOLDFAST_HOME.`,
  });
}

/** Values shorter than this appear by chance. */
const SHORTEST = 6;

export function hiding(values: readonly string[]): (text: string) => string {
  const hidden = values.filter((value) => value.length >= SHORTEST);
  return (text) => hidden.reduce((shown, value) => shown.replaceAll(value, '[REDACTED]'), text);
}
