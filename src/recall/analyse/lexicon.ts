/** Word lists of the analyser. Data only. */

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Carry no meaning of their own. Leaving them in costs quality and, in a large store, most of the time of a query. */
export const STOP_WORDS = words(`
  a an the and or but nor so if then than that this these those there here it its itself
  i me my mine myself we us our ours ourselves you your yours yourself he him his himself she her hers herself they them their theirs themselves
  am is are was were be been being do does did done doing have has had having can could shall should will would may might must ought
  of in on at by for with about against between into through during before after above below to from up down out off over under again further
  as because until while also just only very too not no yes ok okay oh well really quite
  what which who whom whose when where why how all any both each few more most other some such own same
  don didn doesn isn aren wasn weren won wouldn couldn shouldn hasn haven hadn ain let lets get got gets getting
  und oder der das ein eine einen einem einer ist sind nicht mit von zu den dem auf für im ich du er sie es wir ihr wo wann wie wer
  le les une des et est que qui dans pour pas avec sur où quand
  el los las una del y por para con que donde cuándo dónde
  и в во не на я он она они мы вы это что как с со по из у к о за от до для где когда кто
  في من على إلى عن ان هذا هذه هو هي ما متى اين مع
`);

/** Words of the question itself: what kind, how many. Dropped while something better remains. */
export const QUESTION_FILLER = words(`
  kind kinds type types sort many much long often list describe exactly currently ever likely according
  thing things something anything way ways one ones specific particular different various please
`);

/** Words that may be about the asking or about the matter: who said it, what was the talk. They count a little. */
export const HALF_FILLER = words(`
  say said says tell told talk talked talking mention mentioned mentions discuss discussed think know name names give take make happen
  happened remember recall remind explain show find refer consider considered
`);

/** Irregular forms, so that "went" and "go" meet. Regular ones are the stemmer's work. */
const FORMS = `
  go went gone; see saw seen; take took taken; give gave given; make made; come came; become became; know knew known; think thought;
  buy bought; bring brought; teach taught; catch caught; fight fought; seek sought; find found; get got gotten; begin began begun; run ran;
  swim swam swum; sing sang sung; drink drank drunk; ring rang rung; sit sat; eat ate eaten; fall fell fallen; feel felt; keep kept;
  sleep slept; leave left; lose lost; meet met; build built; send sent; spend spent; lend lent; hold held; tell told; sell sold; say said;
  pay paid; hear heard; read reads; write wrote written; ride rode ridden; drive drove driven; rise rose risen; speak spoke spoken;
  break broke broken; choose chose chosen choice; wake woke woken; wear wore worn; bear bore born; tear tore torn; swear swore sworn;
  steal stole stolen; freeze froze frozen; forget forgot forgotten; win won; begin began; fly flew flown; grow grew grown; draw drew drawn;
  throw threw thrown; blow blew blown; show shown; hide hid hidden; bite bit bitten; lead led; feed fed; breed bred; stand stood;
  understand understood; strike struck; stick stuck; hang hung; dig dug; spin spun; shoot shot; light lit; do did; lie lay lain;
  mean meant; deal dealt; dream dreamt; learn learnt; burn burnt; bend bent; shake shook shaken; mistake mistook; undergo underwent;
  child children; person people persons; man men; woman women; foot feet; tooth teeth; mouse mice; goose geese; wife wives;
  knife knives; half halves; shelf shelves; wolf wolves; good better best; bad worse worst; far further farther;
  die dies died dying; tie tied tying; index indices; vertex vertices; matrix matrices; datum data; criterion criteria
`;

/** From any form to the first of its line. */
export const BASE_FORMS: ReadonlyMap<string, string> = new Map(
  FORMS.split(';').flatMap((line) => {
    const [base = '', ...others] = line.trim().split(/\s+/);
    return others.map((form) => [form, base] as const);
  }),
);

/** Words that place something in time by themselves; what a "when" question is looking for. */
export const MOMENTS = words(`
  yesterday today tonight tomorrow ago recently lately
  january february april june july august september october november december
  monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays
  montag dienstag mittwoch donnerstag freitag samstag sonntag januar februar märz juni juli oktober dezember
  lundi mardi mercredi jeudi vendredi samedi dimanche janvier février avril juin juillet août octobre décembre
  lunes martes miércoles jueves viernes sábado domingo enero febrero abril junio julio octubre diciembre
  понедельник вторник среду четверг пятницу субботу воскресенье января февраля марта апреля июня июля августа сентября октября ноября декабря
  gestern heute morgen вчера сегодня завтра hier demain ayer mañana 昨日 今日 明日 昨天 今天 明天 上周 下周 本周 上个月 下个月 先週 来週 先月 来月 去年 来年 أمس اليوم غدا
`);

/** Do so together with a word that points: last week, two years. */
export const TIME_UNITS = words(`
  week weeks weekend weekends month months year years day days hour hours minute minutes decade decades
  morning afternoon evening night midnight noon spring summer autumn fall winter march feb apr jun jul aug sept oct nov christmas easter birthday anniversary
  earlier later soon since until woche wochen monat monate jahr jahre неделе месяце году semaine semana
`);

export const POINTERS = words(`
  last next this past previous coming other few couple several letzte letzten letzter nächste nächsten прошлой прошлом
  следующей dernière prochaine pasada próxima
`);

export const NUMBER_WORDS = words(`
  one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen
  twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million dozen half once twice couple several few first second third
`);
