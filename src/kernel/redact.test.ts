import { describe, expect, it } from 'vitest';
import { isOnlyRedacted, redact, redactValue } from './redact.ts';
import { cpuMs } from '../../test/fixtures/cpu.ts';

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';

describe('redact', () => {
  it.each([
    ['an OpenAI key', `sk-${letters.slice(0, 20)}`],
    ['an Anthropic key', `sk-ant-${letters.slice(0, 20)}`],
    ['a Stripe key', `sk_live_${letters.slice(0, 24)}`],
    ['a restricted Stripe key', `rk_live_${letters.slice(0, 24)}`],
    ['a GitHub token', `ghp_${letters.slice(0, 36)}`],
    ['a GitHub app token', `ghs_${letters.slice(0, 36)}`],
    ['a fine-grained GitHub token', `github_pat_${letters.slice(0, 30)}`],
    ['a GitLab token', `glpat-${letters.slice(0, 20)}`],
    ['a Slack token', `xoxb-${letters.slice(0, 12)}`],
    ['an AWS key id', ['AKIA', 'ABCDEFGHIJKLMNOP'].join('')],
    ['a temporary AWS key id', ['ASIA', 'ABCDEFGHIJKLMNOP'].join('')],
    ['a Google key', `AIza${letters.slice(0, 35)}`],
    ['an npm token', `npm_${letters.slice(0, 36)}`],
    ['a Hugging Face token', `hf_${letters.slice(0, 30)}`],
    ['a PyPI token', `pypi-${letters.slice(0, 30)}`],
    ['a SendGrid key', `SG.${letters.slice(0, 22)}.${letters.slice(0, 43)}`],
    ['a JWT', `eyJ${letters.slice(0, 20)}.${letters.slice(0, 20)}.${letters.slice(0, 20)}`],
    ['a Telegram bot token', `123456789:AA${letters.slice(0, 33)}`],
    ['a Discord bot token', `MTIzNDU2Nzg5MDEyMzQ1Njc4.GhIjKl.${letters.slice(0, 38)}`],
    ['an age key', `AGE-SECRET-KEY-1${'QPZRY9X8GF'.repeat(5)}`],
    ['a Linear key', `lin_api_${letters.slice(0, 40)}`],
    ['a Shopify token', `shpat_${'0a1b'.repeat(8)}`],
    ['a Shopify secret', `shpss_${'0a1b'.repeat(8)}`],
    ['a DigitalOcean token', `dop_v1_${'0a1b'.repeat(16)}`],
    ['a Doppler token', `dp.pt.${letters.slice(0, 43)}`],
    ['a Databricks token', `dapi${'0a1b'.repeat(8)}`],
    ['one of our own tokens', `hft_${letters.slice(0, 32)}`],
  ])('removes %s and keeps the words around it', (_, secret) => {
    expect(redact(`before ${secret} after`)).toBe('before [REDACTED] after');
  });

  it('removes a single line of a private key, and leaves certificates and digests', () => {
    const line = 'MIIEpAIBAAKCAQEAw7ZkT4vR9xQ2mW7pL5nZ8bJ3hF6dS1gA0cYuEoiKrTwXqVsM';
    for (const shown of [
      line,
      `${line.slice(0, 58)}kT4vR9xQ2mW7`,
      `sh: 2: ${line}: not found`,
      `key:4:${line}`,
    ])
      expect(redact(shown)).not.toContain(line.slice(0, 58));
    const open = `-----BEGIN CERTIFICATE-----\n${line}\n${line}\n-----END CERTIFICATE-----`;
    for (const plain of [
      open,
      `sha384-${line}`,
      `${line}x`,
      'ab12'.repeat(16),
      'src/features/board1/'.repeat(4).slice(0, 64),
    ])
      expect(redact(plain)).toBe(plain);
  });

  it('removes a private key, also one whose end is missing', () => {
    const key = `-----BEGIN RSA PRIVATE KEY-----\n${'A'.repeat(100)}\n-----END RSA PRIVATE KEY-----`;
    expect(redact(`a ${key} b`)).toBe('a [REDACTED] b');
    expect(redact(`a ${key.slice(0, 80)}`)).toBe('a [REDACTED]');
    expect(redact(`${key.slice(0, 80)} ${'words '.repeat(20_000)}`)).not.toContain('AAAA');
  });

  it('removes passwords from URLs, assignments and headers', () => {
    expect(redact('postgres://ada:hunter2@db/x')).toBe('postgres://ada:[REDACTED]@db/x');
    expect(redact('password=hunter2!')).toBe('password=[REDACTED]');
    expect(redact('AWS_SECRET_ACCESS_KEY = "abc def"')).toBe('AWS_SECRET_ACCESS_KEY = [REDACTED]');
    expect(redact('Authorization: Bearer abcdefghijklmnop')).toBe('Authorization: Bearer [REDACTED]');
    expect(redact('AccountKey=abcdefghijklmnop==;x')).toContain('AccountKey=[REDACTED]');
  });

  it.each(['postgresql', 'mysql', 'redis', 'https', 'mongodb+srv'])(
    'removes a password of %s that holds the sign before the host',
    (scheme) => {
      expect(redact(`${scheme}://admin:p@ssw0rd@host/x`)).toBe(`${scheme}://admin:[REDACTED]@host/x`);
      expect(redact(`${scheme}://me@corp.org:p@ss@w0rd@host`)).toBe(
        `${scheme}://me@corp.org:[REDACTED]@host`,
      );
    },
  );

  it('removes a password with a slash where databases forgive it, and leaves ports and scopes', () => {
    expect(redact('postgresql://admin:p/ss:w0rd@host/x')).toBe('postgresql://admin:[REDACTED]@host/x');
    for (const text of ['https://registry:4873/@scope/pkg', 'redis://cache:6379/0 ask me@home.org'])
      expect(redact(text)).toBe(text);
  });

  it('removes a key that is longer than its vendor says, to its end', () => {
    for (const [prefix, length] of [
      ['AIza', 60],
      ['ghp_', 400],
      ['hf_', 100],
      ['sk-ant-', 900],
    ] as const)
      expect(redact(`a ${prefix}${letters.repeat(20).slice(0, length)} b`)).toBe('a [REDACTED] b');
  });

  it('leaves one letter many times as it is, whole', () => {
    for (const count of [40, 120, 300, 5_000]) expect(redact('A'.repeat(count))).toBe('A'.repeat(count));
  });

  it.each([
    ['aws_secret_access_key = ', 'wJalrXUtnFEMIxK7MDENGxbPxRfiCYzQ8rT5vLpK'],
    ['secretAccessKey: ', '"wJalrXUtnFEMIxK7MDENG"'],
    ['Authorization: Basic ', 'dXNlcjpwYXNz'],
    ['db_password=', 's3cr3tValue99'],
    ['password=', '$ecret99'],
    ['password=', 'abc(def9'],
    ['db_password: ', '"s3cr3tValue99"'],
    ['dbPassword: ', "'s3cr3tValue99'"],
    ['Db_Passwd=', 's3cr3tValue99'],
    ['db_pwd=', 's3cr3tValue99'],
    ['webhook_secret=', 's3cr3tValue99'],
    ['github_token: ', '"s3cr3tValue99"'],
    ['maps_api_key=', 's3cr3tValue99'],
    ['AccountKey=', `${letters}==`],
    ['https://x.blob.core.windows.net/c?sv=1&sig=', `${letters.slice(0, 43)}%3D`],
    ['https://hooks.slack.com/services/', 'T00000000/B00000000/abcdefghijklmnopqrstuvwx'],
    ['password=', letters.repeat(20)],
    ['{\\"password\\":', '\\"hunter22\\"'],
  ])('removes what follows %s', (before, secret) => {
    expect(redact(`a ${before}${secret}\nb`)).toBe(`a ${before}[REDACTED]\nb`);
  });

  it.each([
    'secret: none',
    'password: yes',
    'token: 15 minutes',
    'sig=nature',
    'the password is rotated weekly',
    'api_key=<your key>',
    'PASSWORD=${DB_PASSWORD}',
    'passwordHash: argon2id',
    'password: must be rotated weekly',
    'max_tokens: 4096',
    'nextPageToken: "CAUQAAbb12"',
    'primary_key: user_id',
    'PWD=/home/ann/app',
    'password: process.env.DB_PASSWORD',
    'basic authentication is enabled',
  ])('leaves %s as it is', (text) => {
    expect(redact(text)).toBe(text);
  });

  it('leaves ordinary prose alone', () => {
    for (const text of [
      'Ask the author for the key to the office.',
      'The token bucket refills every second.',
      'Basic training starts on Monday.',
      'https://example.org/path?x=1',
      'This task-list and risk-adjusted plan are fine.',
      'secret santa: bring gifts',
    ]) {
      expect(redact(text)).toBe(text);
    }
  });

  it('stays linear on hostile text', () => {
    for (const text of [
      '-----BEGIN PRIVATE KEY-----'.repeat(40_000),
      'KEY='.repeat(50_000),
      `${'A'.repeat(200_000)}KEY=`,
      'eyJ'.repeat(50_000),
      '-eyJ'.repeat(500_000),
      ...['://', '://a:', '://a:@', 'redis://a:b@', 'AIza', `${'A'.repeat(22)}b`].map((part) =>
        part.repeat(1_000_000 / part.length),
      ),
      ...['a', '=', '_', 'sig=', 'token=', 'key="'].map((part) => part.repeat(2_000_000 / part.length)),
    ]) {
      const started = cpuMs();
      redact(text);
      expect(cpuMs() - started).toBeLessThan(10_000);
    }
  });
});

describe('redactValue', () => {
  it('goes by the name of a field and by the shape of its text', () => {
    const token = `ghp_${letters.slice(0, 36)}`;
    expect(
      redactValue({ apiKey: 'x', list: [{ password: 1 }, token], inputTokens: 5, author: 'Ann' }),
    ).toEqual({
      apiKey: '[REDACTED]',
      list: [{ password: '[REDACTED]' }, '[REDACTED]'],
      inputTokens: 5,
      author: 'Ann',
    });
  });

  it('a secret as a name is a secret, too', () => {
    expect(redactValue({ [`ghp_${letters.slice(0, 36)}`]: 1 })).toEqual({ '[REDACTED]': 1 });
  });
});

describe('isOnlyRedacted', () => {
  it('is true when nothing but marks is left', () => {
    expect(isOnlyRedacted('[REDACTED], [REDACTED]!')).toBe(true);
    expect(isOnlyRedacted('Bearer [REDACTED]')).toBe(true);
    expect(isOnlyRedacted('the bearer of bad news: [REDACTED]')).toBe(false);
    expect(isOnlyRedacted('key: [REDACTED]')).toBe(false);
    expect(isOnlyRedacted('')).toBe(false);
  });
});

it('scrubs every secret of a line', () => {
  expect(redact('db_token=abcd1234x password=hunter22 api_key=zyxw9876v')).toBe(
    'db_token=[REDACTED] password=[REDACTED] api_key=[REDACTED]',
  );
});
