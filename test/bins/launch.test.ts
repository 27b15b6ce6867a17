import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { runtimeProblem } from '../../src/bin/launch.ts';
import { builtBin } from '../fixtures/built.ts';

const NAMES = ['holdfast', 'clawboo-mcp-tasks'] as const;
const bins = new Map<string, string>();

beforeAll(() => NAMES.forEach((name) => bins.set(name, builtBin(name))));

/** A Node too old for us, if this machine has one outside our own node_modules. */
function oldNode(): string | undefined {
  const folders = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'));
  return folders
    .map((folder) => join(folder, 'node'))
    .filter((path) => existsSync(path))
    .find((path) =>
      runtimeProblem('x', {
        node: execFileSync(path, ['-p', 'process.versions.node'], { encoding: 'utf8' }).trim(),
        napi: '10',
      }),
    );
}

/** Without an old Node the version is changed under a new one, before the bin is loaded. */
const pretend = `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.20.2',napi:'9'}})`;

describe.each(NAMES)('%s', (name) => {
  it.each([
    ['an old Node', oldNode() ?? process.execPath, oldNode() ? [] : ['--import', pretend]],
    ['a Node that says it is old', process.execPath, ['--import', pretend]],
  ])('on %s prints one clear line and exits 1', (_case, node, options) => {
    const { status, stdout, stderr } = spawnSync(node, [...options, bins.get(name)!, '--version'], {
      encoding: 'utf8',
    });
    expect(stderr).toMatch(
      new RegExp(
        `^${name} needs Node\\.js 22\\.14 or newer, and this is \\d+\\.\\d+\\.\\d+ \\([^)]+\\)\\. Install a newer one [^\\n]+\\n$`,
      ),
    );
    expect([status, stdout]).toEqual([1, '']);
  });
});

describe('the version check', () => {
  it.each([
    ['22.14.0', '10', undefined],
    ['24.0.0', '10', undefined],
    ['100.1.0', '12', undefined],
    ['22.14.0', '9', '22.14 or newer with Node-API 10'],
    ['22.13.0', '10', '22.14 or newer'],
    ['18.20.0', '9', '22.14 or newer'],
  ])('of %s with Node-API %s', (node, napi, wanted) => {
    const problem = runtimeProblem('holdfast', { node, napi });
    expect(/needs Node\.js (.+), and this is/.exec(problem ?? '')?.[1]).toBe(wanted);
  });
});
