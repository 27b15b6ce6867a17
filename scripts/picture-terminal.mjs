// Draws docs/images/terminal-board.svg and terminal-approvals.svg: what a person types to see where things stand, and to
// decide about a call, as a `holdfast demo` of this moment answers it. Ids, times and paths are made the same each time.
// `node scripts/picture-terminal.mjs` draws them; with `--print` it plays them and draws nothing.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { ensureInstalled, node24, root } from './toolchain.mjs';
import { escape, wrap } from './picture-text.mjs';

const WIDE = 108;

ensureInstalled();
await ensureBuilt();
const pictures = await play();
if (process.argv.includes('--print')) console.log(JSON.stringify(pictures, null, 2));
else
  for (const [name, { label, lines }] of Object.entries(pictures))
    writeFileSync(join(root, 'docs', 'images', `${name}.svg`), draw(label, lines));

async function play() {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-picture-'));
  const demo = start(folder, {}, ['demo', '--still', '--port', '0', '--json']);
  try {
    await Promise.race([once(demo.stdout, 'data'), failed(demo)]);
    const home = join(
      folder,
      readdirSync(folder).find((name) => name.startsWith('holdfast-demo-')),
      'home',
    );
    const run = async (...args) => {
      const printed = await said(start(folder, { HOLDFAST_HOME: home }, args));
      return { typed: ['holdfast', ...args].join(' '), printed };
    };
    const { approvals } = JSON.parse((await run('approvals', '--json')).printed);
    const id = approvals.find(({ toolName }) => toolName === 'delete_path').id.slice(-8);
    const same = tidy(home);
    return {
      'terminal-board': {
        label: 'holdfast status, and the open tasks of the board',
        lines: [await run('status'), await run('board', 'list', '--all', '--limit', '20')].map(same),
      },
      'terminal-approvals': {
        label: 'A call that waits for a person: shown whole, then allowed once',
        lines: [await run('approvals', 'show', id), await run('approvals', 'allow', id)].map(same),
      },
    };
  } finally {
    if (demo.exitCode === null && demo.kill('SIGTERM')) await once(demo, 'close');
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function start(folder, more, args) {
  const env = { PATH: process.env.PATH, HOME: folder, TMPDIR: folder, HOLDFAST_LOG: 'error', ...more };
  return spawn(node24, [join(root, 'dist', 'bin', 'holdfast.js'), ...args], { cwd: '/', env });
}

async function failed(child) {
  const [code] = await once(child, 'close');
  throw new Error(`the demo ended with ${code}`);
}

async function said(child) {
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk));
  await once(child, 'close');
  return printed.trimEnd();
}

/** The same id is the same in both pictures; what a clock or a process number decided is not kept. */
function tidy(home) {
  const ids = new Map();
  const sameId = (id) => {
    if (!ids.has(id)) ids.set(id, (0xc0ffee10 + ids.size * 0x1a3b7).toString(16));
    return ids.get(id);
  };
  const same = (text) =>
    text
      .replaceAll(home, '/home/you/.holdfast')
      .replaceAll(join(dirname(home), 'workspace'), '/home/you/lighthouse')
      .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:18790')
      .replace(/process {3}\d+, up \d+ s/, 'process   4242, up 4 s')
      .replace(/events {4}\d+/, 'events    138')
      .replace(/ \d+s$/gm, ' 4s')
      .replace(/\b\d{4}-\d\d-\d\d\b/g, sameDay)
      .replace(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{4}([0-9a-f]{8})\b/g, (_, end) => sameId(end))
      .replace(/\b[0-9a-f]{8}\b/g, sameId)
      .replace(/\b[0-9a-f]{64}\b/g, '58efed5e45bb20198bb13296d19eaa2e0bf3ff0669f6ce82807d18dddd5a7680');
  return ({ typed, printed }) => ({ typed: same(typed), printed: same(printed) });
}

/** Days lie as far from the one day of the pictures as they do from today. */
function sameDay(day) {
  const today = Date.parse(new Date().toISOString().slice(0, 10));
  return new Date(Date.UTC(2026, 8, 8) + Date.parse(day) - today).toISOString().slice(0, 10);
}

function draw(label, lines) {
  const rows = lines.flatMap(({ typed, printed }) => [
    { kind: 'typed', text: `$ ${typed}` },
    ...printed
      .split('\n')
      .flatMap((line) => wrap(line, WIDE, '        ').map((text) => ({ kind: kindOf(text), text }))),
    { kind: 'said', text: '' },
  ]);
  const height = 32 + rows.length * 18;
  const texts = rows.map(
    ({ kind, text }, at) => `<text class="${kind}" x="30" y="${46 + at * 18}">${escape(text)}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 ${height + 16}" role="img"
  aria-label="${escape(label)}">
<metadata>${escape(JSON.stringify({ label, lines }))}</metadata>
<style>
  text { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #cdd6d0; white-space: pre; }
  .pane { fill: #14201c; stroke: #2d4038; }
  .typed { fill: #f3efe0; font-weight: 600; }
  .head { fill: #7f948a; }
</style>
<rect class="pane" x="16" y="16" width="828" height="${height - 16}" rx="8"/>
${texts.join('\n')}
</svg>
`;
}

function kindOf(line) {
  return /^[A-Z]+ {2,}[A-Z]/.test(line) ? 'head' : 'said';
}
