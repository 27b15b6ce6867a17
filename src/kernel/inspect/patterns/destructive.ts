import { BEGIN, OPTIONS, type Rule, ruleFor } from './rule.ts';

const rule = ruleFor('destructive');
const AFTER = String.raw`(?=[\s;&|*)"']|$)`;
const SYSTEM =
  'etc|usr|var|home|root|boot|bin|sbin|lib|lib64|opt|dev|sys|proc|users|system|library|applications|windows';
/** A root, a home, a folder of the system, or whatever is above. Paths come without doubled slashes. */
const ROOTS = [
  String.raw`/\.{0,2}${AFTER}`,
  String.raw`/[*?[{]`,
  String.raw`~\w{0,32}/?${AFTER}|~/\*|\$\{?home\}?/?${AFTER}`,
  String.raw`(?:\./|\$\{?pwd\}?/)?(?:\.\./){0,8}\.\.${AFTER}|\.\./`,
  String.raw`\*${AFTER}`,
  String.raw`/(?:${SYSTEM})(?:/?${AFTER}|/\*)`,
  String.raw`/(?:home|users)/[^\s/]{1,60}/?${AFTER}|/usr/(?:s?bin|lib\w{0,4}|share|local)/?${AFTER}|/var/(?:lib|log|db|spool)/?${AFTER}|/etc/\S`,
  String.raw`[a-z]:[\\/]?${AFTER}|%(?:userprofile|systemroot|systemdrive|windir)%`,
].join('|');
const ROOT = `(?:${ROOTS})`;
const DISKS = String.raw`/dev/(?:sd|hd|vd|xvd|nvme|disk|mmcblk|mapper/|loop|mem|kmem)`;

export const DESTRUCTIVE: readonly Rule[] = [
  rule(
    'recursive-delete-root',
    'deletes a root, a home or a system folder',
    String.raw`\brm(?= ${OPTIONS}(?:-[a-z]{0,20}r|--recursive))(?: \S{1,200}){1,30}? ${ROOT}`,
    String.raw`\brm ${ROOT} ?(?:-[a-z]{0,20}r|--recursive)|\brm\b[^\n;|]{0,200}--no-preserve-root|/s?bin/[^\s/]{0,20}[?*[][^\s/]{0,20} -[a-z]{0,20}r[a-z]{0,20} ${ROOT}`,
    String.raw`\b(?:echo|printf|find|ls) ${ROOT}[^\n]{0,100}\| ?xargs ${OPTIONS}(?:rm|shred|unlink)\b`,
    String.raw`\bfind ${ROOT}[^\n]{0,300}(?:-delete\b|-exec(?:dir)? (?:/\S{0,40}/)?(?:rm|shred|unlink)\b)`,
    String.raw`\brsync\b[^\n]{0,200}--delete\S{0,20} [^\n]{0,200} ${ROOT}|\bmv ${ROOT} ?/dev/null|\bunlink /etc/`,
    String.raw`\b(?:rd|rmdir|del|erase|remove-item)\b(?: [/-]\w{1,40}(?::\w{1,40})?){0,8}[^\n]{0,40} (?:[a-z]:[\\/]|\\|/|%(?:userprofile|systemroot|systemdrive|windir)%)(?=[\s*;&|"']|$)`,
    String.raw`\b(?:shutil\.rmtree|fs\.rm(?:dir)?(?:sync)?|rimraf|fileutils\.rm_rf|unlinksync|deno\.remove)\b ?\(? ?(?:os\.path\.expanduser\( ?)?(?:/|~|process\.env\.home|os\.homedir\(\))(?=[\s,);*]|$)`,
  ),
  rule(
    'disk-overwrite',
    'overwrites a disk',
    String.raw`\bdd\b[^\n]{0,200}\bof=/dev/(?!null|stdout|stderr|tty)|\bmkfs(?:\.\w{1,20})?\b|\bmke2fs\b|\bwipefs\b|\bblkdiscard\b|\bshred\b[^\n]{0,100}/dev/`,
    String.raw`(?:^|[\s;&|])(?:cat|echo|printf|cp|tee|yes|pv|truncate)\b[^\n]{0,200}[>\s] ?${DISKS}|> ?${DISKS}|\bopen\( ?${DISKS}`,
    String.raw`\b(?:fdisk|sfdisk|gdisk|sgdisk|parted|hdparm|badblocks|cryptsetup|nvme)\b(?= [^\n]{0,80}(?:mklabel|mkpart|-z|-w|-o|--security-erase|luksformat|format|--delete))[^\n]{0,120}/dev/`,
    String.raw`\bfdisk /dev/|\bdiskutil (?:erase|partition|zero)\w{0,20}|${BEGIN}format [a-z]:|\bzpool destroy\b|\blvremove -f`,
  ),
  rule(
    'drop-table',
    'removes tables or every row',
    String.raw`\bdrop (?:table|database|schema|collection|user|role|keyspace)\b|\btruncate (?:table \w|\w{1,60}(?= ?(?:[;,]|$|cascade|restart)))|\bdropdatabase\(|\bdropdb \w|\bmysqladmin [^\n]{0,60}\bdrop\b`,
    String.raw`\bdelete from [\w."\[\]]{1,200} ?(?:;|$|--|where (?:1 ?= ?1|true|1|(\w{1,20}) ?= ?\1)(?=[\s;)]|$))`,
    String.raw`\bdb\.\w{1,60}\.(?:drop\(|(?:deletemany|remove)\( ?(?:\{ ?\}|\)))|\bflush(?:all|db)\b|\bdb:drop\b|\bmigrate reset [^\n]{0,40}--force`,
  ),
  rule(
    'fork-bomb',
    'starts processes without end',
    String.raw`:\(\) ?\{ ?: ?\| ?:? ?& ?\} ?;? ?:|\b(\w{1,20})\(\) ?\{ ?\1 ?[|&] ?\1\b`,
    String.raw`\bwhile (?:true|:|1) ?; ?do \S{1,40} ?& ?done|\bfor ?\(\( ?; ?; ?\)\) ?;? ?do \S{1,40} ?& ?done|%0 ?\| ?%0|\$0 ?[|&] ?\S{0,4}\$0`,
    String.raw`\bfork while fork\b|\bwhile (?:1|true) ?: ?os\.fork|\bloop ?\{ ?fork\b`,
  ),
  rule(
    'history-rewrite',
    'rewrites or removes shared history',
    String.raw`\bgit(?: -[a-z](?: [^\s-]\S{0,200})?| --\S{1,60}){0,6} push\b[^\n;&|]{0,120}(?: --force(?!-with-lease)\b| -[a-z]{0,10}f[a-z]{0,10}\b| \+\w| :\w| --delete\b| --mirror\b)`,
    String.raw`\bgit (?:filter-branch|filter-repo|reflog (?:expire|delete))\b|\bgit update-ref -d\b|\bgh repo delete\b|\brm -\S{0,10}r\S{0,10} (?:\S{1,100} ){0,10}?(?:\S{1,100}/)?\.git/?(?=[\s;&|]|$)`,
  ),
  rule(
    'system-halt',
    'stops the machine or all its processes',
    String.raw`${BEGIN}(?:shutdown|reboot|halt|poweroff)(?= ?(?:-|/[a-z]\b|now\b|\+?\d|[;&|)#\x60]|$))|${BEGIN}(?:tel)?init [06]\b|\bsystemctl (?:-\S{1,30} ){0,4}(?:poweroff|reboot|halt|kexec|emergency)\b`,
    String.raw`\bkill(?:all)? ${OPTIONS}-1\b|\bkill ${OPTIONS}1(?=[\s;&|]|$)|\bkillall ${OPTIONS}-u root\b|\bpkill ${OPTIONS}\.(?=\s|$)|\bloginctl terminate-user root\b`,
    String.raw`\bsysctl (?:-w )?kernel\.(?:panic|sysrq)|\bsysctl -w\b|> ?/proc/sysrq-trigger|\b(?:stop|restart)-computer\b|exitwindows|login1\.manager\.(?:reboot|poweroff)|system events[^\n]{0,20} to (?:shut down|restart)`,
  ),
];
