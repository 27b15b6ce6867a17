// A disk that is full, as the kernel has it. Everything runs in one shell with a mount of its own.
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { builtBin } from '../fixtures/built.ts';
import { freshFolder } from '../fixtures/databases.ts';
import { freshHome } from '../fixtures/hub-process.ts';

const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;

/** `$FULL` is a folder on a small disk, `hf` the command; `fill` takes the last of the room, `empty` gives it back. */
function onSmallDisk(script: string, env: NodeJS.ProcessEnv = freshHome()) {
  const full = freshFolder();
  const prelude = `
    mount -t tmpfs -o size=6m tmpfs ${full}
    FULL=${full}; export FULL
    hf() { ${process.execPath} ${builtBin('holdfast')} "$@" 2>&1; echo "exit $?"; }
    fill() { dd if=/dev/zero of=${full}/ballast bs=4k 2>/dev/null; true; }
    empty() { rm -f ${full}/ballast; }`;
  const { stdout, stderr } = spawnSync('unshare', ['-rm', 'sh', '-c', `${prelude}\n${script}`], {
    env: { ...env, FULL: full },
    encoding: 'utf8',
    timeout: 150_000,
  });
  const said = stdout + stderr;
  expect(said).not.toMatch(/internal error|defect in the hub|\n {4}at /);
  return said;
}

const WRITING = [
  'export $FULL/out',
  'export --board $FULL/out',
  'backup $FULL/out',
  'memory export $FULL/out',
  'being export ada $FULL/out',
  'serve init-token $FULL/out',
];

it.runIf(canMount)('every command that makes a file says on a full disk, in one sentence, which one', () => {
  const said = onSmallDisk(`
    hf memory save likes tea >/dev/null
    hf being create ada >/dev/null
    fill
    ${WRITING.map((command) => `echo ==; hf ${command}`).join('\n')}
    echo ==; ls $FULL`);
  const answers = said.split('==\n').slice(1);
  const sentence = /out(\.\w+)? cannot be written \((ENOSPC|SQLITE_FULL): the disk is full\)[^]*exit [26]\n$/;
  for (const [i, command] of WRITING.entries()) expect(answers[i], command).toMatch(sentence);
  expect(answers.at(-1)).toBe('ballast\n');
});

it.runIf(canMount)('a start on a full disk is one sentence, whatever of the home is there already', () => {
  const env = freshHome();
  for (const before of ['', 'hf board add x', 'hf board add x; rm $FULL/home/signing.key $FULL/home/token']) {
    const said = onSmallDisk(
      `export HOLDFAST_HOME=$FULL/home
       mkdir $FULL/home; ${before}
       fill
       hf up --port 0`,
      env,
    );
    expect(said, before).toContain('the disk is full');
    expect(said, before).toMatch(/exit 6\n$/);
  }
});

it.runIf(canMount)('health and status say that nothing can be saved, and when it can again', () => {
  const said = onSmallDisk(
    `export HOLDFAST_HOME=$FULL/home HOLDFAST_LOG=silent
     mkdir $FULL/home
     hf up --detach --port 0 --json
     address=$(sed 's/.*"address":"\\([^"]*\\)".*/\\1/' $FULL/home/holdfast.db.hub.json)
     health() { ${process.execPath} -e "fetch('$address/api/health').then((r) => r.text()).then(console.log)"; }
     health
     fill
     health
     hf board add x
     hf status
     empty
     health
     hf stop`,
    freshHome({ HOLDFAST_TOKEN: '' }),
  );
  const answers = said.split('\n').filter((line) => line.startsWith('{"ok"'));
  expect(answers.map((line) => JSON.parse(line) as object)).toEqual([
    expect.objectContaining({ ok: true, problems: [] }),
    expect.objectContaining({
      ok: false,
      problems: [expect.stringMatching(/^Nothing more can be saved: .* is full\.$/)],
    }),
    expect.objectContaining({ ok: true, problems: [] }),
  ]);
  expect(said).toMatch(/problem {3}Nothing more can be saved: the disk of .*\n[^]*exit 6/);
});
