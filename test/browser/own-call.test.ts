import { expect, test } from 'vitest';
import { shownArgs, wish } from '../../web/src/approvals/own-call.ts';

const asked = (args: object, toolName = 'AgentToolCall') => ({ toolName, argsSummary: JSON.stringify(args) });

// As the hub keeps what the clients say: the recorded requests of `test/fixtures/dispatch/transcripts`.
const COMMANDS = [
  {
    tool: 'Bash',
    title: 'touch shell.txt',
    paths: ['/p/shell.txt'],
    input: { command: 'touch shell.txt', description: 'mock' },
    shown: { tool: 'Bash', paths: ['/p/shell.txt'], description: 'mock' },
  },
  {
    tool: '',
    title: 'touch shell.txt',
    input: { command: 'touch shell.txt', cwd: '/p' },
    shown: { cwd: '/p' },
  },
  { tool: '', title: '`touch shell.txt`', input: { content: null }, shown: {} },
  { tool: '', title: 'Bash', input: { command: 'touch shell.txt' }, shown: { title: 'Bash' } },
];

test.each(COMMANDS)(
  'the command of an agent stands there once, and nothing that is empty: $title',
  (call) => {
    const { shown, ...said } = call;
    const command = 'touch shell.txt';
    const approval = asked({ run: 'r1', kind: 'execute', command, ...said });
    expect(wish(approval)).toBe('run a command');
    expect(shownArgs(approval)).toEqual({ command, ...shown });
  },
);

test('whatever would run or be written is still shown, also where a name says two things', () => {
  const odd = { command: 'ls', paths: [], title: 'List', input: { command: 'rm -rf /', title: 'List' } };
  expect(shownArgs(asked({ run: 'r1', tool: '', kind: 'execute', ...odd }))).toMatchObject({
    command: 'ls',
    input: odd.input,
  });
  const edit = { file_path: '/p/a.ts', old_string: 'a', new_string: '' };
  const call = { run: 'r1', tool: '', kind: 'edit', title: 'Edit a.ts', paths: ['/p/a.ts'], input: edit };
  expect(wish(asked(call))).toBe('edit files');
  expect(shownArgs(asked(call))).toEqual({ title: 'Edit a.ts', ...edit });
});

test('the tools of others are shown as they were called', () => {
  const args = { run: 'r1', tool: '', kind: 'execute', title: '' };
  expect(wish(asked(args, 'Bash'))).toBe('use Bash');
  expect(shownArgs(asked(args, 'Bash'))).toEqual(args);
});
