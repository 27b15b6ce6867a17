// Draws docs/images/race.svg: two agents race for one task, the winner falls silent, the other takes over.
// What it shows is what the commands printed a moment ago; ids, times and who of the two was first are made
// the same each time. `--print` plays it and draws nothing.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureBuilt } from './build.mjs';
import { ensureInstalled, node24, root } from './toolchain.mjs';
import { escape, wrap } from './picture-text.mjs';

/** Long enough for three commands on a busy machine, short enough to wait for. */
const LEASE_S = 6;

ensureInstalled();
await ensureBuilt();
const transcript = tidy(await play());
if (process.argv.includes('--print')) console.log(JSON.stringify(transcript, null, 2));
else writeFileSync(join(root, 'docs', 'images', 'race.svg'), draw(transcript));

/** Each line: who typed it, what was typed, what was printed. */
async function play() {
  const home = mkdtempSync(join(tmpdir(), 'holdfast-picture-'));
  const lines = [];
  const run = async (who, ...args) => {
    const printed = await holdfast(home, args);
    lines.push({ who, typed: ['holdfast', ...args.map(word)].join(' '), printed });
    return printed;
  };
  try {
    await holdfast(home, ['up', '--detach', '--port', '0', '--lease', `${LEASE_S}s`]);
    const id = (await run('you', 'board', 'add', 'Fix the login redirect')).slice(0, 8);
    await Promise.all([
      run('ada', 'board', 'claim', id, '--as', 'ada'),
      run('bob', 'board', 'claim', id, '--as', 'bob'),
    ]);
    const claims = lines.slice(-2).sort((one) => (one.printed.includes('claimed by') ? -1 : 1));
    lines.splice(-2, 2, ...claims);
    const [winner, loser] = claims.map(({ who }) => who);
    await run(loser, 'board', 'done', id, '--as', loser);
    lines.push({ who: winner, typed: '', printed: `(${winner} falls silent; the lease lapses)` });
    await sleep(LEASE_S * 1000 + 500);
    await run(loser, 'board', 'claim', id, '--as', loser);
    await run(winner, 'board', 'done', id, '--as', winner);
    await run(loser, 'board', 'done', id, '--as', loser);
    return { id, winner, loser, lines };
  } finally {
    await holdfast(home, ['stop']);
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

function holdfast(home, args) {
  return new Promise((resolve, reject) => {
    const env = {
      PATH: process.env.PATH,
      HOME: home,
      HOLDFAST_HOME: join(home, 'hub'),
      HOLDFAST_LOG: 'warn',
    };
    const child = spawn(node24, [join(root, 'dist', 'bin', 'holdfast.js'), ...args], { cwd: '/', env });
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk));
    child.on('error', reject);
    child.on('close', () => resolve(printed.trimEnd()));
  });
}

function word(text) {
  return text.includes(' ') ? `"${text}"` : text;
}

function tidy({ id, winner, loser, lines }) {
  const names = { [winner]: 'ada', [loser]: 'bob' };
  const same = (text) =>
    text
      .replaceAll(id, 'c0ffee12')
      .replace(/since \S+Z/g, 'since 10:02Z')
      .replace(/\b(ada|bob)\b/g, (name) => names[name]);
  return lines.map(({ who, typed, printed }) => ({
    who: names[who] ?? who,
    typed: same(typed),
    printed: same(printed),
  }));
}

/** Three windows; a line appears when its turn has come, and all are there where nothing moves. */
function draw(lines) {
  const WIDE = 57;
  const PANES = {
    you: { x: 16, y: 16, width: 928, wide: 120 },
    ada: { x: 16, y: 112, width: 456, wide: WIDE },
    bob: { x: 488, y: 112, width: 456, wide: WIDE },
  };
  const used = { you: 0, ada: 0, bob: 0 };
  const texts = [];
  lines.forEach(({ who, typed, printed }, turn) => {
    const { x, y, wide } = PANES[who];
    const rows = [
      ...(typed === '' ? [] : wrap(`$ ${typed}`, wide, '    ').map((text) => ({ text, kind: 'typed' }))),
      ...printed
        .split('\n')
        .flatMap((line) => wrap(line, wide, '    ').map((text) => ({ text, kind: kindOf(line, typed) }))),
    ];
    for (const { text, kind } of rows) {
      used[who] += 1;
      const at = `x="${x + 14}" y="${y + 34 + used[who] * 18}"`;
      texts.push(
        `<text class="${kind}" ${at} style="animation-delay:${(turn * 1.6).toFixed(1)}s">${escape(text)}</text>`,
      );
    }
    used[who] += 0.5;
  });
  const rowsBelow = Math.max(used.ada, used.bob);
  const height = 112 + 56 + rowsBelow * 18;
  const panes = Object.entries(PANES).map(([who, { x, y, width }]) => {
    const tall = who === 'you' ? 84 : height - y - 16;
    return (
      `<rect class="pane" x="${x}" y="${y}" width="${width}" height="${tall}" rx="8"/>` +
      `<text class="title" x="${x + 14}" y="${y + 22}">${who}</text>`
    );
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 960 ${Math.ceil(height)}" role="img"
  aria-label="Two agents claim one task: one wins, falls silent, and the other takes over">
<metadata>${escape(JSON.stringify(lines))}</metadata>
<style>
  text { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #cdd6d0; white-space: pre; animation: show .3s both; }
  .pane { fill: #14201c; stroke: #2d4038; }
  .title { fill: #7f948a; animation: none; }
  .typed { fill: #f3efe0; font-weight: 600; }
  .good { fill: #8fd3a5; }
  .bad { fill: #f0a58f; }
  .aside { fill: #7f948a; font-style: italic; }
  @keyframes show { from { opacity: 0; } to { opacity: 1; } }
  @media (prefers-reduced-motion: reduce) { text { animation: none; } }
</style>
${panes.join('\n')}
${texts.join('\n')}
</svg>
`;
}

function kindOf(line, typed) {
  if (typed === '') return 'aside';
  return /^(holdfast:| {2})/.test(line) ? 'bad' : 'good';
}
