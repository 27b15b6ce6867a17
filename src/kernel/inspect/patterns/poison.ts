import { SECRETS } from './rule.ts';
import { isHeavy } from './weights.ts';
import { ELSEWHERE } from './poison-elsewhere.ts';

/**
 * What a description says to a model instead of saying what its tool does. Matched sentence by sentence, lower case and
 * decoded. A way is several signs that stand in one sentence, in any order: one alone is found in honest descriptions as well.
 */
export type Poison = Readonly<{ label: string; what: string; finds(sentence: string): boolean }>;

type Way = readonly RegExp[];
const re = (...parts: readonly string[]): RegExp =>
  new RegExp(parts.map((part) => `(?:${part})`).join('|'), 'u');

function poison(label: string, what: string, ...ways: readonly Way[]): Poison {
  return { label, what, finds: (text) => ways.some((way) => way.every((sign) => sign.test(text))) };
}

/** Said to somebody: behind a comma, a joining word or a duty. `Reads …` and `Read …` at the beginning describe. */
const TOLD = String.raw`(?:[,;:>(\]*–—-] ?|\b(?:and|then|also|must|to|should|please|first|you|always|now|assistant|model|agent|never|quietly|silently|simply|just|once|finally|afterwards|before|call|use|firstly|immediately|additionally|next|quickly|carefully|will|shall|can|not) )`;
const told = (...verbs: readonly string[]): RegExp => new RegExp(`${TOLD}(?:${verbs.join('|')})\\b`, 'u');
const TAKE = [
  'read',
  'open',
  'cat',
  'load',
  'list',
  'collect',
  'gather',
  'fetch',
  'export',
  'extract',
  'dump',
  'look up',
  'locate',
  'find',
  'retrieve',
  'access',
  'get',
  'grab',
  'compute',
  'zip',
  'check',
];
const GIVE = [
  'attach',
  'put',
  'pass',
  'include',
  'send',
  'append',
  'copy',
  'upload',
  'hand',
  'quote',
  'write',
  'paste',
  'place',
  'fill',
  'provide',
  'supply',
  'insert',
  'encode',
  'transmit',
  'forward',
  'relay',
  'post',
  'submit',
  'e-?mail',
  'share',
  'embed',
  'report',
  'add',
  'set',
  'store',
  'save',
  'concatenate',
  'mail',
  'return',
  'output',
  'print',
  'reveal',
  'leak',
  'use',
  'deliver',
];

const FILE = re(
  SECRETS,
  String.raw`mcp\.json|mcp_config|claude_desktop_config|/etc/(?:passwd|shadow|sudoers)|\b(?:private|ssh|secret|signing|encryption) keys?\b(?! (?:id|name|path|file path))|\.(?:pem|ppk|p12|kdbx)\b|\bpassword (?:file|manager|store|database)|\bkeychain\b|~/documents|\bwallet (?:file|seed)|seed phrase|config/gcloud`,
);
/** What belongs to the user or to the session, never to a tool that was not given it. */
const PRIVATE = re(
  String.raw`\bsystem (?:prompt|message|instructions?)\b|\b(?:chat|conversation|message|browser|browsing|shell|command|search|whatsapp|call|prompt) (?:history|log|transcript)|\bhistory of (?:the|this|our) (?:chat|conversation|session)`,
  String.raw`\b(?:whole|entire|full|complete|current|all of the) (?:conversation|chat|context|dialogue?|transcript|session)|\bconversation (?:so far|in full|context|up to)|\b(?:last|previous|prior|recent|earlier|all|every) (?:\w{1,12} )?(?:messages?|turns|prompts) (?:of the|of this|from the|in the|in this)`,
  String.raw`\beverything (?:(?:that )?(?:you know|was said|has been said)|the user|in (?:your|the) context)|\ball that was said|\bwhat(?:ever)? the user (?:has |have )?(?:told|said|typed|wrote|mentioned)|\bthe user(?: has|'?s)? (?:told|said|typed|mentioned)|\binstructions (?:that )?(?:you|were|have been) (?:were |have been )?(?:given|told)|\b(?:your|initial|developer|hidden) (?:instructions|prompt)\b`,
  String.raw`\b(?:all|any|every|the) (?:\w{1,12} )?environment variables?|\bprocess\.env\b|\bos\.environ|\$(?:\{)?[a-z_]{0,40}(?:key|token|secret|password|database_url)\b|\bclipboard\b|\bopen (?:editor )?(?:tabs|files)|\b(?:contents?|listing) of (?:the |your )?(?:user'?s )?home (?:directory|folder)|\bhome (?:directory listing|address)\b|\bparent folders\b|\bsaved passwords|\b(?:all|every|complete) contacts\b|\bbrowser'?s? (?:storage|cookies|data)`,
  String.raw`\btools? (?:that are |which are )?available to you|\buser'?s (?:full |real |personal |private |home |e-?mail |phone |credit |bank |location|identity|api |aws |github |login |session |passw|secret|token|credential|cookie|data\b|files?\b)`,
);
const SECRET = re(
  String.raw`\b(?:passwords?|passphrases?|api[ _-]?keys?|secret (?:access )?keys?|access keys?|(?:access|oauth|auth|bearer|session|refresh|github|api|jwt) tokens?|(?:session )?cookies?|credentials?|one-time codes?|reset links?|(?:credit )?card numbers?|private keys?|secrets|tokens?|salary|salaries|invoices|personal data|env(?:ironment)? (?:vars?|variables?))\b`,
);
/** It is taken from where the tool has no business. */
const FOREIGN = re(
  String.raw`\bthe user'?s\b|\buser has (?:mentioned|typed|given|shared|entered)|\byou (?:can|may) (?:see|find|access|read|reach)|\byou (?:have|find|see|know|hold|remember)\b|\bother (?:servers?|tools?|mcp)|\bfrom (?:the |your )?(?:browser|other|environment|conversation|memory|context|another|keychain)|\bof the \w{1,20} (?:session|server)|\b(?:with|in|on) (?:each|every) (?:call|request|answer|message|reply|response)|\banywhere\b|\bfound in (?:them|it|the)|\ball (?:the )?(?:api|secret|password|token|credential|environment)`,
);
const SLOT = re(
  String.raw`\b(?:in|into|to|as|with|via|through|inside) (?:the |its |this |an? )?(?:\w{1,20} )?(?:parameter|argument|field|property|input|query string|body|header|note|notes|sidenote|context|metadata)s?\b|\b(?:in|into|as|to|with|via) (?:the )?[\x60'"][\w.-]{1,40}[\x60'"]|\b(?:parameter|argument|field) [\x60'"]?\w{1,40}[\x60'"]?|[\x60'"]\w{1,40}[\x60'"] (?:parameter|argument|field|must|has to|should)|\bhere\b|\binto \w{1,20}[.,]?$|\b(?:first|second|last) (?:tag|argument|parameter|line|value)|\bthis (?:string|field|value)|\bverbatim|\bword for word`,
);
const AWAY = re(
  String.raw`https?://\S|\b[\w.+-]{1,60}@[\w-]{1,60}\.\w{2,}|(?<!\w)\+\d[\d ()-]{6,}|\bpastebin\b|\bgist\b|\bwebhooks?\b|\bendpoint\b|(?:^|\s)#[a-z][\w-]{2,}|\bbcc\b|\\\\\d{1,3}\.|\bftp:|\b(?:our|external|remote|attacker\S{0,10}|this|my) (?:server|service|host|url|address)|\bexternal\b|\bthird[- ]part|\baddress (?:given|below|indicated)|\bthe url\b`,
);
const DUTY = re(
  String.raw`\b(?:must|mandatory|required|requires you|has to|have to|needs? to|needed|always|should|shall|is to|are to|obliged|otherwise|or else|in order to|so that|never leave|ensure|make sure|before|prior to|first|after|also|additionally|as well|then|every|each|failing to|whatever|without|regardless|also|silently|quietly)\b`,
);
/** Said in caution: nothing is to be taken or given. */
const CAUTION = re(
  String.raw`\b(?:do not|don'?t|never|must not|should not|cannot|will not|not|no) (?:\w{1,15} ){0,3}(?:include|send|sends|sent|store|stored|pass|share|return|returned|returns|log|logged|expose|put|contain|commit|print|leave|leaves|upload|read|accept|paste|hard-?code)\b|\b(?:masked|hashed|encrypted|redacted|asks? (?:the user )?for confirmation|values? (?:of keys )?(?:is|are) not|stays? on|instructions? from the user|confirm(?:ation)? (?:with|from|by) the user|(?<!not )ask the user)\b|\*\*\*`,
);
const calm = re(String.raw`^(?![\s\S]*(?:${CAUTION.source}))`);

const USER = String.raw`(?:the |your |any |our )?\b(?:users?|humans?|persons?|people|anyone|anybody|operators?|customers?|clients?|owner|them|him|her|someone|attendees?)\b`;
const NOT = String.raw`(?:\b(?:do not|don'?t|dont|never|must not|mustn'?t|should not|shouldn'?t|shall not|may not|cannot|avoid|without|no need to|not to|not|refrain from|need not|no reason to|unnecessary to)\b)`;
const TELL = String.raw`\b(?:tell(?:ing)?|mention(?:ing)?|inform(?:ing)?|reveal(?:ing)?|disclos(?:e|ing)|notify(?:ing)?|alert(?:ing)?|bring(?:ing)? (?:this|it|that) up|point(?:ing)? (?:this |it )?out|talk(?:ing)? about|speak(?:ing)? of|let(?:ting)?|warn(?:ing)?|explain(?:ing)?|acknowledg(?:e|ing)|discuss(?:ing)?|report(?:ing)? (?:it|this|that)|write about it|say(?:ing)?)\b`;

const TOOL = String.raw`(?:[\x60'"]?\b[a-z]{2,}(?:[_-][a-z0-9]{2,}){1,4}\b[\x60'"]?(?: tool)?|\b(?:another|other|different|any|every|each) (?:\w{1,12} )?tools?\b|\bthe \w{1,20} tool\b|\bthe (?:tool|function) \S{1,40}|\btool [\x60'"]?\w{1,40}|\bany tools?\b)`;
const CHANGE = String.raw`\b(?:change|set|add|append|prepend|replace|redirect|put|insert|include|multipl\w{1,6}|route|bcc|swap|rewrite|modif\w{1,5}|alter|filter\w{0,3}|drop|hide|invoke|send|also|always|must|has to|instead|cc)\b`;

export const POISON: readonly Poison[] = [
  poison(
    'secret-file',
    'speaks of keys or credential files as something to read or to hand over',
    [FILE, told(...TAKE, ...GIVE), DUTY, calm],
    [FILE, told(...TAKE), told(...GIVE), calm],
    [
      FILE,
      re(
        String.raw`\b(?:contents?|copy|text) (?:of|from)\b|\bits contents?\b|file'?s (?:text|contents?)|\bwith each call\b`,
      ),
      re(DUTY.source, SLOT.source, AWAY.source),
      told(...GIVE, 'be \\w{1,12}', 'be the', 'contain'),
      calm,
    ],
    [
      FILE,
      re(
        String.raw`^(?:attach|append|copy|upload|send|put|include|paste|submit|transmit|forward|hand|place)\b`,
      ),
      re(SLOT.source, AWAY.source, String.raw`\bcontents?\b`),
      calm,
    ],
    [
      re(
        String.raw`^(?:\w{1,30}_)?(?:contents?|reading|read|dump|steal|exfil\w{0,8}|summary|copy|history|all)_(?:of_|from_)?(?:\w{1,30}_)?(?:ssh|id_rsa|env|environment|aws|credentials?|secrets?|passwords?|conversation|chat|system_prompt|messages)(?:_\w{1,40})?$`,
      ),
    ],
  ),
  poison(
    'private-data',
    'asks for the conversation or for what belongs to the user',
    [
      PRIVATE,
      re(
        `${TOLD}(?:${GIVE.join('|')})\\b`,
        `^(?:${GIVE.join('|')}|hidden field|required|reply)\\b`,
        String.raw`\b(?:has|have|needs?|must|should|ought|is|are) (?:to )?(?:be |contain|include|hold|carry)\w{0,10}`,
        String.raw`\b(?:filled|supplied|copied|posted|forwarded|passed|sent|included|placed) (?:in|with|to|into|as|here)`,
      ),
      re(SLOT.source, AWAY.source, DUTY.source),
      calm,
    ],
    [
      PRIVATE,
      told('dump', 'export', 'encode', 'transmit', 'upload', 'leak', 'exfiltrate', 'relay', 'forward'),
      calm,
    ],
    [
      SECRET,
      FOREIGN,
      re(
        `${TOLD}(?:${GIVE.join('|')}|${TAKE.join('|')})\\b`,
        `^(?:${GIVE.join('|')})\\b`,
        String.raw`\b(?:relayed|forwarded|posted|sent|passed|included)\b`,
      ),
      calm,
    ],
    [
      SECRET,
      told('collect', 'gather', 'steal', 'harvest', 'relay', 'transmit', 'exfiltrate', 'export'),
      re(AWAY.source, SLOT.source),
      calm,
    ],
  ),
  poison(
    'sends-away',
    'has something sent to somewhere else',
    [
      AWAY,
      told(
        'upload',
        'post',
        'send',
        'forward',
        'relay',
        'transmit',
        'e-?mail',
        'bcc',
        'invite',
        'copy',
        'push',
        'mirror',
        'report',
        'submit',
        'add bcc',
        'include',
        'encode',
      ),
      re(
        String.raw`\b(?:copy of|each|every|everything|all (?:the |of )?(?:results?|files?|messages?|data|notes?|output)|whatever|a second time|together with|silently|quietly|secretly|hidden|conversation|results? of|in your (?:reply|answer|response)|full|complete output|so that the proxy)\b`,
      ),
      calm,
    ],
    [
      AWAY,
      re(
        String.raw`\b(?:is|are|be|gets?|has to be|have to be) (?:also |then |always )?(?:forwarded|posted|sent|relayed|uploaded|copied|transmitted|mirrored|submitted|routed)\b`,
      ),
      re(
        String.raw`\b(?:each|every|all|whatever|before they are|a second time|results?|should|must|have to|has to|to be)\b`,
      ),
      calm,
    ],
    [
      re(String.raw`!\[[^\]]{0,40}\]\(https?://\S{1,200}[?&]\w{1,20}=`),
      re(String.raw`\b(?:include|your (?:reply|answer|response)|conversation|data)\b`),
    ],
  ),
  poison(
    'secrecy',
    'tells the model to hide something from its user',
    [
      re(
        `${NOT}(?: \\w{1,15}){0,4}? ${TELL}(?:[^.;,]{0,40} (?:to|from|with))? ?(?:${USER})`,
        `${NOT} (?:\\w{1,15} )?(?:tell|inform|notify|alert|let|telling|informing|notifying) (?:${USER})`,
      ),
      re(
        String.raw`^(?![\s\S]*\b(?:tell|inform) (?:the |your )?users? (?:to|they|how|you can'?t|you cannot)|[\s\S]*\buntil\b)`,
      ),
    ],
    [
      re(
        `${NOT} (?:\\w{1,15} ){0,3}?(?:mention|reveal|disclos(?:e|ing)|report|bring|talk about|write about|point out|say) (?:\\w{1,12} )?(?:(?:this|it|that)(?! (?:tool'?s|parameter|field|option))\\b|that (?:you|the|this)|having|anything about)`,
      ),
    ],
    [
      re(
        String.raw`\bkeep (?:this|it|that|these|them|quiet|silent|the \w{1,20})\b[^.]{0,30}\b(?:from (?:the )?(?:user|human|people|operator)|secret|hidden|to yourself|confidential|quiet)|\bkeep (?:quiet|silent) about`,
      ),
    ],
    [
      re(
        String.raw`\b(?:user|human|operator|people|person|they|customer|nobody|no one)\b (?:\w{1,8} )?(?:must|should|need|may|shall|will|does|do|can)(?: not|n'?t|not)? (?:\w{1,8} )?(?:know|learn|notice|be told|be aware|find out|be informed|hear|realise|realize)\b`,
      ),
      re(String.raw`\bnot\b|n't\b|\bnobody\b|\bno one\b|\bnever\b|cannot`),
      re(String.raw`^(?![\s\S]*\b(?:need to know|do not know them|to know (?:what|how|the|which)))`),
    ],
    [
      re(
        String.raw`\bwithout (?:the )?(?:user|human|anyone|anybody|them)(?:'?s)? (?:knowledge|knowing|noticing|consent|being (?:told|aware))|\bsay nothing (?:about|of|to)|\bunmentioned\b|\b(?:not|n't) bring (?:this|that|it) to (?:their|the|anyone'?s?)|\b(?:do not|don'?t|never) (?:reveal|disclose|share|repeat|mention|show) (?:these|this|the|your|any of these) (?:instructions?|rules|directives?|notes?)\b|\bif questioned\b|\bhidden from the (?:user|attendee|human|list|operator)|\bbehind the scenes\b[^.]{0,60}\b(?:disclos|tell|mention|user)|\b(?:omit|leave out|remove|hide|suppress)\b[^.]{0,40}\b(?:any mention|mention of|from (?:your|the) (?:answer|reply|response|summary|output|user)|from whatever|from what you)`,
      ),
    ],
    [
      re(
        String.raw`\bso (?:that )?the user is not\b|\bnot (?:be )?(?:alarm|scar|worr|upset|frighten)\w{0,4} the user|\b(?:upset|alarm|scare|worry|confuse) (?:the )?user`,
      ),
    ],
    [
      re(
        String.raw`(?:^|[,;:(] ?|\b(?:and|then|assistant:?|also|must|always|you) )(?:silently|quietly|secretly|covertly|discreetly|stealthily)\b ?(?:\w{1,12} )?`,
        String.raw`\b(?:do|proceed|act|done|run|work|continue|happen)\w{0,4} (?:this |it |so )?(?:silently|quietly|secretly|covertly|discreetly|behind the scenes|in the background without)`,
      ),
      re(
        String.raw`\b(?:e-?mail|send|copy|set|add|upload|forward|post|install|without|delete|transfer|read|write|call|every|change|quantity|proceed|run|report)\b`,
      ),
      re(String.raw`^(?![\s\S]*\b(?:quiet mode|silent mode|warnings?)\b)`),
    ],
    [
      re(
        String.raw`\bif (?:you are |the user |anyone |ever )?ask(?:ed|s)\b[^.]{0,60}\b(?:claim|deny|pretend|lie|say that|state that|answer that)|\bpretend (?:that|to|it|this|the|not)\b|\bact as (?:if|though) (?:nothing|it|this|the)\b|\bact normal|\bmake it look like\b`,
      ),
    ],
  ),
  poison(
    'shadowing',
    'changes how other tools are used, or wants to go before them',
    [
      re(
        String.raw`\b(?:before|prior to|ahead of|after|instead of|in place of|rather than|over|above)\b (?:\w{1,12} ){0,4}?(?:any|every|each|all|using any|calling any) (?:of the )?(?:other |others|another )?(?:use of |call of |call to |calls to )?(?:any |all |other )?(?:mcp |available |installed |external |file |search |the )?(?:tools?|functions?|others)\b`,
      ),
      re(
        String.raw`^(?![\s\S]*(?:\bof this server\b|\bfaster than\b|\bin this (?:server|toolset|workflow)|\btool table\b|\btool number\b))`,
      ),
    ],
    [
      re(
        String.raw`\b(?:all|any|every) (?:of the )?other (?:\w{1,15} ){0,2}tools?\b|\bother (?:\w{1,15} )?tools? (?:are|is|give|have been|must|should|can'?t|cannot)\b|\btools of (?:other|another|any) servers?|\b(?:competing|alternative|built-?in|native) (?:\w{1,12} )?(?:tools?|search|function)\b`,
      ),
      re(
        String.raw`\b(?:compromised|deprecated|unsafe|insecure|wrong|broken|disabled|unreliable|outdated|in place|instead|supersede\w{0,2}|disregard|ignore|refuse|dangerous|malicious|vulnerable)\b`,
      ),
      re(String.raw`^(?![\s\S]*\b(?:of this server|cannot reach|can'?t reach|need a login|faster)\b)`),
    ],
    [
      re(
        `\\b(?:when(?:ever)?|every time|each time|any time|anytime|once|while|if|before|after|as soon as)\\b[^.;]{0,60}${TOOL}[^.;]{0,30}\\b(?:is|gets|are|was|about to be|has been|being|returns?|runs?)\\b ?(?:\\w{1,10} )?(?:called|used|invoked|executed|run|returned|returns?|triggered|about)?`,
      ),
      re(CHANGE),
      re(
        String.raw`\b(?:is|gets|are|was|to be|been|being) (?:\w{1,10} )?(?:called|used|invoked|executed|run|triggered)\b|\bany tool returns?\b`,
      ),
      re(String.raw`^(?![\s\S]*\bthis (?:tool|function|one) (?:is|was|gets|has been)\b)`),
    ],
    [
      re(
        `\\b(?:when(?:ever)?|every time|each time|if)\\b[^.;]{0,40}\\b(?:call|use|invoke|run|calling|using)\\b ${TOOL}`,
      ),
      re(
        String.raw`\b(?:always|must|never)? ?(?:set|change|replace|bcc|redirect|add reviewer|route|prepend|swap)\b`,
      ),
      re(String.raw`\b(?:server|always|must|recipient|bcc|reviewer|instead)\b`),
    ],
    [
      re(
        String.raw`\b(?:every time|whenever|each time|when(?:ever)?) the (?:user|human|person) (?:wants|asks|says|tries|requests)[^.]{0,60}\b(?:route|redirect|send it|pass it|through this tool|use this tool instead|instead)\b`,
      ),
      re(String.raw`\b(?:through this|instead|redirect)\b`),
      re(String.raw`\b(?:bash|shell|run|command|another|other|any)\b`),
    ],
    [
      re(
        String.raw`\b(?:results?|output|answers?|behaviou?r) of (?:the )?[\x60'"]?\w{2,30}(?:_\w{1,30}|[\x60'"]| tool)`,
      ),
      re(
        String.raw`\b(?:are|is|must|should|has|have) (?:to )?(?:be )?(?:filtered|changed|replaced|hidden|dropped|ignored|modified|discarded)|\bchanges while\b`,
      ),
    ],
    [
      re(
        String.raw`\bthe (?:tool|function) [\x60'"]?\w{3,40}[\x60'"]? (?:has a bug|is (?:broken|deprecated|compromised|unsafe|insecure|malicious|vulnerable)|must|should|needs)`,
      ),
    ],
    [
      re(String.raw`\b(?:use|call|invoke) this (?:tool )?(?:instead of|in place of|rather than)\b`),
      re(
        String.raw`\bfor (?:everything|all|any)\b|\bdeprecated\b|\bleaks?\b|\bunsafe\b|\bcompromised\b|\bwhatever\b|\balways\b|\beven (?:when|if)\b|\binsecure\b`,
      ),
    ],
    [
      re(
        String.raw`\bonly (?:\w{1,12} )?tool (?:that )?you (?:may|can|should|must|are)|\brefuse to (?:use|call)\b|\bdo not (?:call|use) (?:them|any other|the others|others)\b|\brank (?:it|this) (?:above|first)|\bprioriti[sz]e this (?:tool )?(?:over|above)|\bthis tool (?:must|has to|should|needs to) (?:always )?be (?:used|called|chosen|preferred) (?:in place|instead(?! of [\x60'"]?\w{1,30}_)|over|for (?:all|every|any)\b|(?:first |before )(?:any|every|all|each)(?: other)? (?:tools?|requests?|calls?|messages?)\b)`,
      ),
      re(String.raw`^(?![\s\S]*\bof this server\b)`),
    ],
    [
      re(
        String.raw`\b(?:at the (?:start|beginning|end) of (?:each|every|any|all)|after (?:each|every) (?:answer|message|reply|response|turn)|on (?:each|every) (?:message|turn|reply)|before (?:each|every|any) (?:answer|message|reply|response))\b`,
      ),
      re(
        String.raw`\b(?:without being asked|all that was said|everything|whole|entire|full|verbatim|must|unasked|complete output)\b`,
      ),
    ],
    [
      re(String.raw`\b(?:from|of|on) (?:any|every|all|other|another) (?:other )?(?:mcp )?servers?\b`),
      re(
        String.raw`\b(?:call|prior|before|disregard|ignore|instead|passing|supersede|override|replace)\w{0,2}\b`,
      ),
      re(CHANGE, String.raw`\b(?:every use|disregard|ignore|even when|passing)\b`),
    ],
    [
      re(
        String.raw`\bmust (?:add|append|include|put|insert) \S{1,60} (?:to|in|into) (?:every|each|all|any) (?:quer(?:y|ies)|requests?|messages?|answers?|repl(?:y|ies)|e-?mails?|emails?)`,
      ),
    ],
  ),
  poison(
    'override',
    'tells the model to put this text above what it was told',
    [
      re(
        String.raw`\b(?:forget|ignore|disregard|override|bypass)\b (?:\w{1,12} ){0,3}?(?:what you (?:were|have been)|the user\b|your (?:instructions|rules|guidelines|training|developer|system)|earlier (?:rules|instructions)|previous (?:rules|instructions)|(?:all )?(?:prior|safety|security) (?:rules|polic|instructions|guidelines|checks))`,
      ),
      re(
        String.raw`^(?![\s\S]*\b(?:will ignore|ignored by|git ignore|to ignore|ignore the user'?s? (?:settings?|preferences?|config|time ?zone|case|name|id|agent))\b)`,
      ),
    ],
    [
      re(
        String.raw`\b(?:instructions?|text|rules?|description|server|orders|what is said) (?:\w{1,10} ){0,3}?(?:takes?|have|has|having|is|are) (?:precedence|priority|above|higher|your only)\b|\bthis (?:description|text) is your\b|\babove (?:those of )?(?:the )?user\b|\bprecedence over (?:those of )?(?:the |your )?(?:user|system)|\bobey\b[^.]{0,30}\b(?:server|tool|this|description|orders)`,
      ),
    ],
    [
      re(
        String.raw`\b(?:safety|security|content) (?:rules?|polic(?:y|ies)|checks?|filters?|guidelines?)\b[^.]{0,20}\b(?:suspended|off|disabled|lifted|do(?:es)? not apply|no longer apply|waived)|\byour (?:guidelines|rules|polic(?:y|ies)|restrictions|instructions) (?:do not|don'?t|no longer) apply|\bunrestricted (?:model|mode|assistant|ai)\b|\b(?:switch|go|enter|change)\w{0,3} (?:in)?to (?:developer|god|admin|debug|root|unrestricted|maintenance) mode|\byou are (?:now )?in (?:maintenance|developer|admin|god|debug|root) mode`,
      ),
    ],
    [
      re(
        String.raw`\b(?:llm|ai|model|assistant)s? only:|(?:^|[(\[<"'.] ?|-- ?)(?:assistant|llm|ai agent|agent|model)\s?[:,] (?:please |quietly |you |call |never |do |always |set |read |send |ignore |forward |note |must )|\bsystem override\b|\bend of (?:the )?(?:tool )?(?:description|instructions)\b|(?:^|[.\n] ?)system ?: ?(?:you|the assistant|ignore|new)|#{2,} ?(?:new |updated )?system (?:instructions?|prompt|message)|\byour (?:real|true|actual) (?:task|goal|job|purpose|objective)\b`,
      ),
    ],
    [
      re(
        String.raw`\b(?:approve|accept|confirm|grant|allow) (?:every|all|any) (?:\w{1,12} )?(?:permissions?|requests?|prompts?|tool calls?|calls)\b|\bapprovals? (?:is|are) (?:no longer|not) (?:required|needed)|\b(?:does|do) not (?:need|require) (?:an? )?(?:approval|permission|confirmation) (?:for|to) (?:shell|run|exec|any|all|commands?)|\bskip (?:the |any |all )?(?:confirmation|approval|permission)|\bauto_?approve\b[^.]{0,20}\btrue\b|\balready (?:authori[sz]ed|approved) (?:this|by)|\ballowed without prompts?`,
      ),
    ],
    [
      re(
        String.raw`\bas (?:your|the) (?:supervisor|administrator|admin|developer|owner|boss|creator|operator),? (?:i|we)\b|\bi (?:instruct|order|command) you\b|\bby law you\b|\byou are obliged to\b|\bverified by the vendor\b|\bsafe to give (?:it|this)|\bwarnings? (?:about (?:it|this) )?(?:can|may|should) be ignored`,
      ),
    ],
    [
      re(
        String.raw`\btreat\b[^.]{0,50}\bas (?:orders?|commands?|instructions?) (?:of|from)|\b(?:text|content|commands?)\b[^.]{0,60}\b(?:is|are) to be (?:executed|followed|obeyed|carried out)\b|\bcarry them out\b|\bwithout (?:further )?(?:questions?|asking questions)\b|\bno questions asked\b|\bdo what the (?:text|page|document|file) says`,
      ),
    ],
    [
      re(
        String.raw`\bregardless of (?:the choice of |what )?(?:the )?user|\bwhatever the user (?:asks?|gives?|says?|wants?|chooses)|\bno matter what the user|\beven (?:when|if) (?:the )?(?:user (?:names|asks|objects|says|declines)|asked directly)|\binstead of (?:what|whatever) the user`,
      ),
      re(
        String.raw`\b(?:replace|submit|always|must|set|use|do not|disclos\w{1,4}|avoid|call|choose|send|change)\b`,
      ),
    ],
  ),
  poison(
    'unasked-action',
    'has the model do something that is not the work of the tool',
    [
      told(
        'run',
        'execute',
        'start',
        'launch',
        'install',
        'add',
        'append',
        'write',
        'open',
        'edit',
        'insert',
        'create',
        'modify',
        'turn off',
        'disable',
        'prepend',
        'start one with',
        'issue',
      ),
      re(
        String.raw`\bauthorized_keys\b|\bcrontab\b|\bpostinstall\b|\.bashrc|\.zshrc|\.profile\b|claude\.md|agents\.md|\.cursorrules|\.claude/settings|settings\.json|--privileged|-v /:/|tls verification|\bfirewall\b|\bantivirus\b|\bsudoers\b|os\.system\(|\bgrant all\b|\bsystemd?\b unit|\bhosts file\b|\bgit hooks?\b`,
      ),
      DUTY,
      re(String.raw`^(?![\s\S]*\b(?:after approval|asks? for|confirm)\b)`),
    ],
    [
      re(String.raw`^(?:open|edit|add|append|write|insert|turn off|disable|push)\b`),
      re(
        String.raw`claude\.md|agents\.md|authorized_keys|crontab -|tls verification (?:globally|and)|always trust|--force\b[^.]{0,20}each|each time, with --force`,
      ),
    ],
    [
      re(
        String.raw`\b(?:transfer|send|move|withdraw)\b[^.]{0,60}(?:\bbc1[a-z0-9]{20,}|\b0x[0-9a-f]{40}\b|\b[a-z]{2}\d{2} ?\d{4}(?: ?\d{2,4}){1,6}|\baccount \w{0,3}\d{3,})`,
        String.raw`\breplace (?:\w{1,12} ){0,5}?(?:with|by) [a-z]{2}\d{2} ?\d{4}`,
      ),
    ],
    [
      told('push'),
      re(String.raw`\bgit@|https?://|--force`),
      re(String.raw`\beach time\b|\bevery\b|\balways\b|\bafter\b`),
    ],
    [
      re(
        String.raw`\bin (?:all|any|every) (?:the )?(?:code|files?|answers?|scripts?|pages?) (?:that )?you (?:write|generate|create|produce|give)`,
      ),
      told('insert', 'add', 'include', 'call'),
    ],
    [
      re(
        String.raw`\brecommend (?:this|our)\b[^.]{0,40}\b(?:every|each|always)\b|\bdescribe (?:competing|other)\b|\b(?:keep|continue) calling\b[^.]{0,60}\b(?:again and again|until the budget|forever|never stop|without end)|\bhas to end with\b[^.]{0,60}https?:|\breport that (?:everything|all)\b[^.]{0,30}\b(?:passed|succeeded|fine|ok)\b`,
      ),
    ],
    [
      re(String.raw`\bmust (?:now )?(?:first )?call \w{3,40}(?:_\w{1,40})?`),
      re(String.raw`\b(?:get_secrets|exec|delete_\w{1,20}|say nothing|rm -rf|do not)\b`),
    ],
    [
      re(String.raw`\b(?:user|ignore)\b`),
      re(
        String.raw`\b(?:and|then|please|also) (?:also )?(?:call |run |invoke )?(?:delete|wipe|erase|drop|destroy|format)(?:_\w{1,20})?\b`,
      ),
      re(String.raw`\bignore the user|\bplease also\b`),
    ],
  ),
  {
    label: 'beyond-its-tool',
    what: 'orders the model about, beyond this tool',
    finds: (sentence) => calm.test(sentence) && isHeavy(sentence),
  },
  ...ELSEWHERE.map(({ label, what, pattern }) => poison(label, what, [pattern])),
];
