// Every line that we give people to run: the blocks of the documents, and what is written into their files. A block is what somebody
// types, so that it may change folders without a way out; a script has to be clean.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../pack/run.mjs';
import { node24, root } from '../toolchain.mjs';
import { fetchProgram } from './fetched.mjs';

/** cd without "|| exit", a name that a later block uses, an assignment beside export, `$x` kept from the shell, `done` as a word. */
const TYPED_BY_HAND = ['SC2164', 'SC2034', 'SC2155', 'SC2016', 'SC1010'];

export function checkShellLines() {
  const shellcheck = fetchProgram('shellcheck');
  if (!shellcheck) return undefined;
  const found = [...linesOfDocuments(), ...scriptsForOthers()].flatMap(
    ({ where, text, shell, except = [] }) => {
      const args = [
        '--shell',
        shell,
        '--format',
        'gcc',
        ...except.flatMap((code) => ['--exclude', code]),
        '-',
      ];
      const { status, stdout } = spawnSync(shellcheck, args, { input: text, encoding: 'utf8' });
      return [{ where, problems: status === 0 ? '' : stdout }];
    },
  );
  const bad = found.filter(({ problems }) => problems !== '');
  for (const { where, problems } of bad) console.log(`${where}\n${problems}`);
  console.log(`${found.length} blocks and scripts, ${bad.length} with problems`);
  return bad.length === 0;
}

function linesOfDocuments() {
  const inDocs = readdirSync(join(root, 'docs'), { recursive: true }).map((file) => join('docs', file));
  return ['README.md', ...inDocs.filter((file) => file.endsWith('.md'))].flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/^```sh\n(.*?)^```/gms)].map(([, text], i) => ({
      where: `${file}, block ${i + 1}`,
      text,
      shell: 'bash',
      except: TYPED_BY_HAND,
    })),
  );
}

/** Made by the real commands, in a home and a repository whose names are as awkward as names may be. */
function scriptsForOthers() {
  const folder = mkdtempSync(join(tmpdir(), "holdfast it's $HOME "));
  const [home, repository] = ['home', 'repo sitory'].map((name) => join(folder, name));
  mkdirSync(home);
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    SHELL: '/bin/bash',
    HOLDFAST_HOME: join(home, '.holdfast'),
  };
  const bin = join(root, 'dist', 'bin', 'holdfast.js');
  const holdfast = (...args) => run(node24, [bin, ...args], { env, cwd: repository });
  try {
    run('git', ['init', '-q', repository], { env });
    const completion = holdfast('completion', 'bash');
    holdfast('hooks', 'git', '--yes');
    holdfast('setup', '--path', '--yes');
    const read = (...path) => readFileSync(join(...path), 'utf8');
    return [
      { where: 'holdfast completion bash', text: completion, shell: 'bash' },
      { where: 'holdfast hooks git', text: read(repository, '.git', 'hooks', 'pre-commit'), shell: 'sh' },
      { where: 'holdfast setup --path', text: read(home, '.local', 'bin', 'holdfast'), shell: 'sh' },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
