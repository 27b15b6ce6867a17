// `node scripts/record-sessions.mjs FOLDER [client]`: real sessions of the real clients with imitated models, as the clients
// wrote them, for `test/fixtures/sessions`. Each is asked twice, the second time resumed: a thought, a command that fails, one that
// works, an edit, a last word. Names of this machine are taken out.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { startAnthropic } from '../test/clients/mocks/anthropic.mjs';
import { startGoogle } from '../test/clients/mocks/google.mjs';
import { startOpenai } from '../test/clients/mocks/openai.mjs';
import { toolEnv } from './toolchain.mjs';
import { installClients } from './clients/install.mjs';
import { addSettings } from './clients/turns.mjs';

const [target, only] = process.argv.slice(2);
const FIRST = 'The keel test fails. Find out why and mend src/keel.js.';
const SECOND = 'Now say in one sentence what was wrong.';
const FIRST_WORD = 'Mended: the draught was counted from the rail, not from the waterline.';
const SECOND_WORD = 'The draught had the wrong zero; src/keel.js now counts from the waterline.';
const THOUGHT = 'The test names the draught, so I look at keel.js before I change anything.';
const shell = (tool, more) => (command) => ({ tool, args: { ...more, command } });

const CLIENTS = {
  'claude-code': {
    start: startAnthropic,
    kept: '.claude/projects',
    steps: (file) => [
      { ...shell('Bash', { description: 'Run the test' })('node src/keel.test.js'), thought: THOUGHT },
      shell('Bash', { description: 'Look' })('cat src/keel.js'),
      { tool: 'Read', args: { file_path: file } },
      { tool: 'Edit', args: { file_path: file, old_string: 'rail', new_string: 'waterline' } },
    ],
    take: ({ run, model, prompt, isAgain }) =>
      run('claude', ['-p', ...(isAgain ? ['--continue'] : []), prompt, '--allowedTools', 'Bash,Edit,Read'], {
        ANTHROPIC_BASE_URL: model.url,
        ANTHROPIC_API_KEY: 'dummy',
        ENABLE_TOOL_SEARCH: 'false',
        MAX_THINKING_TOKENS: '2000',
      }),
  },
  codex: {
    start: startOpenai,
    kept: '.codex/sessions',
    steps: () => [
      { tool: 'exec_command', args: { cmd: 'node src/keel.test.js' }, thought: THOUGHT },
      { tool: 'exec_command', args: { cmd: 'cat src/keel.js' } },
      {
        tool: 'exec_command',
        args: {
          cmd: `apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: src/keel.js\n@@\n-export const zero = 'rail';\n+export const zero = 'waterline';\n*** End Patch\nEOF`,
        },
      },
    ],
    take({ run, model, prompt, isAgain }) {
      const provider = `model_providers.mock={name="mock",base_url="${model.url}/v1",env_key="MOCK_KEY",wire_api="responses"}`;
      const settings = ['model_provider=mock', provider].flatMap((each) => ['-c', each]);
      const flags = [
        '--skip-git-repo-check',
        '--json',
        '-m',
        'mock-model',
        '--dangerously-bypass-approvals-and-sandbox',
        ...settings,
      ];
      const args = isAgain ? ['exec', 'resume', '--last', ...flags, prompt] : ['exec', ...flags, prompt];
      return run('codex', args, { MOCK_KEY: 'dummy' });
    },
  },
  gemini: {
    start: startGoogle,
    kept: '.gemini/tmp',
    steps: (file) => [
      {
        ...shell('run_shell_command', { description: 'Run the test' })('node src/keel.test.js'),
        thought: THOUGHT,
      },
      { tool: 'read_file', args: { file_path: file } },
      {
        tool: 'replace',
        args: {
          file_path: file,
          instruction: 'Count from the waterline.',
          old_string: 'rail',
          new_string: 'waterline',
        },
      },
    ],
    prepare({ home, folder }) {
      addSettings(join(home, '.gemini', 'trustedFolders.json'), { [folder]: 'TRUST_FOLDER' });
      addSettings(join(home, '.gemini', 'settings.json'), {
        security: { auth: { selectedType: 'gemini-api-key' } },
      });
    },
    take: ({ run, model, prompt, isAgain }) =>
      run(
        'gemini',
        [...(isAgain ? ['--resume', 'latest'] : []), '-m', 'gemini-2.5-flash', '--yolo', '-p', prompt],
        {
          GEMINI_API_KEY: 'dummy',
          GOOGLE_GEMINI_BASE_URL: model.url,
        },
      ),
  },
  opencode: {
    start: startAnthropic,
    kept: '.local/share/opencode',
    steps: (file) => [
      { ...shell('bash', { description: 'Run the test' })('node src/keel.test.js'), thought: THOUGHT },
      { tool: 'read', args: { filePath: file } },
      { tool: 'edit', args: { filePath: file, oldString: 'rail', newString: 'waterline' } },
    ],
    take({ run, home, model, prompt, isAgain }) {
      const models = {
        'mock-model': {
          name: 'mock',
          reasoning: true,
          options: { thinking: { type: 'enabled', budgetTokens: 2000 } },
        },
      };
      addSettings(join(home, '.config', 'opencode', 'opencode.json'), {
        provider: {
          mock: {
            npm: '@ai-sdk/anthropic',
            name: 'mock',
            options: { baseURL: `${model.url}/v1`, apiKey: 'dummy' },
            models,
          },
        },
        small_model: 'mock/mock-model',
        permission: { '*': 'allow' },
      });
      return run('opencode', ['run', ...(isAgain ? ['--continue'] : []), '-m', 'mock/mock-model', prompt], {
        OPENCODE_DISABLE_MODELS_FETCH: '1',
      });
    },
  },
};

/** Lines of the client's own bookkeeping. */
const OF_THE_CLIENT = new Set([
  'attachment',
  'api-request',
  'api-request-shape',
  'api-request-blob',
  'session_meta',
  'world_state',
]);

const commands = installClients();
for (const [name, client] of Object.entries(CLIENTS))
  if (only === undefined || only === name) await record(name, client);

async function record(name, { start, steps, kept, prepare, take }) {
  const home = mkdtempSync(join(tmpdir(), 'ada-'));
  const folder = join(home, 'boat');
  const file = join(folder, 'src', 'keel.js');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "export const zero = 'rail';\n");
  writeFileSync(
    join(folder, 'src', 'keel.test.js'),
    "import { zero } from './keel.js';\nif (zero !== 'waterline') throw new Error(`draught from the ${zero}`);\n",
  );
  writeFileSync(join(folder, 'package.json'), '{"name":"boat","type":"module"}\n');
  const git = (...args) =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], {
      cwd: folder,
    });
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-qm', 'A boat');
  const env = {
    PATH: [commands, toolEnv.PATH].join(delimiter),
    HOME: home,
    TERM: 'dumb',
    LANG: 'C.UTF-8',
    DISABLE_TELEMETRY: '1',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  };
  const run = (command, args, extra) => runIn({ cwd: folder, env: { ...env, ...extra } }, command, args);
  prepare?.({ home, folder });
  for (const [prompt, lastWord, isAgain] of [
    [FIRST, FIRST_WORD, false],
    [SECOND, SECOND_WORD, true],
  ]) {
    const model = await start({ lastWord, steps: steps(file) });
    const { code, said } = await take({ run, home, model, prompt, isAgain });
    await model.close();
    console.log(`${name}: ended with ${code}\n${said.slice(-600)}`);
  }
  keep({ name, home, from: join(home, kept) });
  rmSync(home, { recursive: true, force: true });
}

function runIn(options, command, args) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'], timeout: 120_000 });
    let said = '';
    child.stdout.on('data', (chunk) => (said += chunk));
    child.stderr.on('data', (chunk) => (said += chunk));
    child.on('error', (error) => resolve({ code: -1, said: error.message }));
    child.on('close', (code) => resolve({ code, said }));
  });
}

/** What is kept of a session: its lines, or the rows of a database that holds some. Long texts of the client itself are cut. */
function keep({ name, home, from }) {
  const tidy = (text) =>
    text
      .replaceAll(home, '/home/ada')
      .replaceAll(home.replace(/[^A-Za-z0-9]/g, '-'), '-home-ada')
      .replaceAll(basename(home), 'ada');
  mkdirSync(join(target, name), { recursive: true });
  for (const file of readdirSync(from, { recursive: true }).filter((each) => /\.(jsonl|db)$/.test(each))) {
    const at = join(from, file);
    const [kind, text] = file.endsWith('.db')
      ? ['db.json', rowsOf(at)]
      : ['jsonl', linesOf(readFileSync(at, 'utf8'))];
    writeFileSync(join(target, name, `${basename(file).replace(/\.(jsonl|db)$/, '')}.${kind}`), tidy(text));
  }
}

function linesOf(text) {
  const lines = text.split('\n').map((line) => {
    if (line === '') return line;
    const record = JSON.parse(line);
    const isTheirs = OF_THE_CLIENT.has(record.type) || record.payload?.role === 'developer';
    return isTheirs
      ? JSON.stringify(record, (_, value) => (typeof value === 'string' ? value.slice(0, 200) : value))
      : line;
  });
  return lines.join('\n');
}

function rowsOf(path) {
  const db = new DatabaseSync(path);
  const tables = ['project', 'session', 'message', 'part'].map((name) => ({
    name,
    schema: db.prepare('select sql from sqlite_master where name = ?').get(name).sql,
    rows: db.prepare(`select * from ${name}`).all(),
  }));
  db.close();
  return JSON.stringify(tables, undefined, 1);
}
