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
  break broke broken; choose chose chosen; wake woke woken; wear wore worn; bear bore born; tear tore torn; swear swore sworn;
  steal stole stolen; freeze froze frozen; forget forgot forgotten; win won; begin began; fly flew flown; grow grew grown; draw drew drawn;
  throw threw thrown; blow blew blown; show shown; hide hid hidden; bite bit bitten; lead led; feed fed; breed bred; stand stood;
  understand understood; strike struck; stick stuck; hang hung; dig dug; spin spun; shoot shot; light lit; do did; lie lay lain;
  mean meant; deal dealt; dream dreamt; learn learnt; burn burnt; bend bent; shake shook shaken; mistake mistook; undergo underwent;
  child children; person people persons; man men; woman women; foot feet; tooth teeth; mouse mice; goose geese; life lives; wife wives;
  knife knives; leaf leaves; half halves; shelf shelves; wolf wolves; good better best; bad worse worst; far further farther;
  hike hikes hiking hiked; ski skiing skied; die died dying; tie tied tying; photo photos photograph photography; bike biking bicycle;
  mom mum mother mommy mama; dad father daddy papa; kid kids; tv television; fridge refrigerator; phone telephone
`;

/** From any form to the first of its line. */
export const BASE_FORMS: ReadonlyMap<string, string> = new Map(
  FORMS.split(';').flatMap((line) => {
    const [base = '', ...others] = line.trim().split(/\s+/);
    return others.map((form) => [form, base] as const);
  }),
);

/** Everyday words that stand in for one another. A query term also looks, at a discount, for the others of its line. */
export const NEIGHBOURS: readonly string[] = [
  'job work career profession occupation employ company office hire quit resign fire retire unemployed layoff',
  'buy purchase get order',
  'movie film cinema',
  'book novel read author',
  'kid child son daughter',
  'mother parent father',
  'spouse husband wife partner marry wedding',
  'home house apartment live move',
  'trip travel vacation holiday visit journey',
  'pet dog cat puppy kitten animal',
  'food meal dish cook recipe eat',
  'illness sick disease health doctor hospital',
  'happy glad joy excited',
  'sad upset depressed',
  'afraid scared fear worry anxious nervous',
  'begin start',
  'end finish complete stop',
  'exercise workout gym fitness run yoga',
  'music song band concert sing instrument',
  'paint art draw artist',
  'school college university study class degree',
  'friend buddy pal',
  'money pay cost price salary',
  'car vehicle drive',
  'present gift',
  'hobby interest activity enjoy',
  'country city town hometown',
  'volunteer charity donate help',
  'team colleague coworker',
  'error bug failure fault issue',
  'fix repair solve resolve',
  'repository repo',
  'database db',
  'config configuration setting',
  'deploy deployment release ship',
  'test spec',
  'race marathon competition tournament contest',
  'win award prize medal',
  'hurt injure break wound accident',
  'repay return back',
  'like love enjoy favorite favourite prefer',
  'dislike hate',
  'plan goal want intend hope',
  'help support',
  'learn study teach lesson course class',
  'meet encounter',
  'religion church faith god pray',
  'nature outdoors camp hike forest mountain',
  'beach sea ocean coast lake',
  'delete remove drop',
  'fast quick speed performance',
];

/** Kinds and what is of that kind: somebody who asks for instruments wants to find the violin. One way only. */
export const KINDS: Readonly<Record<string, string>> = {
  activity: 'camp hike swim paint pottery run read cook garden dance yoga climb ski surf fish knit photograph play volunteer travel craft',
  hobby:
    'camp hike swim paint pottery run read cook bake garden dance yoga climb ski surf fish knit photograph play collect craft draw guitar chess',
  sport:
    'soccer football basketball tennis baseball hockey volleyball golf swim run marathon ski surf climb cycle box yoga gym team game match',
  exercise: 'run yoga gym swim hike bike workout pilates jog walk lift dance',
  instrument: 'piano guitar violin drum clarinet flute saxophone trumpet cello bass ukulele harp keyboard sing',
  pet: 'dog cat puppy kitten turtle fish bird hamster rabbit parrot guinea pig snake lizard horse',
  animal: 'dog cat bird horse turtle fish snake rabbit bear deer fox elephant dolphin',
  food: 'pizza pasta salad soup bread cake cookie chocolate chicken fish rice vegetable fruit cheese ice cream dessert dinner lunch breakfast recipe bake',
  dish: 'pizza pasta salad soup stew curry roast pie cake lasagna sushi taco',
  dessert: 'cake cookie pie ice cream chocolate brownie pudding',
  drink: 'coffee tea juice wine beer smoothie water',
  book: 'novel read author series chapter library fantasy fiction',
  movie: 'film watch cinema trilogy series scene actor',
  music: 'song band album concert guitar piano jazz rock classical listen',
  game: 'play console chess video board card puzzle tournament',
  art: 'paint draw sculpture pottery photograph canvas portrait sketch gallery museum exhibit',
  job: 'engineer teacher nurse doctor manager developer lawyer chef artist writer counselor hire interview promotion office company business',
  career: 'counselor teacher nurse engineer artist writer business degree job profession study',
  business: 'store shop studio company startup brand customer',
  family: 'mother father mom dad sister brother son daughter kid child husband wife parent grandmother grandfather aunt uncle cousin',
  relative: 'mother father sister brother son daughter grandmother grandfather aunt uncle cousin',
  sibling: 'sister brother twin',
  parent: 'mother father mom dad',
  country:
    'japan china india france italy spain germany england ireland canada mexico brazil sweden norway greece australia thailand russia',
  city: 'paris london tokyo rome boston chicago seattle york berlin madrid toronto downtown',
  place: 'beach park lake mountain forest museum city country island camp cafe restaurant home',
  color: 'red blue green yellow orange purple pink black white brown gray grey turquoise violet',
  colour: 'red blue green yellow orange purple pink black white brown gray grey turquoise violet',
  vehicle: 'car truck bike van bus motorcycle boat',
  event: 'party festival concert wedding parade conference meeting birthday ceremony fair exhibition workshop race fundraiser reunion',
  hurt: 'injury accident broke sprain knee ankle wrist surgery',
  health: 'doctor hospital surgery diet weight exercise sick injury diagnosis therapy medicine',
  emotion: 'happy sad angry scared proud anxious nervous excited grateful lonely stress joy',
  feel: 'happy sad angry scared proud anxious nervous excited grateful relieved stress',
  winter: 'snow ski ice sled cold christmas january february december',
  summer: 'beach swim sun lake camp july august june',
  holiday: 'trip cabin hotel beach resort camp ski flight travel christmas',
  vacation: 'trip cabin hotel beach resort camp ski flight travel cruise',
  transport: 'car bike bus train tram plane flight boat ride drive walk van',
  weather: 'rain snow sun storm wind cold hot',
  subject: 'math history science english art physics biology chemistry',
  degree: 'bachelor master doctorate university college graduate diploma',
  clothing: 'dress shirt shoe jacket coat hat pants scarf',
  jewelry: 'necklace ring bracelet earring',
  gift: 'present birthday necklace book surprise wrap',
  plant: 'flower tree rose tulip sunflower garden succulent herb',
  identity: 'transgender gay lesbian nationality gender woman man immigrant',
  status: 'single married divorced engaged relationship partner',
  device: 'phone laptop computer tablet camera console',
  language: 'english spanish french german japanese chinese italian russian',
};

/** Words that place an item in time; what a "when" question is looking for. */
export const TEMPORAL_WORDS = words(`
  yesterday today tonight tomorrow ago last next recently earlier later soon lately since until decade decades
  week weeks weekend weekends month months year years day days hour hours minute minutes morning afternoon evening night midnight noon
  january february march april june july august september october november december
  monday tuesday wednesday thursday friday saturday sunday spring summer autumn fall winter christmas easter birthday anniversary
  gestern heute morgen woche monat jahr вчера сегодня завтра неделе месяце году hier demain semaine ayer mañana semana 昨日 今日 明日 先週 来週 先月 来月 去年 来年 أمس اليوم غدا
`);

export const NUMBER_WORDS = words(`
  one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen
  twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million dozen half once twice couple several few first second third
`);
