// Writes docs/reference/{tools,routes,commands,settings,events}.md and llms.txt from what the sources declare.
// `node scripts/reference.mjs` writes them; with `--check` it only says which are stale, and ends with 1 when some are.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureInstalled, root, runNode } from './toolchain.mjs';

/** Said to ourselves: the sources are TypeScript, which the Node of the package reads as it is. */
const HERE = '--on-this-node';

async function describeAll() {
  const home = mkdtempSync(join(tmpdir(), 'holdfast-reference-'));
  try {
    const { createHub } = await import('../src/app.ts');
    const { resolveConfig } = await import('../src/kernel/config.ts');
    const { silentLog } = await import('../src/kernel/log.ts');
    const resolved = await resolveConfig({ flags: { '--port': '0' }, env: {}, home });
    // With all that can be switched on.
    const config = { ...resolved, sessions: { from: [] } };
    const hub = await createHub(config, 'private', silentLog);
    try {
      const token = readFileSync(join(home, 'token'), 'utf8').trim();
      const ask = async (path, init) => {
        const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
        return (
          await fetch(`${hub.address}${path}`, { ...init, headers: { ...headers, ...init?.headers } })
        ).json();
      };
      return {
        'docs/reference/routes.md': describeRoutes(await ask('/api/openapi.json')),
        'docs/reference/tools.md': await describeTools(ask),
        'docs/reference/commands.md': await describeCommands(),
        'docs/reference/settings.md': await describeSettings(),
        'docs/reference/events.md': describeEvents(),
        'llms.txt': describeForModels(),
      };
    } finally {
      await hub.close();
    }
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 10 });
  }
}

const NOTE = '<!-- Written by scripts/reference.mjs; a test fails when it is stale. -->';

/** One line of a table: what would end the cell or the line is written otherwise. */
const row = (...cells) =>
  `| ${cells
    .map((cell) =>
      String(cell ?? '')
        .replaceAll('|', '\\|')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .join(' | ')} |`;

function describeRoutes({ paths }) {
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      ...operation,
    })),
  );
  const tags = [...new Set(routes.flatMap(({ tags: own }) => own))].sort();
  const sections = tags.map((tag) => {
    const own = routes
      .filter(({ tags: [first] }) => first === tag)
      .sort((a, b) => (a.path + a.method < b.path + b.method ? -1 : 1));
    const lines = own.map((route) =>
      row(`\`${route.method} ${route.path}\``, `\`${route['x-scope']}\``, route.summary),
    );
    return [`## ${tag}`, '', '| route | scope | what it does |', '| --- | --- | --- |', ...lines].join('\n');
  });
  const intro = `Every route of the hub. \`/api/openapi.json\` of a running one has them with their schemas. Errors are [these](errors.md).`;
  return ['# Routes', NOTE, intro, ...sections].join('\n\n');
}

const SERVERS = ['tasks', 'memory', 'tools', 'teamchat', 'brain'];

async function describeTools(ask) {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'reference', version: '0' },
  };
  const list = async (path, token) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } });
    const headers = {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/list',
      accept: 'application/json, text/event-stream',
      ...(token && { authorization: `Bearer ${token}` }),
    };
    const { result, error } = await ask(path, { method: 'POST', body, headers });
    if (!result) throw new Error(`${path}: ${JSON.stringify(error)}`);
    return result.tools;
  };
  const { being, token } = await ask('/v1/beings', {
    method: 'POST',
    body: JSON.stringify({ name: 'Reference' }),
  });
  const place = { path: `/mcp/${being.id}`, token };
  const sections = [];
  for (const server of SERVERS) {
    const where = `At \`/api/mcp/${server}\`, or as \`${server}__<tool>\` on \`/mcp\`.`;
    sections.push(toolSection(server, where, await list(`/api/mcp/${server}?profile=extended`)));
  }
  const all = await list('/mcp?profile=full');
  const own = all.filter(({ name }) => !SERVERS.some((server) => name.startsWith(`${server}__`)));
  const ofHub =
    'On `/mcp` and `holdfast serve`, under their own names; all but the last four only there. `WebSearch` shows where a provider is configured.';
  sections.push(toolSection('hub', ofHub, own));
  const ofBeing = 'At `/mcp/<being id>`, with a token of that [Being](../guides/beings.md).';
  sections.push(toolSection('being', ofBeing, await list(place.path, place.token)));
  const intro =
    'The tools of each server in its extended view, as a client is shown them; a `?` may be left out.';
  return ['# Tools', NOTE, intro, await describeViews(list, place), ...sections].join('\n\n');
}

function toolSection(title, where, tools) {
  const lines = tools.map(({ name, description, inputSchema, annotations }) => {
    const required = new Set(inputSchema.required ?? []);
    const args = Object.keys(inputSchema.properties ?? {}).map(
      (key) => `\`${key}\`${required.has(key) ? '' : '?'}`,
    );
    const kind = annotations?.readOnlyHint ? 'reads' : annotations?.destructiveHint ? 'destroys' : 'changes';
    return row(`\`${name}\``, kind, args.join(', '), description);
  });
  const head = ['| tool | kind | arguments | what it does |', '| --- | --- | --- | --- |'];
  return [`## ${title}`, '', where, '', ...head, ...lines].join('\n');
}

/** What each list costs whoever reads it. */
async function describeViews(list, being) {
  const views = [
    ...['default', 'lean', 'full'].map((view) => ({ at: '/mcp', view })),
    ...SERVERS.flatMap((server) =>
      ['default', 'extended'].map((view) => ({ at: `/api/mcp/${server}`, view })),
    ),
    { at: '/mcp/<being id>', view: 'default', ...being },
  ];
  const tokensOf = (value) => Math.ceil(JSON.stringify(value).length / 4);
  const lines = [];
  for (const { at, view, path = `${at}?profile=${view}`, token: own } of views) {
    const tools = await list(path, own);
    const sum = (pick) => tools.map((tool) => tokensOf(pick(tool))).reduce((all, one) => all + one, 0);
    const read = sum(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    lines.push(
      row(
        `\`${at}\``,
        `\`${view}\``,
        tools.length,
        read,
        sum((tool) => tool),
      ),
    );
  }
  return [
    '## What a list costs',
    '',
    'A token is four characters of the JSON of name, description and argument schema; *as sent* counts titles, hints and output schemas as well.',
    'The default view of `/mcp` fills [`tools.budget`](settings.md): with sources or a workspace it lists more, up to that. `extended` is `full` there.',
    '',
    '| endpoint | view | tools | tokens | as sent |',
    '| --- | --- | ---: | ---: | ---: |',
    ...lines,
  ].join('\n');
}

async function describeCommands() {
  const { createProgram } = await import('../src/cli/program.ts');
  const program = await createProgram({});
  const leaves = (command, path) => {
    const own = [...path, command.name()];
    // A command with verbs that has options of its own does something without a verb.
    const itself =
      command.commands.length === 0 || command.options.length > 0 ? [{ command, path: own }] : [];
    return [...itself, ...command.commands.flatMap((child) => leaves(child, own))];
  };
  const sections = program.commands
    .flatMap((command) => leaves(command, ['holdfast']))
    .map(({ command, path }) => {
      const args = command.registeredArguments.map((each) => {
        const name = `${each.name()}${each.variadic ? '…' : ''}`;
        return each.required ? `<${name}>` : `[${name}]`;
      });
      const options = command.options.map(({ flags, description, defaultValue }) =>
        row(
          `\`${flags}\``,
          `${description}${typeof defaultValue === 'string' ? ` (${defaultValue} unless given)` : ''}`,
        ),
      );
      const table =
        options.length === 0 ? [] : ['', '| option | what it does |', '| --- | --- |', ...options];
      return [`## ${[...path, ...args].join(' ')}`, '', sentence(command.description()), ...table].join('\n');
    });
  return [
    '# Commands',
    NOTE,
    'Every command with every option. What they have in common is in [the command line](cli.md).',
    ...sections,
  ].join('\n\n');
}

function sentence(text) {
  return /[.?!]$/.test(text) ? text : `${text}.`;
}

async function describeSettings() {
  const { SETTINGS, readDuration, LAST_DEFAULT_PORT } = await import('../src/kernel/settings.ts');
  const lines = Object.values(SETTINGS).map(({ key, flag, env, expects, fallback, read }) =>
    row(
      `\`${key}\``,
      flag ? `\`${flag}\`` : '',
      env.map((name) => `\`${name}\``).join(', '),
      read === readDuration ? `\`${duration(fallback)}\`` : showFallback(fallback),
      expects,
    ),
  );
  const intro =
    'A flag comes before a variable, a variable before `config.yaml` in the home. Unless it is set, the port is the next free one up to ' +
    `${LAST_DEFAULT_PORT} when its own is taken. What has no key in \`config.yaml\` is in [the command line](cli.md#settings).`;
  return [
    '# Settings',
    NOTE,
    intro,
    [
      '| key in config.yaml | flag | variable | unless set | what it must be |',
      '| --- | --- | --- | --- | --- |',
      ...lines,
    ].join('\n'),
  ].join('\n\n');
}

function duration(ms) {
  const [unit, size] = Object.entries({ d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 }).find(
    ([, each]) => ms % each === 0,
  );
  return ms === 0 ? '0' : `${ms / size}${unit}`;
}

function showFallback(fallback) {
  if (fallback === undefined || (Array.isArray(fallback) && fallback.length === 0)) return 'none';
  return `\`${String(fallback)}\``;
}

/** Kinds of events as the sources write them: where they are emitted, and where the board tells of a task. */
function describeEvents() {
  const found = new Map();
  for (const file of readdirSync(join(root, 'src'), { recursive: true }).map(String).sort()) {
    if (!file.endsWith('.ts') || file.endsWith('.test.ts')) continue;
    const room = /^features[/\\]([^/\\]+)/.exec(file)?.[1] ?? file.split(/[/\\]/)[0];
    const text = readFileSync(join(root, 'src', file), 'utf8');
    if (!/\b(emit|tell\w*)\(/.test(text)) continue;
    for (const [, kind] of text.matchAll(
      /(?:kind: |(?:tell\w*|told)\([^;]*?)(?:\w+ \? )?'([a-z]+\.[a-z_]+)'/g,
    ))
      found.set(kind, room);
    for (const [, kind] of text.matchAll(/'((?:approval|run|being|audit)\.(?!keep|stop)[a-z_]+)'/g))
      found.set(kind, room);
    for (const [, kind] of text.matchAll(
      /(?:\? |: )'((?:task|memory|procedure|run|approval|source|tool|peer|mail|chat|being|grant|budget)\.[a-z_]+)'/g,
    ))
      found.set(kind, room);
  }
  found.delete('run.stop'); // the name of a queue
  const lines = [...found]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([kind, room]) => row(`\`${kind}\``, room));
  const intro =
    'What `/api/events` and durable readers hear. An event is thin: `seq`, `at`, `kind`, `subject`, `team`, `actor` and `data` with ids and numbers, never text.';
  return ['# Events', NOTE, intro, ['| kind | told by |', '| --- | --- |', ...lines].join('\n')].join('\n\n');
}

function describeForModels() {
  const titled = (folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.md'))
      .sort()
      .map((name) => {
        const title = name === 'tools.md' ? 'Tools' : /^# (.+)$/m.exec(existing(`${folder}/${name}`))?.[1];
        return `- [${title ?? name}](${folder}/${name})`;
      });
  return [
    '# Holdfast',
    '> One local hub for every coding agent you run: a board with leases, shared memory, rooms and mail, governed tools, runs. SQLite or PostgreSQL, MCP and REST.',
    'Start with the README. Attach a client with `holdfast connect <client>`; a running hub describes itself at `/api/openapi.json`.',
    '## Guides',
    titled('docs/guides').join('\n'),
    '## Reference',
    titled('docs/reference').join('\n'),
    '## Design',
    titled('docs/design').join('\n'),
  ].join('\n\n');
}

function existing(path) {
  try {
    return readFileSync(join(root, path), 'utf8');
  } catch {
    return '';
  }
}

async function main() {
  const isCheck = process.argv.includes('--check');
  const stale = [];
  // The list of pages names the pages themselves: a second look settles what the first one made.
  for (let round = 0; round < (isCheck ? 1 : 2); round += 1) {
    const pages = Object.entries(await describeAll()).map(([path, text]) => [path, `${text}\n`]);
    stale.push(...pages.filter(([path, text]) => existing(path) !== text).map(([path]) => path));
    if (!isCheck) for (const [path, text] of pages) writeFileSync(join(root, path), text);
  }
  if (!isCheck)
    return console.log(stale.length === 0 ? 'Nothing to do.' : `Wrote ${[...new Set(stale)].join(', ')}.`);
  for (const path of stale) console.log(`${path} is stale: run node scripts/reference.mjs`);
  process.exitCode = stale.length === 0 ? 0 : 1;
}

if (process.argv.includes(HERE)) await main();
else {
  ensureInstalled();
  const { code } = await runNode([join(root, 'scripts', 'reference.mjs'), HERE, ...process.argv.slice(2)]);
  process.exitCode = code;
}
