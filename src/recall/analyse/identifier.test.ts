import { describe, expect, it } from 'vitest';
import { tokenise } from './tokens.ts';

const terms = (text: string): Set<string> => new Set(tokenise(text).flatMap((token) => token.terms));

/** The words that both have. */
const shared = (a: string, b: string): string[] => [...terms(a)].filter((term) => terms(b).has(term));

describe('what code writes as one word is read alike wherever it stands', () => {
  it.each([
    ['getUserById', 'get_user_by_id'],
    ['getUserById', 'GetUserByID'],
    ['getUserById', 'get-user-by-id'],
    ['src/auth/session.ts', './src/auth/session.ts'],
    ['src/auth/session.ts:40:12', 'src/auth/session.ts'],
    ['ERR_MODULE_NOT_FOUND', 'errModuleNotFound'],
    ['v3.2.1', '3.2.1'],
  ])('%s has every word of %s', (a, b) => {
    expect([...terms(b)].filter((term) => !terms(a).has(term))).toEqual([]);
  });

  it.each([
    ['getUserById', 'user by id', ['user', 'id']],
    ['src/auth/session.ts', 'session.ts', ['session', 'ts', 'sessiont']],
    ['src/auth/session.ts', 'the auth session', ['auth', 'session']],
    ['packages/api/src/auth/session.ts', 'auth/session.ts', ['auth', 'session', 'ts']],
    ['ERR_MODULE_NOT_FOUND', 'module not found', ['modul']],
    ['git commit --no-verify', 'no verify', ['verifi']],
    ['git commit --no-verify', 'noVerify', ['verifi', 'noverifi']],
    ['upgraded to v3.2.1', '3.2', ['3.2']],
    ['22.14.0-rc.1', '22.14', ['22.14']],
  ])('%s is found by %s', (written, asked, expected) => {
    expect(shared(asked, written)).toEqual(expect.arrayContaining(expected));
  });

  it('finds an error line again whose numbers, addresses and paths differ', () => {
    const seen =
      "Error: ENOENT: no such file or directory, open '/home/ada/app/config/local.json' at Object.open (node:fs:581:3) 0x7ffee4c0";
    const again =
      "Error: ENOENT: no such file or directory, open '/srv/ci/7/config/local.json' at Object.open (node:fs:603:3) 0x55d01aa8";
    const common = shared(again, seen);
    expect(common).toEqual(
      expect.arrayContaining(['enoent', 'directori', 'open', 'config', 'local', 'json']),
    );
    expect(common).not.toEqual(expect.arrayContaining(['0x7ffee4c0']));
    expect(common.length / terms(again).size).toBeGreaterThan(0.7);
  });

  it('keeps a hash, an address in memory and a random id whole', () => {
    for (const opaque of ['9f86d081884c7d65', '0x7ffee4c0', '123e4567-e89b-12d3-a456-426614174000'])
      expect([...terms(opaque)]).toEqual([opaque]);
  });
});
