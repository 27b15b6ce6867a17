// Everything that reads what somebody else wrote: files, lines, frames. A reader may refuse, with a sentence of its own; it may
// neither break nor take long.
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jsonText } from '../../src/features/attach/files/json-text.ts';
import { legible } from '../../src/features/attach/files/connection.ts';
import { tomlText } from '../../src/features/attach/files/toml-text.ts';
import type { SettingsText } from '../../src/features/attach/files/settings-text.ts';
import { readBeads } from '../../src/features/board/imports/beads.ts';
import { readChecklist } from '../../src/features/board/imports/checklist.ts';
import type { ForeignReader } from '../../src/features/board/imports/foreign.ts';
import { readGithub } from '../../src/features/board/imports/github.ts';
import { planImport } from '../../src/features/board/imports/plan.ts';
import { readTable } from '../../src/features/board/imports/table.ts';
import { readTaskmaster } from '../../src/features/board/imports/taskmaster.ts';
import { readVibeKanban } from '../../src/features/board/imports/vibe-kanban.ts';
import { parseMemory } from '../../src/features/brain/frontmatter.ts';
import { readStrategy } from '../../src/features/brain/strategy.ts';
import { commandsIn } from '../../src/features/broker/judge/policy/shell-words.ts';
import { readPolicy } from '../../src/features/broker/judge/policy/read.ts';
import { readDefinition } from '../../src/features/landing/checks/definition.ts';
import { failingIn } from '../../src/features/landing/checks/junit.ts';
import { readClaudeCode } from '../../src/features/sessions/readers/claude-code.ts';
import { readCodex } from '../../src/features/sessions/readers/codex.ts';
import { readGemini } from '../../src/features/sessions/readers/gemini.ts';
import { readPart } from '../../src/features/sessions/readers/opencode.ts';
import type { LineReader, ReaderState } from '../../src/features/sessions/readers/reader.ts';
import { readConfigFile } from '../../src/kernel/config-file.ts';
import { HubError } from '../../src/kernel/errors.ts';
import { readJsonLines } from '../../src/kernel/json-lines.ts';
import { parseQuery } from '../../src/kernel/query-language.ts';
import { redact } from '../../src/kernel/redact.ts';
import { createLineSplitter } from '../../src/mcp/hosts/lines.ts';
import { readEnvelope } from '../../src/mcp/protocol/envelope.ts';
import { decodeHeaderValue } from '../../src/mcp/protocol/headers.ts';
import { readMessage, RpcError } from '../../src/mcp/protocol/jsonrpc.ts';
import { createWebFetch } from '../../src/mcp/upstream/web.ts';
import { checkHubFile } from '../../src/store/whole/file.ts';
import { MADE_CASES } from './made-cases.ts';

export type Reader = Readonly<{
  name: string;
  seeds: readonly Buffer[];
  read(bytes: Buffer, folder: string): unknown;
}>;

const fixtures = join(import.meta.dirname, '..', 'fixtures');
const corpus = join(import.meta.dirname, 'corpus');
const text = (work: (text: string) => unknown) => (bytes: Buffer) => work(bytes.toString('utf8'));
const of = (...seeds: string[]) => seeds.map((each) => Buffer.from(each));
const files = (...path: string[]) =>
  readdirSync(join(fixtures, ...path)).map((name) =>
    readFileSync(join(fixtures, ...path, name)).subarray(0, 40_000),
  );

export const READERS: readonly Reader[] = [
  {
    name: 'config',
    seeds: of(
      'limits: { calls: 5 }\napprovals: { wait: 50ms, life: 30m }\nagents:\n  ada: { runtime: codex, model: x }\n',
      'sources:\n  web: { url: "http://127.0.0.1:9/mcp", trust: all }\nprojects:\n  a: { path: /tmp/a }\nnotices: {}\n',
      'peers: { quiet: { from: "22:00", to: "07:00" } }\nprofiles: { lean: [tasks] }\nland: { main: { push: true } }\n',
    ),
    read: text((given) => readConfigFile('config.yaml', given)),
  },
  {
    name: 'policy',
    seeds: of(
      'version: 1\nrules:\n  - { name: a, tool: Bash, args: { command: "git *" }, decide: allow }\n  - { decide: ask }\n',
      'version: 1\nlimits: { calls: 3 }\nrules:\n  - tool: [Read, "web__*"]\n    decide: deny\n    reason: no\n',
    ),
    read: text(readPolicy),
  },
  {
    name: 'checks',
    seeds: of(
      'target: main\nsetup: { npm: { run: npm ci, key: [a] } }\nchecks: { t: { run: npm test, setup: npm } }\n',
    ),
    read: text(readDefinition),
  },
  {
    name: 'junit',
    seeds: of(
      '<testsuite><testcase name="a" classname="b"><failure message="x &lt;">y</failure></testcase></testsuite>',
    ),
    read: text(failingIn),
  },
  { name: 'import-beads', seeds: files('imports'), read: foreign(readBeads) },
  { name: 'import-github', seeds: files('imports'), read: foreign(readGithub) },
  { name: 'import-taskmaster', seeds: files('imports'), read: foreign(readTaskmaster) },
  { name: 'import-vibe-kanban', seeds: files('imports'), read: foreign(readVibeKanban) },
  {
    name: 'import-checklist',
    seeds: of(
      '# Plan\n- [ ] one ^a1\n  - [x] two @ada #x due:2026-01-01\n1. [ ] three\n',
      '* [-] x\n\t* [X] y\n',
    ),
    read: foreign(readChecklist),
  },
  {
    name: 'import-table',
    seeds: of('title,status,labels\n"a ""b""",todo,"x;y"\nc,done,\n', 'Title;Priority\na;high\n'),
    read: foreign(readTable),
  },
  {
    name: 'backup',
    seeds: of(
      '{"holdfast":"hub","version":1,"schema":40,"by":"0.1.0","at":1}\n{"table":"tasks","columns":["id","title"]}\n["a","b"]\n{"file":"a.md","data":"eA=="}\n{"end":{"rows":1,"files":1,"sha256":"x"}}\n',
    ),
    read(bytes, folder) {
      const path = join(folder, 'hub.jsonl');
      writeFileSync(path, bytes);
      return checkHubFile(path);
    },
  },
  { name: 'json-lines', seeds: files('imports'), read: text((given) => [...readJsonLines(given, String)]) },
  { name: 'session-claude-code', seeds: files('sessions', 'claude-code'), read: lines(readClaudeCode) },
  { name: 'session-codex', seeds: files('sessions', 'codex'), read: lines(readCodex) },
  { name: 'session-gemini', seeds: files('sessions', 'gemini'), read: lines(readGemini) },
  {
    name: 'session-opencode',
    seeds: of(
      '{"type":"text","text":"a","time":{"start":1}}',
      '{"type":"tool","tool":"bash","state":{"input":{}}}',
    ),
    read: text((data) =>
      readPart({
        id: 'p',
        session_id: 's',
        message_id: 'm',
        time_created: 1,
        data,
        message: '{"role":"user"}',
      } as never),
    ),
  },
  {
    name: 'settings-json',
    seeds: of('{\n  // a\n  "mcpServers": { "x": { "command": "y" } },\n}\n', '{}'),
    read: settings(jsonText),
  },
  {
    name: 'settings-toml',
    seeds: of('[mcp_servers.x]\ncommand = "y"\nargs = ["a", 1]\n', 'a.b = """\nx"""\n'),
    read: settings(tomlText),
  },
  {
    name: 'memory',
    seeds: of('---\nname: a\ntype: note\ntags: [x]\n---\n\nbody\n'),
    read: text(parseMemory),
  },
  { name: 'strategy', seeds: of('recency: 0.5\nlimit: 10\n'), read: text(readStrategy) },
  {
    name: 'query',
    seeds: of('status:todo "a phrase" -without due:<2026-01-01 label:x|y is:ready (a or b)'),
    read: text(parseQuery),
  },
  { name: 'shell', seeds: of('a && b | c "$(d `e`)" <<X\n$(f)\nX\n; g & (h)'), read: text(commandsIn) },
  {
    name: 'redact',
    seeds: of('password=hunter22 Bearer abcdefghijklmnop sk-ant-api03-aaaa https://a:b@c/'),
    read: text(redact),
  },
  {
    name: 'mcp-frames',
    seeds: of(
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}\n{"jsonrpc":"2.0","method":"notifications/initialized"}\n',
    ),
    read: readFrames,
  },
  {
    name: 'sse',
    seeds: of(
      'id: 1\nevent: message\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n: still here\n\ndata: a\ndata: b\n\n',
    ),
    read: readEvents,
  },
  { name: 'header', seeds: of('=?base64?YQ==?=', 'plain'), read: text(decodeHeaderValue) },
];

/** The cases that were found, by reader: each is read again in `npm test`. */
export function casesOf({ name }: Reader): readonly Buffer[] {
  const folder = join(corpus, name);
  return existsSync(folder) ? readdirSync(folder).map((file) => readFileSync(join(folder, file))) : [];
}

/** Long ones: too long to make others of them in a test. */
export function madeCasesOf({ name }: Reader): readonly Buffer[] {
  return of(...(MADE_CASES[name] ?? []));
}

/** Undefined: it answered, or refused as it may. */
export async function judgeReading(
  reader: Reader,
  bytes: Buffer,
  folder: string,
): Promise<string | undefined> {
  try {
    await reader.read(bytes, folder);
    return undefined;
  } catch (error) {
    if (error instanceof HubError && error.code !== 'internal') return undefined;
    if (error instanceof RpcError) return undefined;
    return `${reader.name} broke: ${error instanceof Error ? error.stack : String(error)}`;
  }
}

function foreign(reader: ForeignReader) {
  return async (bytes: Buffer) =>
    planImport(await reader(bytes, 'todo.md'), { format: 'x', team: undefined, now: 0 });
}

function lines(reader: LineReader) {
  return text((given) => {
    let state: ReaderState = {};
    for (const line of given.split('\n')) state = reader(parsed(line), state, 'name').state;
    return JSON.stringify(state);
  });
}

function settings(kind: SettingsText) {
  return text((given) => {
    const path = ['mcpServers', 'holdfast'];
    return legible('settings', () => {
      const { text: put, undo } = kind.put(given, path, { command: 'holdfast', args: ['mcp'] });
      if (!kind.has(put, path, { command: 'holdfast', args: ['mcp'] }))
        throw new Error('what was put is not there');
      return kind.remove(put, path, undo);
    });
  });
}

function readFrames(bytes: Buffer): void {
  const splitter = createLineSplitter((line) => {
    const message = 'text' in line ? readMessage(parsed(line.text)) : undefined;
    if (message && message.kind !== 'response') readEnvelope(message.params);
  }, 4_096);
  for (let at = 0; at < bytes.length; at += 777) splitter.push(bytes.subarray(at, at + 777));
  splitter.end();
}

async function readEvents(bytes: Buffer): Promise<void> {
  const answer = new Response(new Uint8Array(bytes), { headers: { 'content-type': 'text/event-stream' } });
  const asked = { method: 'POST', body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' };
  const response = await createWebFetch(async () => answer)('http://127.0.0.1/', asked);
  // A stream that ends before its answer says so: that is its refusal.
  await response.text().catch((error: unknown) => {
    if (!(error instanceof TypeError)) throw error;
  });
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}
