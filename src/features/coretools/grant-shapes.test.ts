import { describe, expect, it } from 'vitest';
import { commandShape, folderPattern } from './grant-shapes.ts';

describe('row 4: what "always" allows of a command', () => {
  it.each([
    ['git status -s', 'git status *'],
    ['git  log --oneline -5 src/a.ts', 'git log *'],
    ['git diff --stat HEAD~1', undefined],
    ['git diff --stat main..HEAD', 'git diff *'],
    ['npm test', 'npm test *'],
    ['npm test -- src/a.test.ts', 'npm test *'],
    ['npm run build', 'npm run build *'],
    ['cargo test --release parser', 'cargo test *'],
    ['go test -race ./...', 'go test *'],
  ])('%s is %s', (command, shape) => {
    expect(commandShape(command)).toEqual(shape === undefined ? { exactly: command } : { command: shape });
  });

  it.each([
    'cat README.md',
    'rm build/a',
    'python3 x.py',
    'node x.js',
    'bash x.sh',
    'sh -c ls',
    'env ls',
    'find . -name x',
    'head -1 x',
    'grep x y',
    'ls -la',
    'sudo git status',
    'A=1 git status',
    'git status; rm x',
    'git status\nrm x',
    'git status && ls',
    'git status $(rm x)',
    'git status *',
    'git status ../..',
    'git status /etc',
    'git status ~',
    'git -c core.pager=x status',
    'git log --output=x',
    'git log -p --ext-diff',
    'git diff --no-index /etc/passwd x',
    'git diff --output=.git/hooks/pre-commit',
    'git show --textconv HEAD',
    'git push origin main',
    'git fetch ext::sh',
    'git commit -m x',
    'npm run',
    'npm run build --prefix /elsewhere',
    'npm test --script-shell=/tmp/x',
    'npm install x',
    'cargo test --config x',
    'cargo run',
    'go run x.go',
    'go test -exec /tmp/x',
    'curl https://example.com',
    'make',
  ])('%s is allowed exactly as it stands', (command) => {
    expect(commandShape(command)).toEqual({ exactly: command });
  });

  it('a file is allowed with its neighbours', () => {
    expect(['a', '.a', 'src/.a', 'src/a', 'src/deep/a', '/tmp/a'].map(folderPattern)).toEqual([
      './*',
      '.a',
      'src/.a',
      'src/*',
      'src/deep/*',
      '/tmp/*',
    ]);
  });
});
