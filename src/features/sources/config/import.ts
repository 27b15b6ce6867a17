import { HubError } from '../../../kernel/errors.ts';
import { isObject } from '../../../kernel/loose-json.ts';
import { nameProblem } from './settings.ts';
import { readToml } from './toml.ts';

/** What another client's file says about servers, as entries of ours. Shown to a person before anything is taken. */
export type FoundEntry = Readonly<{
  name: string;
  entry: Readonly<Record<string, unknown>>;
  notes: readonly string[];
}>;

/** Claude Code, Cursor, Gemini and plain files: `mcpServers`. VS Code: `servers`. Codex: `mcp_servers` in TOML. */
export function findSources(text: string, path: string, taken: ReadonlySet<string>): readonly FoundEntry[] {
  const document = path.endsWith('.toml') ? readToml(text) : readLoose(text);
  const names = new Set(taken);
  return serversIn(document).flatMap(([given, server]) => {
    if (!isObject(server)) return [];
    const notes: string[] = [];
    const entry = entryOf(server, notes);
    const name = freeName(given, names);
    if (name !== given) notes.push(`is called ${JSON.stringify(given)} there`);
    names.add(name);
    return [{ name, entry, notes }];
  });
}

/** JSON, also with the comments and commas that editors allow. What stands in quotes is left alone. */
function readLoose(text: string): unknown {
  const bare = text.replace(/"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[^]*?\*\//g, (part) =>
    part.startsWith('"') ? part : '',
  );
  const plain = bare.replace(/"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])/g, (part) =>
    part.startsWith('"') ? part : '',
  );
  try {
    return JSON.parse(plain) as unknown;
  } catch (error) {
    throw new HubError('invalid', 'The file is neither JSON nor TOML that could be read.', {
      hint: 'Name the file of a client, such as .mcp.json.',
    }).because(error);
  }
}

function serversIn(document: unknown): [string, unknown][] {
  if (!isObject(document)) return [];
  const { mcpServers, servers, mcp_servers, projects } = document;
  const own = [mcpServers, servers, mcp_servers].filter(isObject).flatMap((map) => Object.entries(map));
  const nested = isObject(projects) ? Object.values(projects).flatMap(serversIn) : [];
  if (own.length + nested.length > 0) return [...own, ...nested];
  return Object.entries(document).filter(
    ([, value]) => isObject(value) && ('command' in value || 'url' in value),
  );
}

function entryOf(server: Readonly<Record<string, unknown>>, notes: string[]): Record<string, unknown> {
  const {
    command,
    args,
    env,
    url,
    headers,
    http_headers,
    cwd,
    disabled,
    enabled,
    type,
    bearer_token_env_var,
  } = server;
  if (type === 'sse') notes.push('speaks the old SSE transport there; here it is tried as Streamable HTTP');
  const common = {
    ...(disabled === true || enabled === false ? { enabled: false } : {}),
    ...(typeof cwd === 'string' && { cwd }),
  };
  if (typeof url === 'string' || typeof server['httpUrl'] === 'string') {
    const sent = { ...textsOf(headers, notes), ...textsOf(http_headers, notes) };
    if (typeof bearer_token_env_var === 'string') {
      sent['Authorization'] = `Bearer \${secrets.${bearer_token_env_var}}`;
      notes.push(`put ${bearer_token_env_var} into secrets.yaml`);
    }
    return {
      url: url ?? server['httpUrl'],
      ...(Object.keys(sent).length > 0 && { headers: sent }),
      ...common,
    };
  }
  const given: readonly unknown[] = [
    command,
    ...(Array.isArray(args) ? (args as readonly unknown[]) : []),
  ].flat();
  const words = given.filter((word) => typeof word === 'string');
  const variables = textsOf(env, notes);
  return {
    command: words.map((word) => expanded(word, notes)),
    ...(Object.keys(variables).length > 0 && { env: variables }),
    ...common,
  };
}

function textsOf(value: unknown, notes: string[]): Record<string, string> {
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).map(([key, text]) => [
      key,
      expanded(typeof text === 'string' ? text : JSON.stringify(text), notes),
    ]),
  );
}

/** `${VAR}`, `${env:VAR}` and `${input:x}` stand for secrets of the client; here they come from secrets.yaml. */
function expanded(text: string, notes: string[]): string {
  return text.replace(/\$\{(?:env:|input:)?([A-Za-z_][\w-]*)(?::-[^}]*)?\}/g, (whole, name: string) => {
    if (name === 'secrets') return whole;
    notes.push(`put ${name} into secrets.yaml`);
    return `\${secrets.${name}}`;
  });
}

function freeName(given: string, taken: ReadonlySet<string>): string {
  const word = given
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '')
    .slice(0, 20);
  const base = word === '' || nameProblem(word) !== undefined ? `${word || 'x'}-source`.slice(0, 24) : word;
  for (let n = 1; ; n += 1) {
    const name = n === 1 ? base : `${base}-${n}`;
    if (!taken.has(name)) return name;
  }
}
