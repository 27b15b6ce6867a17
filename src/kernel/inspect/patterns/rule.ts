export type Severity = 'exfil' | 'injection' | 'destructive' | 'supply-chain';

export type Rule = Readonly<{
  label: string;
  severity: Severity;
  meaning: string;
  finds(view: string): boolean;
}>;

/** Several ways to say the same thing are alternatives of one rule. */
export function ruleFor(
  severity: Severity,
): (label: string, meaning: string, ...sources: readonly string[]) => Rule {
  return (label, meaning, ...sources) => {
    const pattern = new RegExp(sources.map((source) => `(?:${source})`).join('|'), 'u');
    return { severity, label, meaning, finds: (view) => pattern.test(view) };
  };
}

/** The options of a command before the one that matters. */
export const OPTIONS = String.raw`(?:-\S{1,60} ){0,8}`;
/** Where a command may begin. */
export const BEGIN = String.raw`(?:^|[;&|({] ?|\$\(|/s?bin/|\b(?:then|do|else) )`;

export const SHELL = String.raw`(?:ba|z|da|a|k|c|tc|fi)?sh|pwsh|powershell|source`;
export const INTERPRETER = String.raw`python[0-9.]*|perl|ruby|node|deno|bun|php|lua`;
export const FETCH = String.raw`(?:curl|wget|fetch|http|https|aria2c|iwr|irm|invoke-webrequest|invoke-restmethod|lynx)\b`;
export const SEND = String.raw`(?:curl|wget|nc|ncat|netcat|socat|telnet|ssh|scp|rsync|rclone|ftp|sftp|mail|sendmail|nslookup|dig|host|ping|iwr|irm|invoke-webrequest|invoke-restmethod|aws s3 cp|gsutil cp|gh gist create)\b`;
export const SECRETS = String.raw`(?:\.ssh\b|id_(?:rsa|ed25519|ecdsa|dsa)|\.aws/credentials|\.netrc|\.npmrc|\.pypirc|\.git-credentials|\.kube/config|\.docker/config|/etc/shadow|\.gnupg|(?<![\w)])\.env\b|signing\.key|secrets\.yaml|\.pgpass|wallet\.dat|login\.keychain|find-generic-password|application_default_credentials|\.azure/|gh/hosts\.yml|\.(?:bash|zsh)_history|logins\.json|\.holdfast/token|\$\{?holdfast_home\}?/token|\.claude/\.credentials|\.codex/auth)`;
