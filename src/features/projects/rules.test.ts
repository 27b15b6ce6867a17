import { describe, expect, it } from 'vitest';
import { originOf } from './git-config.ts';
import { freeSlug, readRemote, slugOf } from './rules.ts';

describe('a remote has one spelling', () => {
  it.each([
    'git@example.test:org/app.git',
    'ssh://git@example.test/org/app.git',
    'ssh://git@example.test:22/org/app/',
    'https://example.test/org/app',
    'https://ada:s3cret@Example.test/org/app.git',
    'https://example.test:443/org/app.git/',
    'git://example.test:9418/org/app',
    'example.test:org/app.git',
  ])('%s', (url) => {
    expect(readRemote(url)).toEqual({ kind: 'network', value: 'example.test/org/app' });
  });

  it.each([
    ['/srv/app.git', '/srv/app.git'],
    ['../app', '../app'],
    ['file:///srv/my%20app', '/srv/my app'],
  ])('%s is a folder', (url, value) => {
    expect(readRemote(url)).toEqual({ kind: 'local', value });
  });

  it.each(['', '  ', 'ext::sh -c true', 'https://', 'ssh://host', 'host:', 'a\0b'])('%j is none', (url) => {
    expect(readRemote(url)).toBeUndefined();
  });

  it('other ports are other places', () => {
    expect(readRemote('ssh://git@example.test:2222/org/app')?.value).toBe('example.test:2222/org/app');
  });
});

describe('a slug', () => {
  it.each([
    ['Holdfast', 'holdfast'],
    ['my app (old)', 'my-app-old'],
    ['Über Äpp', 'uber-app'],
    ['..', 'project'],
    ['日本', 'project'],
    ['аpp', 'pp'],
    ['-rf', 'rf'],
    ['node.js_app', 'node.js_app'],
    ['x'.repeat(500), 'x'.repeat(48)],
    ['a\u0000\u001bb', 'a-b'],
  ])('of %j is %s', (name, slug) => {
    expect(slugOf(name)).toBe(slug);
  });

  it('that is taken gets the next free number', () => {
    const taken = new Set(['app', 'app-2', 'app-4']);
    expect(freeSlug('app', (slug) => taken.has(slug))).toBe('app-3');
  });
});

describe('the origin in a git configuration', () => {
  it.each([
    ['[remote "origin"]\n\turl = git@h:a/b.git\n', 'git@h:a/b.git'],
    ['[core]\n\turl = no\n[Remote "origin"] URL="/a b" ; why\n', '/a b'],
    ['[remote "z"]\n\turl = z\n[remote "b"]\n\turl = b\n', 'b'],
    ['[remote "z"]\n\turl = z\n[remote "origin"]\n\turl = first\n\turl = second\n', 'first'],
    ['[remote "origin"]\n\tpushurl = x\n', undefined],
    ['[branch "origin"]\n\turl = x\n', undefined],
    ['[remote "o\\"x"]\n\turl = y#z\n', 'y'],
    ['nonsense [[[ ""\n= =\n', undefined],
    ['', undefined],
  ])('%j', (config, url) => {
    expect(originOf(config)).toBe(url);
  });
});
