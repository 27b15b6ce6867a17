import { describe, expect, it } from 'vitest';
import { createSeamMask, type Seams } from './redact-stream.ts';

const key = `ghp_${'a1B2c3D4e5'.repeat(4)}`;
const pem = [
  '-----BEGIN RSA PRIVATE KEY-----',
  'Proc-Type: 4,ENCRYPTED',
  '',
  ...Array.from({ length: 5 }, (_, i) => `MIIEpAIBAAKCAQEA${i}x`.repeat(4).slice(0, 64)),
  '-----END RSA PRIVATE KEY-----',
];

function through(parts: Seams, texts: readonly string[]): string[] {
  const out: string[] = [];
  const mask = createSeamMask<number>(parts, (text, at) => (out[at] = text));
  for (const [at, text] of texts.entries()) mask.add(text, at);
  mask.flush();
  return out;
}

describe('a secret that is split', () => {
  it('over two lines is in neither of them, wherever it was cut', () => {
    for (let at = 6; at < key.length; at += 1) {
      const shown = through('lines', [`found ${key.slice(0, at)}`, `${key.slice(at)} here`]).join('\n');
      expect(shown).toContain('found [REDACTED]');
      expect(shown).toContain(' here');
      expect(shown).not.toContain(key.slice(at));
    }
  });

  it('over pieces of any size is in none of them', () => {
    const said = `use ${key} and password: "hunter2000" or Bearer abcdefghijklmnopqrst then\ngo on`;
    for (let size = 1; size < 50; size += 1) {
      const pieces = Array.from({ length: Math.ceil(said.length / size) }, (_, i) =>
        said.slice(i * size, (i + 1) * size),
      );
      const shown = through('pieces', pieces);
      expect(shown).toHaveLength(pieces.length);
      const all = shown.join('');
      expect(all).not.toMatch(/a1B2|hunter|abcdefgh|qrst/);
      expect(all).toMatch(/^use .* and password: .* or Bearer .* then\ngo on$/);
    }
  });

  it('as a private key over many lines or pieces is hidden to its end', () => {
    expect(through('lines', ['before', ...pem, 'after']).join(' ')).not.toContain('MII');
    expect(through('lines', ['before', ...pem, 'after']).at(-1)).toBe('after');
    expect(through('lines', [pem[0]!, pem[4]!, 'words that are no key any more'])).toEqual([
      '[REDACTED]',
      '[REDACTED]',
      'words that are no key any more',
    ]);
    const text = `before\n${pem.join('\n')}\nafter`;
    for (const size of [3, 7, 20, 100]) {
      const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, i) =>
        text.slice(i * size, (i + 1) * size),
      );
      const shown = through('pieces', pieces).join('');
      expect(shown).not.toMatch(/KCAQ|pAIB/);
      expect(shown).toMatch(/after$/);
    }
  });
});

describe('ordinary output', () => {
  it('comes through as it was', () => {
    const lines = [
      'src/kernel/redact.ts:12',
      'Done.',
      '4f2c9a7be1d04f2c9a7be1d0',
      'GET /x 200 12ms',
      '',
      'x',
    ];
    expect(through('lines', lines)).toEqual(lines);
    expect(through('pieces', ['The qui', 'ck', ' brown', ' fox-', 'trot\n', 'ends'])).toEqual([
      'The qui',
      'ck',
      ' brown',
      ' fox-',
      'trot\n',
      'ends',
    ]);
  });

  it('keeps the word after a line that ends with a key', () => {
    expect(through('lines', [`token ${key}`, 'Done with it'])).toEqual(['token [REDACTED]', 'Done with it']);
  });

  it('is held back in bounds', () => {
    let held = 0;
    const mask = createSeamMask<number>('pieces', () => (held -= 1));
    for (let i = 0; i < 10_000; i += 1) {
      held += 1;
      mask.add('x1', i);
      expect(held).toBeLessThan(4_097);
    }
  });
});
