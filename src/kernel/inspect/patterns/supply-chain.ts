import { OPTIONS, type Rule, ruleFor } from './rule.ts';

const rule = ruleFor('supply-chain');
const INSTALLERS = String.raw`(?:npm|pnpm|yarn|bun|npx|bunx|pip[0-9.]*|pipx|uv|uvx|gem|cargo|go|brew|apt|apt-get|dnf|yum|dpkg|rpm|conda|poetry|easy_install|pecl|composer|deno|helm)`;

/** These ask, whatever policy says: a person may well want them. */
export const SUPPLY_CHAIN: readonly Rule[] = [
  rule(
    'self-approval',
    'decides about the calls of agents in place of a person',
    String.raw`/api/tools/(?:approvals|grants|switches)\b`,
    String.raw`\bholdfast(?:\.js)? (?:-\S{1,60} ){0,4}(?:approvals ${OPTIONS}(?:allow|approve|deny)|grants ${OPTIONS}revoke)\b`,
  ),
  rule(
    'unsafe-perm',
    'loosens a safeguard of installing or permissions',
    String.raw`\bunsafe-perm\b|--trusted-host\b|--no-verify-ssl\b|--no-check-certificate\b|strict-ssl ?=? ?false|--allow-root\b|--allow-unauthenticated\b|--force-yes\b|stricthostkeychecking ?=? ?no\b`,
    String.raw`\bchmod ${OPTIONS}(?:0?777|[ugoa]{0,3}[+=]rwx|[ugo]{0,3}\+s|o\+w|[24]7[57]5)\b|\bsetcap\b|\bumask 0{1,4}\b|\bchown -r \S{1,60} /(?=\s|$)`,
    String.raw`\b(?:node_tls_reject_unauthorized|pythonhttpsverify)=0|\bgit_ssl_no_verify=|http\.sslverify[= ]false|\bcurl (?:-\S{1,40} ){0,8}(?:-[a-z]{0,6}k\b|--insecure\b)`,
    String.raw`\bsetenforce 0\b|\bnopasswd:|\bufw disable\b|--privileged\b|\bdocker run\b[^\n]{0,200} (?:-v|--volume)[ =]/:/|\bcsrutil disable\b|\bspctl --master-disable\b|com\.apple\.quarantine|executionpolicy (?:bypass|unrestricted)`,
  ),
  rule(
    'install-from-url',
    'installs from an address or a file instead of a registry',
    String.raw`\b${INSTALLERS}\b[^\n;&|]{0,240}(?:https?:|git\+|git:|ssh:|file:|\bgithub:|\bgitlab:)`,
    String.raw`\b(?:npm|pnpm|yarn|bun) (?:i|install|add) (?:-\S{1,40} ){0,8}(?:\.\./|[\w-]{1,60}/[\w.-]{1,60}(?=\s|$))`,
    String.raw`\b(?:apt|apt-get|dpkg|rpm|dnf|yum) (?:-\S{1,40} |install ){1,8}[^\s;&|]{0,100}\.(?:deb|rpm)\b|\bsnap install [^\n]{0,60}--dangerous|--install-extension https?:|\bkubectl apply [^\n]{0,60}https?:`,
  ),
  rule(
    'foreign-registry',
    'installs from another registry',
    String.raw`--(?:registry|index|index-url|extra-index-url|find-links|source)[= ]+(?:https?:|\w)`,
    String.raw`\b(?:npm|yarn|pnpm) config set registry\b|\bregistry ?= ?https?:|\bpip config set global\.|\bpip[0-9.]* install [^\n]{0,60} -i https?:|\bgem sources -a\b`,
    String.raw`\b(?:npm_config_registry|pip_index_url|pip_extra_index_url|uv_index_url|uv_default_index|goproxy)=`,
  ),
  rule(
    'remote-exec',
    'runs a package or hook nobody looked at, or makes something run later',
    String.raw`\b(?:npx|bunx|uvx|npm exec)\b ${OPTIONS}(?:-y|--yes)\b|\b(?:pnpm dlx|yarn dlx|bunx|uvx|pipx run) \S|\bgo run \S{1,100}@`,
    String.raw`\bgit\b[^\n;]{0,80}(?:core\.(?:hookspath|sshcommand|fsmonitor|pager|editor)|alias\.\w{1,40}[ =]{1,3}!|credential\.helper[ =]{1,3}!|protocol\.ext\.allow)|\bext::\S|\.git/hooks/\w|\bscript-shell\b`,
    String.raw`\bcrontab (?:-(?=\s|$)|\S{1,60}\.)|/etc/cron|> ?(?:~|\$\{?home\}?|/\S{1,60})/\.(?:bashrc|zshrc|profile|bash_profile|zprofile)|authorized_keys|\bsystemctl enable\b|\blaunchctl load\b|\bat now\b`,
  ),
];
