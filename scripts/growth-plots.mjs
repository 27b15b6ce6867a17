// `node scripts/growth-plots.mjs`: draws docs/reference/growth.json, which `npm run bench -- growth --record` writes, as
// docs/images/growth-ENGINE.svg, and the tables of docs/reference/growth.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const [LEFT, TOP, WIDTH, HEIGHT, LEGEND] = [64, 48, 420, 300, 300];
const COLOURS = ['#0b7285', '#d9480f', '#5f3dc4', '#2b8a3e', '#c2255c', '#1864ab', '#e67700', '#495057'];

/** Both axes by powers of ten: what grows with the logarithm is nearly level, what grows with the size is steep. */
export function drawGrowth(figures) {
  const names = Object.keys(figures[0].costs);
  const [least, most] = [0.1, 10_000];
  const sizes = figures.map(({ size }) => size);
  const [first, last] = [Math.log10(sizes[0]), Math.max(Math.log10(sizes.at(-1)), Math.log10(sizes[0]) + 1)];
  const x = (size) => LEFT + ((Math.log10(size) - first) / (last - first)) * WIDTH;
  const y = (ms) => {
    const share = Math.log10(Math.min(most, Math.max(least, ms)) / least) / Math.log10(most / least);
    return TOP + HEIGHT - share * HEIGHT;
  };
  const lines = names.map((name, i) => {
    const colour = COLOURS[i % COLOURS.length];
    const dash = i < COLOURS.length ? '' : ' stroke-dasharray="5 3"';
    const points = figures
      .filter(({ costs }) => costs[name])
      .map(({ size, costs }) => [x(size), y(costs[name].cpu)]);
    const path = points.map((point) => point.map((value) => value.toFixed(1)).join(',')).join(' ');
    const at = TOP + 8 + i * 20;
    return `<polyline fill="none" stroke="${colour}" stroke-width="2"${dash} points="${path}"/>
<line x1="${LEFT + WIDTH + 24}" x2="${LEFT + WIDTH + 48}" y1="${at}" y2="${at}" stroke="${colour}" stroke-width="2"${dash}/>
<text x="${LEFT + WIDTH + 56}" y="${at + 4}">${escape(name)}</text>`;
  });
  const marks = [0.1, 1, 10, 100, 1_000, 10_000].map(
    (ms) => `<line x1="${LEFT}" x2="${LEFT + WIDTH}" y1="${y(ms)}" y2="${y(ms)}" stroke="#dee2e6"/>
<text x="${LEFT - 8}" y="${y(ms) + 4}" text-anchor="end">${ms.toLocaleString('en')} ms</text>`,
  );
  const below = sizes.map(
    (size) =>
      `<text x="${x(size).toFixed(1)}" y="${TOP + HEIGHT + 20}" text-anchor="middle">${size.toLocaleString('en')}</text>`,
  );
  const { engine, machine, date } = figures.at(-1);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${LEFT + WIDTH + LEGEND} ${TOP + HEIGHT + 56}" font-family="sans-serif" font-size="12">
<rect width="100%" height="100%" fill="#ffffff"/>
<text x="${LEFT}" y="24" font-size="15">CPU per call by size, ${nameOf(engine)}</text>
${[...marks, ...below, ...lines].join('\n')}
<text x="${LEFT}" y="${TOP + HEIGHT + 44}" fill="#495057">${escape(machine)}, ${date}</text>
</svg>
`;
}

const nameOf = (engine) => (engine === 'sqlite' ? 'SQLite' : 'PostgreSQL, the server’s CPU included');
const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

export function renderTables(all) {
  const parts = ['sqlite', 'postgres'].flatMap((engine) => {
    const figures = all.filter((each) => each.engine === engine);
    if (figures.length === 0) return [];
    const head = figures.map(({ size }) => size.toLocaleString('en'));
    const row = (what, cells) => `| ${what} | ${cells.join(' | ')} |`;
    const cost = ({ cpu, p50, p95 }) => `${cpu.toFixed(2)} (${p50.toFixed(1)}, ${p95.toFixed(1)})`;
    const { machine } = figures.at(-1);
    return [
      `## ${nameOf(engine)}

![CPU per call by size](../images/growth-${engine}.svg)

${machine}; ${figures.map(({ size, date, load }) => `${size.toLocaleString('en')} on ${date}${load === undefined ? '' : ` beside other work (load ${load.toFixed(0)})`}`).join(', ')}.

${row('CPU in ms (p50, p95 until the answer)', head)}
|---|${figures.map(() => '---').join('|')}|
${Object.keys(figures[0].costs)
  .map((what) =>
    row(
      what,
      figures.map(({ costs }) => (costs[what] ? cost(costs[what]) : '')),
    ),
  )
  .join('\n')}
${row(
  'facts, and memories of a Being',
  figures.map(({ facts }) => facts.toLocaleString('en')),
)}
${row(
  'start, ms',
  figures.map(({ startMs }) => startMs.toFixed(0)),
)}
${row(
  'CPU of the start, ms',
  figures.map(({ startCpuMs }) => startCpuMs.toFixed(0)),
)}
${row(
  'memory after the start, the most meanwhile, and at rest after all calls, MB',
  figures.map(({ memory, costs }) => {
    const most = Math.max(...Object.values(costs).map(({ mb }) => mb));
    return [memory[0], most, memory[1]].join(', ');
  }),
)}
${row(
  'disk, MB',
  figures.map(({ disk }) => disk.toFixed(0)),
)}${
        engine === 'sqlite'
          ? `\n${row(
              'backup, CPU in ms',
              figures.map(({ backupMs }) => backupMs.toFixed(0)),
            )}`
          : ''
      }
`,
    ];
  });
  return `# Growth

What a call costs by how much there is: so many tasks, audit rows, events, mails and turns of sessions each. Facts, and memories of a Being, are
filed one by one as agents file them, and are as many as their row says. Made by \`npm run bench -- growth --sizes 1000,10000,100000,1000000 --engine both --record\` and \`node scripts/growth-plots.mjs\`.
Audit verify reads the whole chain, and a search of the board for words that hardly any task has looks through all tasks: both are linear in what there is.
The search stays so: words are found inside others, and what finds those, an index of every three letters, costs SQLite 8 µs for a title and 24 µs for a page of
description at every create, which takes some 110, and PostgreSQL an extension; a search of a million tasks is 70 ms of CPU.

${parts.join('\n')}`;
}

function main() {
  const all = JSON.parse(readFileSync(join(root, 'docs/reference/growth.json'), 'utf8'));
  for (const engine of new Set(all.map((each) => each.engine)))
    writeFileSync(
      join(root, `docs/images/growth-${engine}.svg`),
      drawGrowth(all.filter((each) => each.engine === engine)),
    );
  writeFileSync(join(root, 'docs/reference/growth.md'), renderTables(all));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
