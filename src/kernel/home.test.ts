import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ensurePrivateFolder, readOrCreateSecret, signingKey } from './home.ts';

const base = mkdtempSync(join(tmpdir(), 'holdfast-home-'));
const modeOf = (path: string) => statSync(path).mode & 0o777;

afterAll(() => rmSync(base, { recursive: true }));

describe('the home folder', () => {
  it('is made for its owner alone, with its parents', () => {
    const home = join(base, 'a', 'b');
    ensurePrivateFolder(home);
    expect(modeOf(home)).toBe(0o700);
  });

  it('is closed to others when it was open', () => {
    const home = join(base, 'open');
    mkdirSync(home);
    chmodSync(home, 0o755);
    ensurePrivateFolder(home);
    expect(modeOf(home)).toBe(0o700);
  });

  it('says what is wrong when a file is in the way', () => {
    const file = join(base, 'file');
    writeFileSync(file, '');
    expect(() => ensurePrivateFolder(join(file, 'home'))).toThrow('choose another folder with HOLDFAST_HOME');
  });
});

describe('a secret', () => {
  it('is 64 hex characters in a 0600 file, and the same ever after', () => {
    const path = join(base, 'token');
    const secret = readOrCreateSecret(path);
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    expect(modeOf(path)).toBe(0o600);
    expect(readOrCreateSecret(path)).toBe(secret);
    expect(readFileSync(path, 'utf8').trim()).toBe(secret);
    expect(readdirSync(base).filter((name) => name.startsWith('token'))).toEqual(['token']);
  });

  it('is closed to others when its file was open', () => {
    const path = join(base, 'wide');
    writeFileSync(path, 'f'.repeat(64));
    chmodSync(path, 0o644);
    readOrCreateSecret(path);
    expect(modeOf(path)).toBe(0o600);
  });

  it('is refused when its file is cut short, never replaced', () => {
    const path = join(base, 'short');
    writeFileSync(path, 'abc');
    expect(() => readOrCreateSecret(path)).toThrow('remove it to get a new one');
    expect(readFileSync(path, 'utf8')).toBe('abc');
  });

  it('for signing comes from HOLDFAST_SIGNING_KEY first', () => {
    expect(signingKey(base, { HOLDFAST_SIGNING_KEY: 'shared' })).toBe('shared');
    expect(signingKey(base, {})).toMatch(/^[0-9a-f]{64}$/);
  });
});
