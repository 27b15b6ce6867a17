// `npm run promises -- NAME… | all`: runs the commands behind what we promise and keeps what they said; without a name only the page
// is written anew. The page is docs/reference/promises.md, what it is made of lies beside it as promises.json.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const kept = join(root, 'docs', 'reference', 'promises.json');
const page = join(root, 'docs', 'reference', 'promises.md');
const promises = JSON.parse(readFileSync(new URL('promises.json', import.meta.url), 'utf8'));
const LINES = 12;

export function renderPage(results) {
  const rows = promises.map(({ name, promise, command }) => {
    const { ok, lines, machine, date, commit } = results[name] ?? {};
    const result =
      ok === undefined
        ? 'not run yet'
        : `${ok ? 'holds' : '**does not hold**'}: ${lines.map(cell).join('<br>')}`;
    return `| ${promise} | \`${command}\` | ${result} | ${date ? `${date}, ${commit}, ${machine}` : ''} |`;
  });
  return `# Promises, and how to check them

Each row is made by one command. A command that fails, or a line of it that says MISSED, is a promise that does not hold. \`npm run promises -- NAME\` runs
it and writes what it said last here; \`all\` runs every one (some hours). What must hold inside is in [the design page](../design/promises.md). Written by \`npm run promises\`.

| promise | command | last result | when, what, where |
|---|---|---|---|
${rows.join('\n')}
`;
}

function cell(line) {
  return line.replaceAll('|', '\\|').replaceAll('<', '&lt;').replace(/\s+/g, ' ').trim();
}

/** What a person judges by: rows of a bench with what they must hold, else the last lines that say something. */
export function tellingLines(output) {
  const lines = output
    .replace(/\u001B\[[0-9;]*m/g, '')
    .split('\n')
    .map((line) => line.trimEnd())
    .filter(
      (line) => line.trim() !== '' && !/^(npm |> |JSON report|\s*(Start at|Duration|Isolate))/.test(line),
    );
  const held = lines.filter((line) => / (ok|MISSED)$/.test(line));
  const summed = lines.filter((line) => /^\d+ passed, \d+ failed/.test(line));
  return (held.length > 0 ? held : summed.length > 0 ? summed : lines).slice(-LINES);
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
    results[name] = { ok, lines, machine, date: new Date().toISOString().slice(0, 10), commit };
    writeFileSync(kept, `${JSON.stringify(results, undefined, 2)}\n`);
  }
  writeFileSync(page, renderPage(results));
  return failed === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await main(process.argv.slice(2));
