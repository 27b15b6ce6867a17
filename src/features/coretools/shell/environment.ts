import { redact } from '../../../kernel/redact.ts';

const SECRET_NAME = /key|token|secret|passw|passphrase|credential|auth|cookie|session|private|dsn|signing/i;
const OURS = /^(?:HOLDFAST|CLAWBOO|CLAWTOOL)_/;
/** Ways to slip code into every program a shell starts. */
const LOADERS =
  /^(?:LD_PRELOAD|LD_LIBRARY_PATH|LD_AUDIT|DYLD_.*|NODE_OPTIONS|BASH_ENV|ENV|PROMPT_COMMAND|PYTHONSTARTUP|PERL5OPT|RUBYOPT|GIT_SSH_COMMAND|GIT_EXTERNAL_DIFF)$/;

/** What a command may know of the hub's own environment: nothing secret, nothing of ours, nothing that loads code. */
export function scrubEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || SECRET_NAME.test(name) || OURS.test(name) || LOADERS.test(name)) continue;
    if (redact(`${name}=${value}`) !== `${name}=${value}` || redact(value) !== value) continue;
    kept[name] = value;
  }
  return { ...kept, TERM: 'dumb', PAGER: 'cat', GIT_PAGER: 'cat', GIT_TERMINAL_PROMPT: '0' };
}
