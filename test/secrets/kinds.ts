/**
 * Sixty kinds of secrets. Each is made around a mark of twelve hex digits, so that whatever is left of one tells where
 * it was planted and of which kind it is.
 */
export type Kind = Readonly<{ name: string; make(mark: string): string }>;

const HEX = '3f9b1c7d5a2e8046b1d7c93fe5a0284d6b7f1c93a5e8d2046f7b1c3d9e5a8204';
const MIXED = 'kT4vR9xQ2mW7pL5nZ8bJ3hF6dS1gA0cYuEoiKrTwXqVsMzNbPlHyGfDjCa4R7t9W2e5U8i1O3p6Q';

const hex = (mark: string, length: number) => around(mark, HEX, length);
const mixed = (mark: string, length: number) => around(mark, MIXED, length);

/** The mark stands at the end, because ends are what is left over; a long one has it at the beginning, too. */
function around(mark: string, filler: string, length: number): string {
  const fill = filler.repeat(Math.ceil(length / filler.length));
  if (length < 2 * mark.length + 8) return fill.slice(0, length - mark.length) + mark;
  return fill.slice(0, 4) + mark + fill.slice(4, length - 2 * mark.length) + mark;
}

const prefixed = (name: string, prefix: string, length: number, fill = mixed): Kind => ({
  name,
  make: (mark) => `${prefix}${fill(mark, length)}`,
});
const within = (name: string, before: string, length: number, after = ''): Kind => ({
  name,
  make: (mark) => `${before}${mixed(mark, length)}${after}`,
});

export const KINDS: readonly Kind[] = [
  // Models
  prefixed('openai', 'sk-proj-', 48),
  prefixed('anthropic', 'sk-ant-api03-', 90),
  prefixed('openrouter', 'sk-or-v1-', 64, hex),
  prefixed('groq', 'gsk_', 52),
  prefixed('xai', 'xai-', 80),
  prefixed('perplexity', 'pplx-', 48),
  prefixed('replicate', 'r8_', 37),
  prefixed('huggingface', 'hf_', 34),
  prefixed('nvidia', 'nvapi-', 64),
  // Clouds and hosting
  { name: 'aws', make: (mark) => `AKIAQ2MW${mark.toUpperCase()}` },
  prefixed('google', 'AIza', 35),
  prefixed('google, too long', 'AIza', 60),
  prefixed('google oauth', 'ya29.', 60),
  prefixed('digitalocean', 'dop_v1_', 64, hex),
  prefixed('vercel', 'vcp_', 48),
  prefixed('netlify', 'nfp_', 40),
  prefixed('render', 'rnd_', 32),
  prefixed('supabase', 'sbp_', 40, hex),
  prefixed('neon', 'napi_', 60, hex),
  prefixed('planetscale', 'pscale_pw_', 43),
  prefixed('databricks', 'dapi', 32, hex),
  // Code and packages
  prefixed('github', 'ghp_', 36),
  prefixed('github, fine-grained', 'github_pat_', 82),
  prefixed('github app', 'ghs_', 36),
  prefixed('gitlab', 'glpat-', 26),
  prefixed('npm', 'npm_', 36),
  prefixed('pypi', 'pypi-AgEI', 80),
  prefixed('rubygems', 'rubygems_', 48, hex),
  prefixed('docker', 'dckr_pat_', 27),
  prefixed('sonar', 'squ_', 40, hex),
  prefixed('pulumi', 'pul-', 40, hex),
  prefixed('postman', 'PMAK-3f9b1c7d5a2e8046b1d7c93f-', 34, hex),
  // Keepers of secrets
  prefixed('vault', 'hvs.', 90),
  prefixed('doppler', 'dp.pt.', 43),
  // Money
  prefixed('stripe', 'sk_live_', 24),
  prefixed('stripe webhook', 'whsec_', 32),
  prefixed('shopify', 'shpat_', 32, hex),
  prefixed('square', 'sq0atp-', 22),
  // Messages and mail
  prefixed('slack', 'xoxb-2401234567-', 40),
  prefixed('slack app', 'xapp-1-A0B1-', 64, hex),
  { name: 'discord', make: (mark) => `MTIzNDU2Nzg5MDEyMzQ1Njc4.GhIjKl.${mixed(mark, 38)}` },
  { name: 'telegram', make: (mark) => `123456789:AA${mixed(mark, 33)}` },
  prefixed('twilio', 'SK', 32, hex),
  { name: 'sendgrid', make: (mark) => `SG.${mixed(mark, 22)}.${mixed(mark, 43)}` },
  prefixed('mailgun', 'key-', 32, hex),
  within('slack webhook', 'https://hooks.slack.com/services/T0A1B2C3D/B0A1B2C3D/', 24),
  // Watching and work
  prefixed('sentry', 'sntryu_', 64, hex),
  prefixed('grafana', 'glsa_', 41),
  prefixed('linear', 'lin_api_', 40),
  prefixed('notion', 'ntn_', 46),
  prefixed('figma', 'figd_', 40),
  // By form
  { name: 'jwt', make: (mark) => `eyJhbGciOiJIUzI1NiJ9.${mixed(mark, 60)}.${mixed(mark, 43)}` },
  {
    name: 'private key',
    make: (mark) =>
      `-----BEGIN RSA PRIVATE KEY-----\n${mixed(mark, 64)}\n${mixed(mark, 64)}\n-----END RSA PRIVATE KEY-----`,
  },
  within('postgres', 'postgresql://admin:p@ss', 20, '@db.internal:5432/app'),
  within('redis', 'redis://:', 20, '@cache.internal:6379/0'),
  within('basic auth in a URL', 'https://ada:', 20, '@git.internal/x.git'),
  within('bearer', 'Authorization: Bearer ', 40),
  within('password', 'password=', 16),
  within('aws secret', 'AWS_SECRET_ACCESS_KEY="', 40, '"'),
  within('cookie', 'Cookie: session_token=', 32),
  within('sas', 'https://x.blob.core.windows.net/c?sv=1&sig=', 43, '%3D'),
  // Our own
  prefixed('token of an agent', 'hft_', 43),
  prefixed('token of a Being', 'bto_', 43),
];
