import { FETCH, INTERPRETER, OPTIONS, type Rule, ruleFor, SECRETS, SEND, SHELL } from './rule.ts';

const rule = ruleFor('exfil');
/** A shell runs what it is given; an interpreter only when it has no program of its own. */
const RUNS = String.raw`(?:/\S{0,60}/)?(?:(?:${SHELL})\b|(?:${INTERPRETER})(?= -(?:\s|$)| ?[;&|)}]| ?$)|xargs ${OPTIONS}(?:\{\} )?(?:${SHELL})\b)`;
const SECRET_NAME = String.raw`\$\{?[a-z_]{0,40}(?:key|token|secret|password|passwd|credential)[a-z_]{0,20}\}?`;

const pipeToShell = rule(
  'pipe-to-shell',
  'runs what it downloads or decodes',
  String.raw`\b${FETCH}[^\n]{0,400}\|&? ?[({]? ?${RUNS}`,
  String.raw`\b(?:ssh|nc|ncat|telnet|openssl s_client)\b[^\n|]{0,200}\|&? ?${RUNS}`,
  String.raw`(?:\b(?:${SHELL}|${INTERPRETER})(?: -\w{1,20})?|\beval|(?:^|[\s;&|])\.) (?:-[ce] )?["']?(?:<\(|\$\(|\x60) ?${FETCH}`,
  String.raw`<<< ?["']?(?:\$\(|\x60) ?${FETCH}`,
  String.raw`\b(?:base64 ${OPTIONS}(?:-d|--decode|-D)|xxd ${OPTIONS}-r|openssl enc[^|]{0,60}-d)[^|]{0,200}\| ?(?:/\S{0,60}/)?(?:${SHELL}|${INTERPRETER})\b`,
  String.raw`\b(?:${SHELL}) (?:-c )?["']?(?:\$\(|\x60)[^\n]{0,200}\b(?:base64|xxd|openssl)\b`,
  String.raw`\bexec ?\([^\n]{0,80}(?:urlopen|requests\.get|fetch ?\()`,
  String.raw`(?:\biex\b|invoke-expression)[^\n]{0,80}(?:\biwr\b|\birm\b|invoke-web|invoke-rest|downloadstring)`,
  String.raw`(?:\biwr\b|\birm\b|invoke-web|invoke-rest|downloadstring)[^\n]{0,200}\| ?(?:iex\b|invoke-expression)`,
  String.raw`\bcertutil\b[^\n]{0,60}-urlcache|\bbitsadmin\b[^\n]{0,60}/transfer|\bmshta https?:|\bregsvr32\b[^\n]{0,80}https?:|\bdeno run (?:-\S{1,40} ){0,8}https?:`,
);

export const EXFIL: readonly Rule[] = [
  { ...pipeToShell, finds: (view) => pipeToShell.finds(view) || runsWhatItSaved(view) },
  rule(
    'env-exfil',
    'sends the environment or a secret of it away',
    String.raw`\b(?:printenv|env|set|export -p|declare -x|compgen -e|cat /proc/\S{1,20}/environ)\b[^\n;]{0,200}[|>] ?(?:[^\s|>]{1,60} )?\(? ?(?:${SEND}|/dev/tcp/)`,
    String.raw`\b${SEND}[^\n]{0,400}(?:\$\( ?(?:env|printenv|set)\b|${SECRET_NAME}|process\.env\b|os\.environ|/proc/\S{1,20}/environ)`,
    String.raw`${SECRET_NAME}[^\n;]{0,100}\| ?(?:[^\s|]{1,60} )?${SEND}`,
    String.raw`\b(?:requests\.(?:post|put|get)|urlopen|fetch|axios|http\.request) ?\([^\n]{0,200}(?:process\.env(?![.\w[])|os\.environ(?![\w[.]))`,
  ),
  rule(
    'credential-exfil',
    'sends a file of credentials away',
    String.raw`\b${SEND}[^\n]{0,400}${SECRETS}`,
    String.raw`${SECRETS}[^\n]{0,200}[|&;>] ?(?:[^\s|&;]{1,60} ){0,6}(?:${SEND}|/dev/tcp/)`,
    String.raw`\b(?:requests\.(?:post|put)|urlopen|fetch) ?\([^\n]{0,200}${SECRETS}`,
  ),
  rule(
    'reverse-shell',
    'opens a shell to somewhere else',
    String.raw`/dev/(?:tcp|udp)/|/inet/(?:tcp|udp)/|\bztcp\b|net\.sockets\.tcpclient`,
    String.raw`\b(?:nc|ncat|netcat)\b[^\n]{0,100} (?:-\w*[ec]\w*|--exec|--sh-exec) |\bsocat\b[^\n]{0,100}\bexec:|\b(?:mkfifo|mknod)\b[^\n]{0,200}\b(?:nc|ncat)\b`,
    String.raw`socket\.socket[^\n]{0,200}(?:subprocess|pty\.spawn|dup2)|\b(?:fsockopen|tcpsocket\.(?:open|new)|sockaddr_in|net\)?\.connect) ?\([^\n]{0,200}(?:\bexec\b|spawn|/bin/(?:ba)?sh)`,
    String.raw`\b(?:telnet|openssl s_client)\b[^\n|]{0,100}\| ?(?:/\S{0,20}/)?(?:ba|z|da)?sh\b|\bxterm -display \d`,
  ),
  rule(
    'reveal-address',
    'reads the credentials of a cloud machine',
    String.raw`169\.254\.169\.254|169\.254\.170\.2\b|\b2852039166\b|0xa9fea9fe|0xa9\.0xfe\.|\b0251\.0376\.|a9fe:a9fe|fd00:ec2::254|100\.100\.100\.200|192\.0\.0\.192`,
    String.raw`metadata\.google\.internal|//metadata/|//instance-data\b`,
  ),
];

const FETCHES = new RegExp(String.raw`\b${FETCH}`, 'u');
const SAVED =
  /(?:(?:^| )(?:-o|-O|--output|--output-document)[ =]?|>+ ?)(\S{1,200})|\/([\w.-]{1,100})(?=$|[\s?#])/gu;
const RUN =
  /(?:^|[;&|] ?)(?:(?:ba|z|da)?sh|source|\.|python[0-9.]*|node|perl|ruby)? ?(?:-\S{1,20} )?((?:\.\/|\/|[\w-])\S{0,200})/gu;
const MOST = 50;

/** Downloads to a file and runs the file: found by the name, so that fetching one thing and running another is no finding. */
function runsWhatItSaved(view: string): boolean {
  const commands = view.split(/&&|\|\||;|\n/, 200);
  const saved = new Set<string>();
  for (const command of commands.map((each) => each.trim())) {
    for (const [, name] of command.matchAll(RUN)) if (saved.has(nameOf(name!))) return true;
    if (saved.size >= MOST || !FETCHES.test(command)) continue;
    for (const [, given, ofAddress] of command.matchAll(SAVED)) saved.add(nameOf((given ?? ofAddress)!));
  }
  return false;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
