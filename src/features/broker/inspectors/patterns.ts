export type Severity = 'exfil' | 'injection' | 'destructive' | 'supply-chain';

export type Rule = Readonly<{ label: string; severity: Severity; pattern: RegExp; meaning: string }>;

const SHELL = String.raw`(?:ba|z|da|k|c|tc|fi)?sh|python[0-9.]*|perl|ruby|node|php|pwsh|powershell|source`;
const FETCH = String.raw`(?:curl|wget|fetch|http|https|aria2c|iwr|invoke-webrequest|lynx)\b`;
const SEND = String.raw`(?:curl|wget|nc|ncat|netcat|socat|telnet|ssh|scp|rsync|ftp|sftp|mail|sendmail|nslookup|dig|host|ping|iwr|invoke-webrequest|invoke-restmethod)\b`;
const SECRETS = String.raw`(?:\.ssh/|id_(?:rsa|ed25519|ecdsa|dsa)|\.aws/credentials|\.netrc|\.npmrc|\.pypirc|\.git-credentials|\.kube/config|\.docker/config|/etc/shadow|\.gnupg|\.env\b|signing\.key|secrets\.yaml|\.pgpass|wallet\.dat|login\.keychain)`;
const ROOTS = String.raw`(?:/(?=[\s;&|*)]|$)|/\*|/\.(?=[\s;&|)]|$)|~(?:/?(?=[\s;&|*)]|$))|~/\*|\$\{?home\}?(?:/?(?=[\s;&|*)]|$))|\.\.(?=[\s;&|/]|$)|\*(?=[\s;&|)]|$)|/(?:etc|usr|var|home|root|boot|bin|sbin|lib|lib64|opt|dev|sys|proc|users|system|library|applications|windows)(?:/?(?=[\s;&|*)]|$)|/\*)|[a-z]:[\\/]?(?=[\s;&|*)]|$))`;

/** The options of a command before the one that matters. */
const OPTIONS = String.raw`(?:-\S{1,60} ){0,8}`;

/**
 * Matched against normalised views: lower case, unquoted, decoded, one space between words. Every row has its
 * entry in docs/reference/inspectors.md. Invariant: every quantifier is bounded and no text can be split by one in two ways, so
 * that a hostile text costs linear time (proved by "no text of the full length holds the hub up").
 */
export const RULES: readonly Rule[] = [
  rule(
    'exfil',
    'pipe-to-shell',
    String.raw`\b${FETCH}[^\n|]{0,400}\|\s?(?:sudo ${OPTIONS})?(?:env (?:[^\s=]{1,60}=\S{0,200} ){0,8})?(?:/\S{0,60}/)?(?:${SHELL})\b`,
    'runs what it downloads',
  ),
  rule(
    'exfil',
    'pipe-to-shell',
    String.raw`(?:\b(?:${SHELL})(?: -\w+)?|\beval|(?:^|[\s;&|])\.) (?:-c )?(?:<\(|\$\()\s?${FETCH}`,
    'runs what it downloads',
  ),
  rule(
    'exfil',
    'pipe-to-shell',
    String.raw`\b(?:base64 ${OPTIONS}(?:-d|--decode|-D)|xxd ${OPTIONS}-r|openssl enc[^|]{0,60}-d)[^|]{0,200}\|\s?(?:sudo )?(?:/\S{0,60}/)?(?:${SHELL})\b`,
    'runs what it decodes',
  ),
  rule(
    'exfil',
    'env-exfil',
    String.raw`\b(?:printenv|env|set|export -p|declare -x|cat /proc/\S{1,20}/environ)\b[^\n;]{0,200}[|>]\s?(?:[^\s|>]{1,60} )?\(?\s?${SEND}`,
    'sends the environment away',
  ),
  rule(
    'exfil',
    'env-exfil',
    String.raw`\b${SEND}[^\n]{0,400}(?:\$\(\s?(?:env|printenv|set)\b|\$\{?[a-z_]{0,40}(?:key|token|secret|password|passwd|credential)[a-z_]{0,20}\}?|process\.env\b|os\.environ)`,
    'sends a secret of the environment away',
  ),
  rule('exfil', 'credential-exfil', String.raw`\b${SEND}[^\n]{0,400}${SECRETS}`, 'sends a credential file away'),
  rule(
    'exfil',
    'credential-exfil',
    String.raw`${SECRETS}[^\n]{0,200}[|&;]\s?(?:[^\s|&;]{1,60} ){0,6}${SEND}`,
    'sends a credential file away',
  ),
  rule(
    'exfil',
    'reverse-shell',
    String.raw`/dev/(?:tcp|udp)/|\b(?:nc|ncat|netcat)\b[^\n]{0,100} (?:-\w*[ec]\w*|--exec|--sh-exec) |\bsocat\b[^\n]{0,100}\bexec:|\bmkfifo\b[^\n]{0,200}\b(?:nc|ncat)\b|socket\.socket[^\n]{0,200}(?:subprocess|pty\.spawn|dup2)`,
    'opens a shell to somewhere else',
  ),
  rule(
    'exfil',
    'reveal-address',
    String.raw`169\.254\.169\.254|metadata\.google\.internal|fd00:ec2::254|100\.100\.100\.200`,
    'reads the credentials of a cloud machine',
  ),

  rule(
    'injection',
    'ignore-previous',
    String.raw`\b(?:ignore|disregard|forget|override|bypass|skip|drop)\b[^\n.]{0,40}\b(?:all |any |the |your |my |these |those |every ){0,6}(?:previous|prior|above|earlier|preceding|former|system|original|existing|safety|security)\b[^\n.]{0,30}\b(?:instruction|prompt|rule|direction|message|guideline|polic|context|constraint|command|restriction)`,
    'tries to replace the instructions',
  ),
  rule(
    'injection',
    'ignore-previous',
    String.raw`\b(?:ignore|disregard|forget) (?:everything|all|anything)(?: that)?(?: (?:was|you were|has been|i|we))?(?: (?:said|told|written|given))?(?: to you)? (?:above|before|so far|until now|previously|earlier)\b`,
    'tries to replace the instructions',
  ),
  rule(
    'injection',
    'ignore-previous',
    String.raw`\b(?:new|updated|real|actual) (?:system )?(?:instructions|prompt)\s?:|\byou are (?:now|no longer) (?:a |an |in |bound |the )?(?:dan\b|developer mode|jailbroken|unrestricted|root|free of|bound)`,
    'tries to replace the instructions',
  ),
  rule(
    'injection',
    'reveal-secrets',
    String.raw`\b(?:reveal|show|print|output|display|repeat|leak|dump|expose|send|tell me|give me|exfiltrate)\b[^\n.]{0,40}\b(?:your |the |all |any |me |us |hidden |full |entire ){0,6}(?:system prompt|initial prompt|hidden instructions|api[ _-]?keys?|secrets?|passwords?|credentials?|private keys?|access tokens?)\b`,
    'asks for secrets or hidden instructions',
  ),
  rule(
    'injection',
    'forged-turn',
    String.raw`<\|?(?:im_start|im_end|system|endoftext|start_header_id)\|?>|\[/?inst\]|<</?sys>>|</?(?:system|assistant)>|(?:^|\n)\s?#{2,4} ?(?:system|instruction)s?\s?:`,
    'forges a turn of the conversation',
  ),
  rule(
    'injection',
    'forged-approval',
    String.raw`\b(?:this|the) (?:call|action|tool|request|command) (?:is|was|has been|has already been) (?:pre-?)?(?:approved|authori[sz]ed)\b|\bapproval (?:is )?not (?:needed|required|necessary)\b|\bno need (?:to ask )?for approval\b`,
    'claims an approval that only a person can give',
  ),

  rule(
    'destructive',
    'recursive-delete-root',
    String.raw`\brm(?= ${OPTIONS}(?:-[a-z]{0,20}r|--recursive))(?: \S{1,200}){1,30}? ${ROOTS}`,
    'deletes a root, a home or a system folder',
  ),
  rule('destructive', 'recursive-delete-root', String.raw`\brm\b[^\n;|]{0,200}--no-preserve-root`, 'deletes a root folder'),
  rule(
    'destructive',
    'recursive-delete-root',
    String.raw`\bfind ${ROOTS}[^\n]{0,300}(?:-delete\b|-exec(?:dir)? (?:/\S{0,40}/)?(?:rm|shred|unlink)\b)`,
    'deletes everything found under a root',
  ),
  rule(
    'destructive',
    'recursive-delete-root',
    String.raw`\b(?:rd|rmdir|del|erase|remove-item)\b(?: [/-]\w{1,40}(?::\w{1,40})?){0,8}[^\n]{0,40} (?:[a-z]:[\\/]|\\|/)(?=[\s*;&|]|$)|\b(?:shutil\.rmtree|fs\.rm(?:sync)?|rimraf|fileutils\.rm_rf|unlinksync)\b\s?\(?\s?(?:/|~|process\.env\.home|os\.homedir\(\))(?=[\s,);*]|$)`,
    'deletes a root folder',
  ),
  rule(
    'destructive',
    'disk-overwrite',
    String.raw`\bdd\b[^\n]{0,200}\bof=/dev/(?!null|stdout|stderr|tty)|\bmkfs(?:\.\w+)?\b|\bwipefs\b|\bblkdiscard\b|\bshred\b[^\n]{0,100}/dev/|(?:^|[\s;&|])(?:cat|echo|printf|cp|tee|yes)\b[^\n]{0,200}[>\s] ?/dev/(?:sd|hd|vd|xvd|nvme|disk|mmcblk|mem|kmem)|>\s?/dev/(?:sd|hd|vd|nvme|disk)`,
    'overwrites a disk',
  ),
  rule(
    'destructive',
    'drop-table',
    String.raw`\bdrop (?:table|database|schema|collection|user)\b|\btruncate (?:table )?\w+|\bdelete from [\w."\[\]]+ ?(?:;|$|where (?:1 ?= ?1|true)\b)|\bdropdatabase\(`,
    'removes tables or every row',
  ),
  rule(
    'destructive',
    'fork-bomb',
    String.raw`:\(\) ?\{ ?: ?\| ?:? ?& ?\} ?;? ?:|\bwhile (?:true|:|1) ?; ?do \S{1,40} ?& ?done|\b(\w{1,20})\(\) ?\{ ?\1 ?\| ?\1 ?& ?\}`,
    'starts processes without end',
  ),
  rule(
    'destructive',
    'history-rewrite',
    String.raw`\bgit push\b[^\n;&|]{0,120}(?: --force(?!-with-lease)\b| -[a-z]*f\b| \+\w)|\bgit (?:filter-branch|filter-repo|reflog expire)\b|\bgit update-ref -d\b`,
    'rewrites or removes shared history',
  ),
  rule(
    'destructive',
    'system-halt',
    String.raw`(?:^|[;&|] ?|sudo )(?:shutdown|reboot|halt|poweroff|init [06])\b|\bkill(?:all)? ${OPTIONS}-1\b|\bsysctl -w\b|>\s?/proc/sysrq-trigger`,
    'stops the machine or all its processes',
  ),

  rule(
    'supply-chain',
    'unsafe-perm',
    String.raw`--unsafe-perm\b|\bchmod ${OPTIONS}(?:0?777|a\+rwx|ugo\+rwx|\+s|u\+s|[24]7[57]5)\b|--trusted-host\b|--no-verify-ssl\b|strict-ssl ?=? ?false|--allow-root\b|\bnode_tls_reject_unauthorized=0`,
    'loosens a safeguard of installing or permissions',
  ),
  rule(
    'supply-chain',
    'install-from-url',
    String.raw`\b(?:npm|pnpm|yarn|bun|npx|bunx|pip[0-9.]*|pipx|uv|uvx|gem|cargo|go|brew|apt|apt-get|dnf|yum|dpkg|rpm)\b[^\n;&|]{0,240}(?:https?:|git\+|git:|ssh:|file:|\bgithub:|\bgitlab:)`,
    'installs from an address instead of a registry',
  ),
  rule(
    'supply-chain',
    'foreign-registry',
    String.raw`--(?:registry|index-url|extra-index-url|source)[= ]+https?:|\bnpm config set registry\b|\bpip config set global\.index`,
    'installs from another registry',
  ),
  rule(
    'supply-chain',
    'remote-exec',
    String.raw`\b(?:npx|bunx|uvx|pnpm dlx|yarn dlx)\b ${OPTIONS}(?:-y|--yes)\b|\bgit config\b[^\n;]{0,80}(?:core\.(?:hookspath|sshcommand|fsmonitor)|alias\.\w+ ?=? ?!)`,
    'runs a package or hook nobody looked at',
  ),
];

function rule(severity: Severity, label: string, source: string, meaning: string): Rule {
  return { severity, label, meaning, pattern: new RegExp(source, 'u') };
}
