import { foldUnicode } from '../normalise.ts';
import { type Rule, ruleFor } from './rule.ts';

const rule = ruleFor('injection');
const DROP = String.raw`(?:ignor(?:e|ing)|disregard|forget|overrid(?:e|ing)|bypass|skip|drop)`;
const EARLIER = String.raw`(?:previous|prior|above|earlier|preceding|former|system|original|existing|safety|security)`;
const ORDERS = String.raw`(?:instruction|prompt|rule|direction|message|guideline|polic|context|constraint|command|restriction|programming|training)`;

/** The same sentence where it is not said in English, in the form that normalising leaves. */
const ELSEWHERE = [
  'ignor\\w{0,4} (?:toutes )?(?:les|tes|vos) (?:instructions|consignes|regles) (?:precedentes|anterieures|ci-dessus)',
  'ignorier\\w{0,4} (?:alle |die |deine ){0,2}(?:vorherigen|bisherigen|obigen|fruheren) (?:anweisungen|instruktionen|befehle|regeln)',
  'ignor\\w{0,4} (?:todas )?(?:las|tus|sus) (?:instrucciones|ordenes|reglas) (?:anteriores|previas)',
  'ignor\\w{0,4} (?:tutte )?le (?:istruzioni|regole) precedenti',
  'ignor\\w{0,4} (?:todas )?as (?:instrucoes|regras) (?:anteriores|previas)',
  `${foldUnicode('игнорир')}[^\\s]{1,6} (?:${foldUnicode('все')} )?(?:${foldUnicode('предыдущие')}|${foldUnicode('прежние')}) ${foldUnicode('инструкции')}`,
  '忽略[^\\n]{0,10}(?:之前|以上|先前|前面)[^\\n]{0,10}(?:指令|指示|说明|提示)',
  `${foldUnicode('以前の')}[^\\n]{0,10}${foldUnicode('指示')}[^\\n]{0,6}${foldUnicode('無視')}`,
  `${foldUnicode('이전')} ?[^\\n]{0,10}${foldUnicode('지시')}[^\\n]{0,10}${foldUnicode('무시')}`,
];

export const INJECTION: readonly Rule[] = [
  rule(
    'ignore-previous',
    'tries to replace the instructions',
    String.raw`\b${DROP}\b[^\n.]{0,40}\b(?:all |any |the |your |my |these |those |every ){0,6}${EARLIER}\b[^\n.]{0,30}\b${ORDERS}`,
    String.raw`\b${DROP} (?:all |any ){0,2}(?:of )?(?:your|my) (?:\w{1,20} )?${ORDERS}|\b${DROP} (?:all |any |the |those ){0,3}(?:\w{1,20} )?${ORDERS}\w{0,6} (?:above|before)\b`,
    String.raw`\b(?:ignore|disregard|forget) (?:everything|all|anything|what)(?: that)?(?: (?:was|you were|has been|i|we))?(?: (?:said|told|written|given))?(?: to you)? (?:above|before|so far|until now|previously|earlier)\b`,
    String.raw`\b(?:do not|don'?t|stop|cease|never) (?:follow|obey|heed)\w{0,4}\b[^\n.]{0,30}\b(?:${EARLIER}|your)\b[^\n.]{0,20}\b${ORDERS}`,
    String.raw`\b(?:new|updated|real|actual) (?:system )?(?:instructions|prompt)(?: are)? ?:|\b(?:pretend|act as if|imagine) (?:that )?you have no (?:rules|restrictions|limits|guidelines)|\bfreed from your (?:constraints|restrictions|rules)`,
    String.raw`\byou are (?:now |no longer )(?:a |an |in |bound |the )?(?:dan\b|developer mode|jailbroken|unrestricted|root|free of|bound)|\byou are dan\b|\b(?:dan|jailbreak) mode\b|ignore ?(?:all|the)? ?(?:previous|prior|above) ?instructions`,
    ...ELSEWHERE,
  ),
  rule(
    'reveal-secrets',
    'asks for secrets or hidden instructions',
    String.raw`\b(?:reveal|show|print|output|display|repeat|leak|dump|expose|send|tell me|give me|exfiltrate|disclose|email|upload)\b[^\n.]{0,40}\b(?:your |the |all |any |me |us |hidden |full |entire ){0,6}(?:system prompt|initial prompt|hidden instructions|api[ _-]?keys?|secrets?|passwords?|credentials?|private keys?|access tokens?)\b`,
    String.raw`\b(?:reveal|show|print|output|display|repeat|dump|tell me|give me)(?: me| us)? your (?:\w{1,20} )?(?:prompt|instructions|system message|rules)\b|\bwhat (?:is|are) your (?:\w{1,20} )?(?:prompt|instructions)\b`,
    String.raw`\brepeat (?:the (?:text|words|message)|everything|all(?: of this)?) above\b`,
  ),
  rule(
    'forged-turn',
    'forges a turn of the conversation',
    String.raw`<\|?(?:im_start|im_end|system|endoftext|start_header_id|end_header_id|eot_id|begin_of_text)\|?>|<\|(?:user|assistant)\|>|<(?:start|end)_of_turn>|\[/?(?:inst|system)\]|<</?sys>>`,
    String.raw`</?(?:system|assistant|function_results|function_calls|tool_result)>|<!-- ?system ?:|(?:^|\n| )\s?#{2,4} ?(?:system|instruction)s? ?:|\bhuman:[^\n]{0,400}\bassistant:`,
  ),
  rule(
    'forged-approval',
    'claims an approval that only a person can give',
    String.raw`\b(?:this|the) (?:call|action|tool|request|command) (?:is|was|has been|has already been) (?:pre-?)?(?:approved|authori[sz]ed)\b|\b(?:user|operator|admin|administrator|human|owner) (?:has |have )?(?:already |just )?(?:pre-?)?(?:approved|authori[sz]ed) (?:this|the) (?:call|action|tool|request|command|operation)\b`,
    String.raw`\bapproval (?:is )?not (?:needed|required|necessary)\b|\bno (?:need (?:to ask )?for )?approval(?: is)?(?: needed| required|\b)|\b(?:do not|don'?t) need (?:any )?approval\b|\b(?:skip|bypass) (?:the |any )?approval\b|\bauto-?approve this\b`,
    String.raw`\bapproval (?:was |has been |is )?(?:already )?granted\b|\bpre-?approved by (?:the )?(?:user|operator|admin|human|owner)\b`,
  ),
];
