// `npm run promises -- NAME… | all`: runs the commands behind what we promise and keeps what they said; without a name only the page
// is written anew. The page is docs/reference/promises.md, what it is made of lies beside it as promises.json.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const kept = join(root, 'docs', 'reference', 'promises.json');
const page = join(root, 'docs', 'reference', 'promises.md');
const promises = JSON.parse(readFileSync(new URL('promises.json', import.meta.url), 'utf8'));
const MOST_LINES = 24;

export function renderPage(results) {
  const rows = promises.map(({ name, promise, command, says }) => {
    const { ok, lines, machine, date, commit, load } = results[name] ?? {};
    const result =
      ok === undefined
        ? 'not run yet'
        : `${ok ? 'holds' : '**does not hold**'}: ${lines.map(cell).join('<br>')}`;
    const said = says === undefined ? '' : ` (“${says}”)`;
    return `| ${promise}${said} | \`${command}\` | ${result} | ${date ? `${date}, ${commit}, ${machine}${load === undefined ? '' : `, load ${load}`}` : ''} |`;
  });
  return `# Promises, and how to check them

Each row is made by one command; in brackets the words of the README, or of its [promises and limits](../guides/limits.md), that it stands for. A command that fails, or a line of it that says MISSED, is a promise that does not hold. \`npm run promises -- NAME\` runs
it and writes what it said last here; \`all\` runs every one (some hours). \`load\` is how many wanted a core meanwhile: where it is far above the cores, a bound in milliseconds says little. What must hold inside is in [the design page](../design/promises.md). Written by \`npm run promises\`.

| promise | command | last result | when, what, where |
|---|---|---|---|
${rows.join('\n')}
`;
}

function cell(line) {
  return line.replaceAll('|', '\\|').replaceAll('<', '&lt;').replace(/\s+/g, ' ').trim();
}

/** What a person judges by: rows of a bench with what they must hold, what missed first, else the last lines that say something. */
export function tellingLines(output) {
  const lines = output
    .replace(/\u001B\[[0-9;]*m/g, '')
    .split('\n')
    .map((line) => line.trimEnd())
    .filter(
      (line) => line.trim() !== '' && !/^(npm |> |JSON report|\s*(Start at|Duration|Isolate))/.test(line),
    );
  const held = lines.filter((line) => line.endsWith(' ok'));
  const missed = lines.filter((line) => line.endsWith(' MISSED'));
  if (held.length + missed.length > 0) {
    const shown = held.slice(0, Math.max(0, MOST_LINES - missed.length));
    const more = held.length - shown.length;
    return [...missed, ...shown, ...(more > 0 ? [`and ${more} more rows that hold`] : [])];
  }
  const suites = lines.filter((line) => /^(?:ok {5}|FAILED|not run) ?\s\S+$/.test(line));
  if (suites.length > 0) return suites;
  const summed = lines.filter((line) => /^\d+ passed, \d+ failed/.test(line));
  return (summed.length > 0 ? summed : lines).slice(-MOST_LINES);
}

function run(command) {
  return new Promise((resolve) => {
    const child = spawn(command, { shell: true, cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
      process.stdout.write(chunk);
    });
    child.on('close', (code) => resolve({ code, output }));
  });
}

async function main(names) {
  const results = existsSync(kept) ? JSON.parse(readFileSync(kept, 'utf8')) : {};
  const known = promises.map(({ name }) => name);
  const wanted = names.includes('all') ? known : names;
  const unknown = wanted.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    console.error(`There is no promise ${unknown.join(', ')}. Known: ${known.join(', ')}.`);
    return 2;
  }
  let failed = 0;
  for (const name of wanted) {
    const { command } = promises.find((each) => each.name === name);
    console.log(`\n${name}: ${command}`);
    const { code, output } = await run(command);
    const lines = tellingLines(output);
    const ok = code === 0 && !lines.some((line) => line.endsWith(' MISSED'));
    if (!ok) failed += 1;
    const [{ model }] = cpus();
    const machine = `${cpus().length} cores (${model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GiB`;
    const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
      cwd: root,
      encoding: 'utf8',
    }).trim();
    const load = Math.round(loadavg()[1]);
    results[name] = { ok, lines, machine, date: new Date().toISOString().slice(0, 10), commit, load };
    writeFileSync(kept, `${JSON.stringify(results, undefined, 2)}\n`);
  }
  writeFileSync(page, renderPage(results));
  return failed === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await main(process.argv.slice(2));
