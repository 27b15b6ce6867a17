import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { matchesPattern } from '../pattern.ts';
import { defineWorldTool } from '../../world-tool.ts';
import { decide, limitsFor } from './decide.ts';
import { readPolicy } from './read.ts';

const bash = defineWorldTool({
  name: 'Bash',
  title: '',
  description: '',
  input: z.object({ command: z.string() }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  scope: 'x',
  source: 'core',
  risk: 'destructive',
  handler: async () => ({ ok: true, value: undefined, text: '' }),
});
const caller = {
  principal: 'local:local',
  agentId: 'ada',
  name: 'ada',
  teamId: 'red',
  toldIn: 'red',
  tenantId: null,
  credential: '',
  client: null,
  project: null,
  folder: null,
  holder: { client: 'agent', project: '', ground: '' },
};

async function decisionFor(rule: string, args: Record<string, unknown>) {
  const read = await readPolicy(`version: 1\nrules:\n  - ${rule}\n`);
  if (!read.ok) throw new Error(read.problems[0]!.message);
  return decide(read.policy, { tool: bash, args, caller })?.decide;
}

const RUNS_RM = [
  'xargs rm x',
  'ls\nrm x',
  'ls\r\n  r\\\nm x',
  'bash <<EOF\nrm x\nEOF',
  'ls &rm x',
  'find . -exec rm {} +',
  'sh -c "rm x"',
  'eval rm x',
  'echo x | xargs -0 rm -f',
  'if true; then rm x; fi',
  '! rm x',
  'while rm x; do :; done',
  'timeout 5 /bin/rm x',
  'ssh host rm x',
  '$SHELL -c "rm x"',
  '</dev/null rm x',
  '2>/dev/null rm x',
  'A="b c" rm x',
  'env A=1 B="c d" rm x',
  'exec -a y rm x',
  "trap 'rm x' EXIT",
];
const PUSHES = ['git push', 'git -C . push', 'git --no-pager -c a=b push origin', 'cd x && git push'];
const NINE = Array.from({ length: 9 }, (_, i) => `-c a.b${i}=c`).join(' ');
const HIDDEN_PUSHES = [
  'A=1 git -C . push',
  'A="b c" git -C . push',
  'time git -C . push',
  'env A=1 git -C . push',
  'sudo git -C . push',
  'sudo -u root /usr/bin/git -C . push origin',
  'timeout 9 git -C . push',
  'bash -c "git -C . push"',
  `bash -c 'git -C "my folder" push'`,
  `sh -c "bash -c 'git -C . push'"`,
  'git -C "my folder" push',
  "git -C 'a b c' -c 'd e' push origin main",
  'git "-C" "." "push"',
  'git -C my\\ folder push',
  `git ${NINE} push`,
  `git ${NINE} ${NINE} ${NINE} push`,
  `nohup nice -n 5 env -i git ${NINE} push &`,
  'echo "$(git -C \'a b\' push)"',
  'echo `git -C . push`',
  '{ git -C "a b" push; }',
  'if true; then git -C "a b" push; fi',
  'D="a b"; git -C "$D" push',
  'git -C "a b" 2>&1 >x push',
  'git -C "a b" &>x push',
  'git${IFS}-C${IFS}"a b"${IFS}push',
];
const NOT_PUSHES = [
  'git log push',
  'echo git',
  'git commit -m push',
  'git commit -m "alias.x=push and GIT_CONFIG_COUNT"',
  'git stash',
  'git -c core.pager=cat log',
  'git -c core.editor=true rebase --continue',
  'GIT_PAGER=cat git log',
  'git -c core.sshCommand="ssh -i key" fetch',
];
/** Git that was given a name for push, or settings that nobody sees: any rule about git is for it. */
const RENAMED_PUSHES = [
  'git -c alias.x=push x',
  "git -c alias.x=pu'sh' x origin",
  'git -C . -c ALIAS.x=push x',
  'env A=1 git -c alias.x=push x',
  `bash -c 'git -c alias.x=push x'`,
  'git -c include.path=/tmp/x x',
  'git --config-env=alias.x=HOME x',
  'git --config-env alias.x=HOME x',
  'git --exec-path=/tmp/x log',
  'GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0=push git x',
  'env GIT_CONFIG_GLOBAL=/tmp/x git x',
  'export GIT_CONFIG_PARAMETERS="\'alias.x=push\'"; git x',
  'GIT_EXEC_PATH=/tmp/x git log',
  'git config alias.x push && git x',
  'git config --global alias.x "!f() { git push; }; f"',
  'git -c core.sshCommand="git push" fetch',
  'GIT_SSH_COMMAND="sh -c \'git push\'" git fetch',
  'git rebase --exec "git push" main',
  'git bisect run git push',
  `git submodule foreach 'git push'`,
  'git fetch --upload-pack="git push;" x',
];
const TOLD_RM = [
  `git -c alias.x='!rm y' x`,
  `git -c core.sshCommand='rm y' fetch`,
  `git -c core.pager='rm y' log`,
  `git -c diff.external='rm y' diff`,
  `git -c filter.a.clean='rm y' add .`,
  `git -c credential.helper='!rm y' fetch`,
  'git -c diff.external=rm diff',
  `GIT_EXTERNAL_DIFF='rm y' git diff`,
  `GIT_PAGER="rm y" git log`,
  'git rebase -x "rm y" main',
  'git bisect run rm y',
  `git submodule foreach 'rm y'`,
  `git clone --upload-pack='rm y' x`,
];
/** Row 5: what an allowing pattern with an operator of its own must not reach. */
const CD_TEST = 'cd web && npm test*';
const BEYOND = [
  'cd web && npm test; touch owned',
  'cd web && npm test $(touch owned)',
  'cd web && npm test `touch owned`',
  'cd web && npm test | tee x',
  'cd web && npm test && touch owned',
  'cd web && npm test\ntouch owned',
  'cd web && npm test > /etc/x',
  'cd web && npm test & touch owned',
  'cd web && npm test ${X:=y}',
  'cd web && npm test <(touch owned)',
  'cd web; touch owned && npm test',
  'cd web || npm test',
];
const EVIL = 'https://evil.example';
const SITE = `${EVIL}/*`;
const DENIED_SITE = [
  `${EVIL}/x`,
  EVIL,
  'HTTPS://EVIL.example/x',
  'https:/evil.example/x',
  'https:\\\\evil.example\\x',
  `${EVIL}:443/x`,
  `${EVIL}:8443/x`,
  `${EVIL}./x`,
  `${EVIL}?x`,
  'http://evil.example/x',
  'https://ev%69l.example/',
  'https://\uff45vil.example/',
  'https://user@evil.example/',
];
const OTHER_SITES = ['https://evil.example.net/', 'https://other.example/evil.example/'];
const STRETCHED = [
  ['https://*.good.example/*', 'https://other.example/x.good.example/y'],
  ['https://*.good.example/*', 'https://other.example?.good.example/'],
  ['https://*.good.example/*', 'https://other.example#.good.example/'],
  ['https://*.good.example/*', 'http://a.good.example/'],
  ['https://good.example*', 'https://good.example.evil.net/'],
  ['https://good.example*', 'https://good.example@evil.net/'],
  ['https://good.example/*', 'https://good.example:8443/'],
  ['https://good.example/docs/*', 'https://good.example/docs/..%2fadmin'],
] as const;

describe('a rule', () => {
  it.each<readonly [string, Record<string, unknown>, string | undefined]>([
    ['{ tool: Bash, decide: allow }', {}, 'allow'],
    ['{ tool: [Read, B*], decide: allow }', {}, 'allow'],
    ['{ tool: Read, decide: allow }', {}, undefined],
    ['{ agent: ad?, decide: allow }', {}, 'allow'],
    ['{ team: blue, decide: allow }', {}, undefined],
    ['{ source: core, risk: [destructive, external], decide: ask }', {}, 'ask'],
    ['{ args: { command: "git *" }, decide: allow }', { command: 'git status' }, 'allow'],
    ['{ args: { command: "git *" }, decide: allow }', { command: 'git status; rm -rf x' }, undefined],
    ['{ args: { command: "git *" }, decide: allow }', { command: 'git status && curl x' }, undefined],
    ['{ args: { command: "git *" }, decide: allow }', { command: 'git log $(rm x)' }, undefined],
    ['{ args: { command: "git *" }, decide: allow }', { command: 'git log\nrm x' }, undefined],
    ['{ args: { command: "git *" }, decide: deny }', { command: 'git status; rm -rf x' }, 'deny'],
    ['{ args: { command: "rm *" }, decide: deny }', { command: 'cd x;  sudo /bin/rm -r y' }, 'deny'],
    ['{ args: { command: "rm *" }, decide: deny }', { command: "  r'm' y" }, 'deny'],
    ['{ args: { command: "rm *" }, decide: ask }', { command: 'A=1 env rm y' }, 'ask'],
    ['{ args: { command: "rm *" }, decide: deny }', { command: 'echo rm-like' }, undefined],
    ['{ args: { command: "rm *" }, decide: deny }', { command: 'git rm y' }, undefined],
    ...RUNS_RM.map(
      (command) => ['{ args: { command: "rm *" }, decide: deny }', { command }, 'deny'] as const,
    ),
    ...PUSHES.map(
      (command) => ['{ args: { command: "git push *" }, decide: ask }', { command }, 'ask'] as const,
    ),
    ...HIDDEN_PUSHES.map(
      (command) => ['{ args: { command: "git push *" }, decide: deny }', { command }, 'deny'] as const,
    ),
    ...RENAMED_PUSHES.map(
      (command) => ['{ args: { command: "git push *" }, decide: deny }', { command }, 'deny'] as const,
    ),
    ...TOLD_RM.map(
      (command) => ['{ args: { command: "rm *" }, decide: deny }', { command }, 'deny'] as const,
    ),
    ...[...TOLD_RM, 'git -c alias.x=push x', 'git --exec-path=/tmp/x log'].map(
      (command) => ['{ args: { command: "git *" }, decide: allow }', { command }, undefined] as const,
    ),
    ...['git -c core.pager=cat log', 'git commit -m "alias.x=y"'].map(
      (command) => ['{ args: { command: "git *" }, decide: allow }', { command }, 'allow'] as const,
    ),
    ...NOT_PUSHES.map(
      (command) => ['{ args: { command: "git push *" }, decide: ask }', { command }, undefined] as const,
    ),
    ...['cd web && npm test', 'cd web && npm test -- src/a.test.ts'].map(
      (command) => [`{ args: { command: "${CD_TEST}" }, decide: allow }`, { command }, 'allow'] as const,
    ),
    ...BEYOND.map(
      (command) => [`{ args: { command: "${CD_TEST}" }, decide: allow }`, { command }, undefined] as const,
    ),
    ['{ args: { command: "cat * | head *" }, decide: allow }', { command: 'cat a | head -1' }, 'allow'],
    [
      '{ args: { command: "cat * | head *" }, decide: allow }',
      { command: 'cat a | sh | head -1' },
      undefined,
    ],
    ['{ args: { command: "cat * | head *" }, decide: allow }', { command: 'cat a || head -1' }, undefined],
    ['{ args: { command: "echo * > log" }, decide: allow }', { command: 'echo a >> log' }, undefined],
    ['{ args: { shell_command: "git *" }, decide: allow }', { shell_command: 'git x; rm y' }, undefined],
    ['{ args: { cmdLine: "rm *" }, decide: deny }', { cmdLine: 'cd x; rm y' }, 'deny'],
    ['{ args: { description: "rm *" }, decide: deny }', { description: 'cd x; rm y' }, undefined],
    ...DENIED_SITE.map((url) => [`{ args: { url: "${SITE}" }, decide: deny }`, { url }, 'deny'] as const),
    ...OTHER_SITES.map((url) => [`{ args: { url: "${SITE}" }, decide: deny }`, { url }, undefined] as const),
    ['{ args: { url: "*evil.example*" }, decide: deny }', { url: 'https://ev%69l.example/' }, 'deny'],
    [
      '{ args: { url: "https://evil.example/admin/*" }, decide: deny }',
      { url: `${EVIL}//%61dmin/x` },
      'deny',
    ],
    ['{ args: { url: "https://e?il.example/*" }, decide: deny }', { url: 'https://EVIL.example/' }, 'deny'],
    [
      '{ args: { url: { oneOf: ["https://evil.example/x"] } }, decide: deny }',
      { url: `${EVIL}:443/x` },
      'deny',
    ],
    ...STRETCHED.map(
      ([pattern, url]) => [`{ args: { url: "${pattern}" }, decide: allow }`, { url }, undefined] as const,
    ),
    [
      '{ args: { url: "https://*.good.example/*" }, decide: allow }',
      { url: 'https://a.good.example/b' },
      'allow',
    ],
    [
      '{ args: { url: "https://good.example*" }, decide: allow }',
      { url: 'https://good.example/b?c' },
      'allow',
    ],
    [
      '{ args: { url: "https://good.example:8443/*" }, decide: allow }',
      { url: 'https://good.example:8443/' },
      'allow',
    ],
    ...['./secrets/x', 'a/../secrets/x', 'secrets', '/srv/a/secrets/x', 'secrets\\x', '~/secrets/x'].map(
      (path) => ['{ args: { path: "secrets/*" }, decide: deny }', { path }, 'deny'] as const,
    ),
    ['{ args: { path: "caf\u00e9/*" }, decide: deny }', { path: 'cafe\u0301/x' }, 'deny'],
    ['{ args: { paths: "secrets/*" }, decide: deny }', { paths: ['a', 'secrets/x'] }, 'deny'],
    ['{ args: { paths: "src/*" }, decide: allow }', { paths: ['src/x', 'secrets/x'] }, undefined],
    ['{ args: { command: "rm *" }, decide: deny }', { command: ['rm', '-r', 'x'] }, 'deny'],
    ['{ args: { amount: { min: 1000 } }, decide: ask }', { amount: '5000' }, 'ask'],
    ['{ args: { amount: { min: 1000 } }, decide: allow }', { amount: '5000' }, undefined],
    ['{ args: { force: true }, decide: deny }', { force: 'true' }, 'deny'],
    ['{ args: { command: "git * | head" }, decide: allow }', { command: 'git log | head' }, 'allow'],
    ['{ args: { limit: { max: 10 } }, decide: allow }', { limit: 10 }, 'allow'],
    ['{ args: { limit: { max: 10 } }, decide: allow }', { limit: 11 }, undefined],
    ['{ args: { limit: { max: 10 } }, decide: allow }', {}, undefined],
    ['{ args: { mode: { oneOf: [a, b] } }, decide: allow }', { mode: 'b' }, 'allow'],
    ['{ args: { background: { absent: true } }, decide: allow }', {}, 'allow'],
    ['{ args: { background: true }, decide: deny }', { background: true }, 'deny'],
    ['{ args: { command: "*" }, decide: allow }', { command: { nested: 'x' } }, undefined],
  ])('%s on %j', async (rule, args, expected) => {
    expect(await decisionFor(rule, args)).toBe(expected);
  });

  it('the tightest of all limits that apply holds', async () => {
    const read = await readPolicy(
      'version: 1\nlimits:\n  - { perMinute: 100 }\n  - { tool: Bash, perMinute: 20, perDay: 500 }\nrules:\n  - { tool: Bash, decide: allow, limits: { perDay: 50 } }\n',
    );
    expect(read.ok && limitsFor(read.policy, { tool: bash, args: {}, caller })).toEqual({
      perMinute: 20,
      perDay: 50,
    });
  });
});

describe('a broken policy', () => {
  it.each([
    ['rules: []', 1],
    ['version: 1\nrules:\n  - { decide: allow, tools: x }', 3],
    ['version: 1\nrules:\n  - { tool: x }', 3],
    ['version: 1\nrules: {', 2],
    ['version: 1\nlimits:\n  - perMinute: -1', 3],
    ['version: 2', 1],
    ['- a\n- b', 1],
    ['version: 1\nrules:\n  - &a { decide: allow }\n  - *b', 1],
  ])('%j names a line', async (text, line) => {
    const read = await readPolicy(text);
    expect(read.ok ? undefined : read.problems[0]!.line).toBe(line);
  });
});

it.each([
  ['*', '', true],
  ['a*c', 'abbbc', true],
  ['a*c', 'abbbd', false],
  ['?', 'x', true],
  ['?', '', false],
  ['*.ts', 'a/b.ts', true],
  ['a**b', 'ab', true],
  ['', '', true],
])('the pattern %s on %s', (pattern, text, expected) => {
  expect(matchesPattern(pattern, text)).toBe(expected);
});

it('a hostile pattern costs little', () => {
  const startedAt = performance.now();
  matchesPattern(`${'*a'.repeat(50)}b`, 'a'.repeat(20_000));
  expect(performance.now() - startedAt).toBeLessThan(1_000);
});

it.each([
  'git -c a=b ',
  'sudo ',
  '$(',
  '`',
  '"$(',
  "bash -c '",
  'bash -c "a b" ',
  'a=$a;',
  'git -C "a b" ',
  'git -c alias.a=b ',
  "git -c alias.a='!git -c ",
  'GIT_PAGER=a git ',
  '\\',
  '<(',
  '"',
])('a hostile line of %j costs little', async (part) => {
  const command = part.repeat(100_000 / part.length);
  const startedAt = performance.now();
  await decisionFor('{ args: { command: "git push *" }, decide: deny }', { command });
  await decisionFor('{ args: { command: "git push *" }, decide: allow }', { command });
  expect(performance.now() - startedAt).toBeLessThan(5_000);
});
