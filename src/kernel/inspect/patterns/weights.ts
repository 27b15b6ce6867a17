/**
 * Signs that a sentence speaks to the model about something beyond its tool. Honest descriptions have some of them, and
 * seldom many at once, so they are weighed together.
 */
const sign = (
  weight: number,
  ...parts: readonly string[]
): Readonly<{ weight: number; pattern: RegExp }> => ({
  weight,
  pattern: new RegExp(parts.map((part) => `(?:${part})`).join('|'), 'u'),
});

const AGENT = String.raw`(?:ai|llm|language|coding)? ?(?:agents?|assistants?|models?|llms?|ai|bot|chatbot)`;
const TOOLNAME = String.raw`(?:[\x60'"]?[a-z]{2,}(?:[_.-][a-z0-9]{2,}){1,4}[\x60'"]?|(?:the |an? )(?!this|same)\w{1,20} tool)`;
const SAY = String.raw`(?:claim|state|say|insist|assert|pretend|declare|respond|answer|reply|lie)`;

/** What is spoken of; the heavier of the two counts. */
const DATA = [
  sign(
    3,
    String.raw`(?:~|/home/\w{1,20}|/root|/users/\w{1,20}|\$home|%userprofile%)/\.(?:ssh|aws|gnupg|kube|config|docker|azure|netrc|npmrc|cursor|claude|env|bash_history|zsh_history)\b`,
    String.raw`\bid_(?:rsa|ed25519|ecdsa)\b|\.aws/credentials|/etc/(?:passwd|shadow)|\bsecrets?\.(?:ya?ml|json|toml|env)\b|\bcompany://|\bconfidential\b|\*?\.(?:pem|ppk|pfx|kdbx)\b|/(?:var|etc|opt)/\S{0,30}(?:secret|credential|private)\S{0,20}|\bcookie jar\b|\bdeveloper (?:message|prompt)\b|\benvironment dump\b|\b(?:contents?|files?|listing) (?:of|in|from) (?:the |your )?(?:user'?s )?(?:downloads|documents|desktop|home) (?:directory|folder)|169\.254\.169\.254`,
  ),
  sign(
    2,
    String.raw`\bsystem prompt\b|\b(?:private|ssh) keys?\b|\bconnection strings?\b|(?<![\w)])\.env\b|\bmcp\.json\b|\b(?:chat|conversation|message|browser|browsing|command) (?:history|log|context)|\b(?:complete|entire|full|whole|current) (?:conversation|chat|context|prompt)|\binitial prompt\b|\benv(?:ironment)? ?var(?:iable)?s?\b|\bcredentials\b|\bpasswords?\b|\bapi[ _-]?keys?\b|\bsecrets\b|\b(?:access|auth|oauth|session|bearer) (?:token|cookie)s?|\buser'?s (?:message|data|files?|environment|consent|password|prompt|request)|\buser (?:data|messages)\b|\bpersonal (?:data|information)|\bpii\b|\bssn\b|\b(?:previous|prior|all|every|other|earlier) tool (?:outputs?|results?|calls?)|\b(?:precise |exact )?(?:gps|phone number|home address|real name)s?\b|\b(?:precise|exact) (?:location|position)\b|\bworkspace path\b|\bgit remote\b|\bstack trace and\b|\bbrowser'?s? (?:cookies?|storage|data|passwords?|sessions?|profile)\b|\bibans?\b|\b[a-z]{2}\d{2}[a-z0-9]{4}\d{7,}|\b(?:bank|payroll|medical) (?:records?|details|data|accounts?)\b|\bcredit card`,
  ),
];

const SIGNS = [
  sign(1, String.raw`\b(?:to|for|dear|hey|attention)[ ,:]{1,2}(?:all |the |any )?${AGENT}\b`),
  sign(
    2,
    String.raw`\b(?:the |any |all |an )?${AGENT} (?:must|should|has to|have to|needs? to|is (?:required|expected|to)|are (?:required|to)|will|shall|may not|ought)\b`,
    String.raw`\b(?:agent|model|llm|ai|assistant) (?:instructions?|directives?|notes?|only) ?:|\b(?:your|the) (?:operator|principal|supervisor|boss) (?:expects?|wants?|requires?)|\bthe (?:person|user|human|client) you are (?:assisting|helping|serving|talking)`,
  ),
  sign(
    2,
    String.raw`</?(?:important|hidden|secret|system|instructions?|admin|critical|internal|override|mandatory|directive|sys|hint_to_model|llm)>|\[(?:important|hidden|system|instructions?|internal|admin|critical|secret|override|note to \w{1,10})\b[^\]]{0,20}[\]:]|<!--`,
  ),
  sign(
    2,
    String.raw`\bin (?:your|the|each|every|all|any) (?:next |final |following |subsequent )?(?:response|answer|reply|replies|output|summary)s?\b|\b(?:to|at the (?:start|end|beginning) of|with|before|after) (?:each|every|all|any) (?:response|answer|reply|message|request|conversation|interaction|query)\b|\b(?:for|on|with) (?:any|every|all) (?:\w{1,12} )?(?:requests?|messages?|questions?|quer(?:y|ies)|tool calls?|operations?|interactions?)\b`,
  ),
  sign(
    2,
    String.raw`(?:[,:;] ?|\b(?:and|then|must|should|always|to|please|you) )${SAY} (?:that|to the user|only|you)\b|\bif (?:you are |the user |anyone )?ask(?:ed|s)\b[^.]{0,30}\b(?:about|why|whether|if)\b[^.]{0,40}\b(?:claim|say|deny|state|answer|respond|reply|pretend)|\bdeny\b|\b(?:describe|present|label|report|mark) (?:it|them|this|the \w{1,15}) as\b|\bin every case\b|\bregardless\b|\bmost expensive\b|\beven (?:if|when|though) the (?:user|person|client)`,
  ),
  sign(
    2,
    String.raw`\b(?:consent|permission|approval|authori[sz]ation) (?:is|was|has been|are|were) (?:\w{1,10} )?(?:assumed|implied|given|granted|waived|not (?:needed|required))|\b(?:do not|don'?t|no need to|need not|needn'?t|without) (?:have to |need to |ever )?(?:ask(?:ing)?|prompt(?:ing)?|confirm(?:ing)?|wait(?:ing)?|seek(?:ing)?|request(?:ing)?|check(?:ing)?)\b(?! (?:more|the user to|again))|\b(?:checks?|restrictions?|safeguards?|limits?|filters?|validation|permissions?) (?:\w{1,10} )?(?:have been|has been|are|is|were) (?:disabled|lifted|removed|off|suspended|bypassed|turned off)|\bno (?:\w{1,12} )?(?:confirmation|approval|permission|consent|review) (?:is )?(?:necessary|needed|required)|\b(?:cleared|agreed|approved|authori[sz]ed|signed off) (?:beforehand|in advance|already)|\bapproved way\b|\b(?:confirm(?:ation)?|sandbox|approval|audit|safety|verify)\w{0,12} ?= ?(?:false|off|0|no|none|disabled)|\bdisable (?:the )?(?:audit|logging|log|history|monitor|safety|sandbox)\w{0,4}|\b(?:reviewed|approved|authori[sz]ed|verified|vetted|certified) by (?:the |an? |our |your )?(?:\w{1,12} )?(?:team|admin\w{0,10}|vendor|security|owner|operator|developer|company|user)`,
  ),
  sign(
    2,
    String.raw`\b(?:do not|don'?t|never|avoid|stop) (?:use|using|call|calling|trust|trusting|rely on|relying on)\b[^.]{0,40}(?<!this )\btools?\b|\b(?:disregard|ignore|skip|bypass) (?:\w{1,12} ){0,2}(?:tools?|servers?)\b|\btool (?:is|are|has) (?:\w{1,8} ){0,4}(?:broken|deprecated|slow|wrong|outdated|unreliable|disabled)\b|\bconsidered broken\b|\brather than (?:git|bash|grep|the shell|your|any)\b|\bhas (?:the )?(?:highest )?priority\b|\b(?:insecure|unsafe|compromised|malicious|untrusted|vulnerable|leaks?)\b`,
  ),
  sign(
    2,
    String.raw`\b(?:get|list|read|dump|fetch|export|show)_(?:\w{1,15}_)?(?:secrets?|credentials?|passwords?|admin|keys?|tokens?|env)\w{0,15}|\b(?:payments?|funds|money|wallet|bank)[._]\w{1,15}|\b(?:delete|drop|wipe|exec|execute|transfer|purge|destroy)_\w{1,20}`,
  ),
  sign(
    2,
    String.raw`\b(?:exfiltrat\w{1,6}|attacker\w{0,6}|evil|steal\w{0,3}|malware|backdoor)\b|\bpath=['"]?/['"]?(?: |$|,)|\b(?:comply with|follow|obey|carry out|act on) (?:\w{1,12} ){0,3}(?:instructions?|orders?|commands?)|\binstructions? (?:embedded|contained|found|hidden|inside) |\brun (?:any|all|the|every) (?:\w{1,10} )?(?:commands?|code|scripts?|instructions?)|\b(?:commands?|code|scripts?|instructions?) (?:that )?(?:it|they|the (?:page|file|document|result|text)) (?:contains?|holds?|gives?|says?)`,
  ),
  sign(
    2,
    String.raw`\b(?:other|all|any|every|no other) tools? (?:\w{1,10} )?(?:will|would|may|can(?:not)?|do|does|won'?t)? ?(?:not )?(?:fail|work|break|return|give|malfunction)\b|\bprerequisite (?:of|for|to) (?:all|any|every|other)|\b(?:preceded|followed) by a call\b|\bonly this (?:tool|one)\b|\b(?:always )?use this (?:one|tool) (?:instead|for (?:all|every|any))|\balways use this(?: one| tool)?(?=[.,;]|$| (?:instead|rather|for (?:all|every|any)\b))|\b(?:every|each|any) ?time the user (?:asks|wants|says)|\bto everything\b|\bsubstitut\w{1,4} (?:with|by|for)`,
  ),
  sign(
    2,
    String.raw`(?:[,:;] ?|\b(?:and|then|must|should|always|to|please|also|you|will) )(?:send|post|forward|upload|transmit|relay|e-?mail|bcc|cc|report|deliver|submit|mirror|redirect|route|exfiltrate|with to=)\b[^.]{0,100}(?:https?://|[\w.+-]{1,60}@[\w-]{1,60}\.\w{2,}|\bwebhook|\bexternal\b|\bremote\b|\bthird[- ]part|\+\d{7,}|\bcurl\b|\bwget\b)`,
    String.raw`\b(?:to|via|through|url|endpoint|with to)[ =:]{1,3}['"\x60]?(?:https?://|[\w.+-]{1,60}@[\w-]{1,60}\.\w{2,})`,
  ),
  sign(
    1,
    String.raw`\bfull access\b|\belevated\b|\bescalate\b|\bsudo\b|\bprivileges?\b|\bunrestricted\b|\broot (?:access|permission)`,
  ),
  sign(
    1,
    String.raw`\b(?:must|mandatory|required to|should be|is to be|will comply|have to|has to|always|never|ensure|make sure|needs? to|you are to|obliged)\b`,
  ),
  sign(
    1,
    String.raw`\b(?:before (?:us|call|return|perform|process|execut|answer|respond|runn|mak|writ|send|creat|do)ing|before (?:any|each|every|you|it|this)|first|prior to|whenever|when (?:using|calling|this tool|the|any|you|processing)|once you|after|every time|each time|for compliance|preceded)\b`,
  ),
  sign(
    1,
    String.raw`\b(?:system (?:verification|note|instruction|requirement|message|directive|override|notice)|compliance|security (?:check|verification|policy|team|requirement|audit|protocol|reason)s?|authori[sz]ation level|admin(?:istrator)?s?|verification (?:step|purposes)|critical|licen[sc]ing reasons|override|internal|mandatory|urgent|confidential|for (?:api )?authentication|audit(?:ing)?)\b`,
  ),
  sign(
    1,
    String.raw`(?:[,:;>] ?|\b(?:and|then|must|should|always|to|please|also|first|you|will) )(?:call|invoke|use|run|trigger|execute|query|open|access) (?:\w{1,10} )?${TOOLNAME}`,
    String.raw`\bwhen (?:the )?${TOOLNAME} (?:tool )?is (?:available|called|used|invoked|present|installed)`,
  ),
  sign(
    1,
    String.raw`(?:^|[,:;>] ?|\b(?:and|then|must|should|always|to|please|also|first|you|will|be) )(?:attach|put|pass|include|send|append|prepend|copy|upload|hand|quote|paste|place|fill|provide|supply|insert|encode|transmit|forward|relay|submit|contain|set|add|gather|collect|extract|read|open(?:ed)?|access|retrieve|concatenate|prefix(?:ed)?|delete|select|look for|keep|kept|emailing|sending|harvest|dump|discard(?:ed)?|summari[sz]e)\b`,
    String.raw`\bsummary of (?:the )?(?:user|environment|conversation|session)|\bincluding\b`,
  ),
  sign(
    1,
    String.raw`\b(?:in|into|as|to|with|via) (?:the |an? )?(?:[\x60'"]\w{1,40}[\x60'"]|\w{1,20} (?:parameter|argument|field|input))|\b(?:parameter|argument|field) of the\b|\bas input\b|\bvia the \w{1,20}|\bthe contents? of\b|\btheir (?:text|contents?)\b|\bwith destination\b|\bpass (?:the \w{1,12} )?on\b|\bsend (?:it|them) (?:out|away|off)`,
  ),
];

/** A path that is only named as an example weighs less: it takes more than "the contents of" beside it. */
const EXAMPLE = /\b(?:such as|e\.?g\.?,?|for (?:example|instance),?|like) [^.!?]{0,20}$/u;

function weightOfData(sentence: string): number {
  for (const { weight, pattern } of DATA) {
    const at = sentence.search(pattern);
    if (at >= 0) return EXAMPLE.test(sentence.slice(Math.max(0, at - 40), at)) ? weight - 1 : weight;
  }
  return 0;
}

/** Real servers reach 3; what was made to mislead begins at 4. */
const ENOUGH = 4;
export function isHeavy(sentence: string): boolean {
  let sum = weightOfData(sentence);
  for (const { weight, pattern } of SIGNS) {
    if (pattern.test(sentence)) sum += weight;
    if (sum >= ENOUGH) return true;
  }
  return false;
}
