/** Kinds and what is of that kind, the most usual first; a line that is indented goes on. Data only. */
export const KINDS = `
  abroad overseas: europe asia japan france italy spain england canada mexico australia germany thailand
  accessory: hat scarf belt necklace watch bag sunglasses bracelet earrings purse ring glove tie backpack handbag
  accident: crash car fell hit collision bike fender injured wreck slip broken totaled
  accommodation lodging stay: hotel airbnb hostel tent cabin resort campsite apartment inn motel cottage villa guesthouse
      hut rv
  achievement accomplishment success proud: promotion graduate medal finish published award marathon record degree
      championship passed scholarship hired sold
  activism protest march: pride rally parade campaign petition demonstration climate rights equality walkout strike
  activity: hike swim paint camp bike run read cook yoga dance fish kayak garden ski climb surf pottery bowling museum
      picnic skate volunteer craft photography beach explore knit play travel
  addiction: alcohol smoking drug gambling cigarette soda sugar gaming caffeine vape sober
  adopt: dog cat puppy kitten child baby rescue shelter agency foster siblings
  advice tip suggestion recommendation: practice patient routine research budget focus save counsel therapist patience
      plan journal
  age old: birthday born turned teenager thirty forty twenty teen eighteen fifty sixty
  age generation: toddler teenager teen adult senior elderly millennial boomer twenties thirties forties child retiree
  airline: delta united southwest jetblue emirates lufthansa ryanair flight alaska british qatar
  airport flight: delay cancelled luggage missed layover passport turbulence security boarding gate jetlag
  alcohol liquor booze: beer wine whiskey vodka gin rum tequila cocktail champagne margarita bourbon cider brandy martini
      scotch sake lager ale drunk
  algorithm model: neural regression transformer gpt llm clustering classifier tree embedding bert cnn lstm
  allergy allergic intolerance: peanut pollen dairy lactose gluten cat fur shellfish nuts penicillin dust cockroach
      reptile bee egg soy hives hayfever
  animal creature wildlife: dog cat horse bird bear deer fox wolf elephant lion tiger monkey rabbit squirrel snake turtle
      dolphin whale cow pig sheep goat raccoon giraffe zebra otter seal owl panda kangaroo koala
      moose elk bison coyote fish
  anime cartoon comic: naruto pokemon ghibli manga totoro simpsons spiderman batman disney onepiece
  annoy annoyance peeve hate dislike: noise traffic mess late rude chewing spam mosquito crowds snoring gossip clutter
  app application software: instagram whatsapp spotify slack zoom notion duolingo facebook excel photoshop uber strava
      tiktok twitter gmail headspace trello youtube evernote figma venmo jira todoist
  appearance describe looks: tall short blonde hair eyes beard curly thin freckles glasses tattoo handsome
  appliance: oven fridge dishwasher washer dryer microwave toaster blender stove vacuum freezer heater kettle mixer
      airfryer instapot
  appreciate grateful thankful: family friends support health mom love husband kids roof kindness community
  art artwork piece: painting sculpture drawing portrait mural pottery photograph sketch landscape abstract canvas collage
      ceramic watercolor sunset print illustration gallery installation graffiti museum exhibit
  artist painter: picasso monet gogh kahlo dali banksy warhol rembrandt singer band sculptor rapper okeefe matisse
      illustrator
  athlete player: lebron jordan messi ronaldo federer serena kobe curry brady bolt nadal mahomes
  attend: concert wedding conference festival class workshop meeting parade funeral game school reunion
  attitude temperament: positive playful calm optimistic stubborn cheerful mischievous energetic lazy gentle sarcastic
      aggressive moody
  authentication auth login security: oauth jwt password token session sso 2fa saml cookie mfa encryption apikey ldap
      keycloak
  author writer: rowling tolkien king austen shakespeare hemingway orwell christie dickens gaiman sanderson murakami
      coelho novelist poet martin
  autumn fall: leaves pumpkin halloween october foliage harvest cider thanksgiving sweater apple
  award prize trophy honor: medal gold first oscar scholarship certificate mvp grammy ribbon nobel championship winner
      nomination ticket
  baby newborn: pregnant birth boy girl twins infant crib diaper due delivery
  bag luggage: backpack purse suitcase tote handbag duffel wallet satchel briefcase clutch rucksack
  band: beatles queen coldplay metallica aerosmith nirvana radiohead drummer guitarist bassist singer rock gig
  beach: sand ocean surf waves shell swim sunset sunbathe sandcastle volleyball
  beauty spa: massage facial manicure nails pedicure sauna haircut makeup salon wax
  bedding linen: blanket pillow sheet quilt mattress duvet comforter towel pillowcase futon
  belief: god faith karma spirit religion fate destiny church heaven soul universe justice equality reincarnation
  benefit advantage perk: cheaper faster flexible bonus discount salary remote insurance calm confidence healthier
  bicycle cycling: mountain road helmet ebike trek tandem peloton trail tire pedal
  bird: parrot owl eagle hawk robin sparrow pigeon crow duck hummingbird cardinal finch heron swan goose pelican penguin
      flamingo peacock raven woodpecker seagull falcon canary cockatiel parakeet macaw chicken hen
  boardgame: chess monopoly scrabble catan risk clue checkers dungeon pandemic carcassonne backgammon dixit jenga
  boat ship: kayak canoe sailboat yacht ferry cruise raft paddleboard dinghy catamaran
  bodypart body: knee back shoulder ankle leg arm wrist hip neck foot hand head stomach chest elbow heart eye
  bond together: camping dinner hiking movie games picnic baking swimming walks pottery
  book novel: fantasy mystery memoir biography potter hobbit gatsby author chapter fiction thriller classic alchemist dune
      tolkien trilogy series mockingbird bestseller audiobook read library
  brand: nike adidas apple gucci samsung puma zara sony patagonia toyota armour canon gatorade levi ikea lululemon
  bread bakery baked: cookie cake muffin loaf sourdough croissant bagel pastry pie brownie cupcake scone baguette roll
      biscuit tart dough bun
  breakfast brunch: pancake egg oatmeal cereal toast waffle bacon bagel yogurt smoothie omelette granola muffin croissant
      sausage coffee porridge
  breakup divorce separation: ex custody split cheated heartbroken lawyer dumped alimony affair tinder
  breed: labrador retriever golden poodle husky bulldog shepherd beagle corgi dachshund terrier chihuahua collie mutt pug
      rottweiler doberman dalmatian shiba labradoodle goldendoodle siamese persian tabby ragdoll mix
  bug error defect: crash exception timeout leak null deadlock failure overflow race segfault traceback regression glitch
      404 500
  build: lego treehouse shed computer deck bookshelf house robot birdhouse table dollhouse furniture sandcastle
  building: house apartment church school hospital tower castle library skyscraper museum barn shelter cathedral office
      mansion temple warehouse stadium hall
  business shop store startup: cafe bakery boutique restaurant salon studio gym bookstore clothing online florist brewery
      garage agency franchise etsy bar gallery ecommerce company brand customer
  cake pie: chocolate cheesecake carrot apple pumpkin vanilla velvet pecan birthday lemon cherry
  camera lens: canon nikon sony fujifilm polaroid gopro dslr mirrorless film leica tripod
  camp campsite: tent campfire marshmallow forest mountain lake beach stars smores lantern cabin
  candy: chocolate gum lollipop caramel toffee licorice gummy marshmallow fudge truffle
  capital: london paris rome madrid berlin tokyo washington ottawa beijing dublin lisbon oslo
  car: prius tesla toyota honda ford subaru bmw mazda jeep mustang ferrari audi mercedes volkswagen chevy nissan hyundai
      sedan suv hybrid dodge corvette lexus porsche volvo
  card: poker blackjack uno bridge solitaire rummy hearts pokemon magic tarot
  career: counseling teaching nursing engineering law medicine coaching acting writing design marketing therapist business
      programming modeling sports journalism psychology entrepreneur freelance counselor teacher artist writer degree
      job profession study
  caregiver carer: nurse mother nanny grandma hospice babysitter aunt daughter elderly wheelchair
  cause: lgbtq homeless environment climate cancer veteran animal hunger poverty education equality transgender rights
      shelter wildlife refugee domestic ocean
  celebration occasion milestone: birthday wedding anniversary graduation party christmas promotion shower engagement
      retirement cake toast dinner champagne thanksgiving housewarming barbecue fireworks
  celebrity actor actress famous: hanks pitt dicaprio streep depp oprah swift beyonce cruise lawrence reynolds
  ceremony ritual: wedding graduation funeral baptism christening vow bar commencement memorial blessing communion
      quinceanera
  certification licence license: aws cpr pmp driver scrum nursing teaching pilot diploma firstaid lifeguard realtor
  change transition: job hair career move diet quit gender city divorce hormones body haircut
  character superhero hero: batman spiderman superman potter frodo gandalf ironman aragorn hermione villain elsa wolverine
      luke thor joker
  charity volunteer: shelter homeless donate foodbank fundraiser soup kitchen hospital mentor tutor cleanup orphanage toy
      hospice rescue nonprofit humane
  checkup appointment: dentist doctor vet therapist bloodwork physical scan mri xray ultrasound haircut eye
  cheese: cheddar mozzarella parmesan feta brie gouda goat ricotta swiss halloumi
  child kids offspring: son daughter baby toddler boy girl newborn twin infant teenager
  childhood: doll grew swing school bike treehouse grandma playground cartoon farm camp young toys
  chore housework: laundry dishes vacuum clean sweep mop trash dust iron cook groceries tidy mow
  city town: york london paris boston chicago seattle tokyo rome barcelona berlin toronto miami angeles francisco vegas
      denver austin portland sydney dublin vancouver amsterdam edinburgh madrid atlanta dallas houston philadelphia
      phoenix nashville milan vienna prague istanbul mumbai delhi downtown
  class course lesson workshop: yoga pottery cooking painting dance art language spanish math writing photography
      programming piano swimming pilates ceramics acting drawing parenting kickboxing
  cleaning: laundry vacuum mop dust dishes kitchen declutter garage soap bleach closet
  client customer: bank hospital startup contract buyer shopper retailer patient invoice account
  clothing outfit garment wear apparel: dress shirt jeans jacket sweater hoodie skirt coat pants suit shoes boots hat
      shorts scarf tshirt blouse gown jersey leggings costume cardigan tie sneakers
      socks uniform
  cloud hosting infrastructure: aws azure gcp heroku kubernetes docker lambda ec2 server vercel netlify terraform s3
      cluster digitalocean
  coach trainer: basketball soccer team swim gym mentor captain practice instructor football tennis
  cocktail: margarita mojito martini daiquiri negroni cosmopolitan sangria mimosa spritz bellini spritzer
  coffee: latte espresso cappuccino mocha americano macchiato brew barista starbucks decaf caffeine
  colleague coworker teammate: manager boss team office engineer intern officemate supervisor desk lunch
  collection: stamps coins books records vinyl sneakers cards figurines dvds comics shells magnets jerseys memorabilia
      dolls
  color colour shade: red blue green yellow black white pink purple orange brown gray grey gold silver turquoise teal navy
      beige violet lavender maroon
  colour: red blue green yellow orange purple pink black white brown gray grey turquoise violet
  community group club: lgbtq church support team choir book gym class running neighborhood hiking online activist chess
      writers
  competition contest tournament: championship race marathon final hackathon match league spelling olympics tryout chess
      dance regional qualifier bakeoff
  complaint complain: noise neighbor service delay refund traffic rude boss broken landlord
  computer hardware: laptop macbook pc desktop gpu cpu monitor keyboard mouse ram server ssd thinkpad motherboard
      chromebook dell
  concert gig: band singer ticket stage tour festival encore beatles coldplay jazz
  conflict argument fight disagreement: money husband roommate boss jealousy cheating yelled sibling divorce landlord
      insult
  console platform: playstation xbox nintendo switch steam pc wii gamecube gameboy sega
  contact socialize: call text visit facetime zoom dinner coffee email skype letter lunch
  continent region: europe asia africa america australia antarctica caribbean scandinavia mediterranean midwest northeast
  cook: pasta chicken curry soup roast grill stew steak lasagna salad recipe risotto
  cope manage overcome: therapy journal meditate exercise talk support walk breathe friends pray music write paint yoga
      counseling
  costume halloween: witch ghost vampire pumpkin pirate superhero zombie princess skeleton cosplay mummy
  country: usa canada mexico england france germany italy spain japan china india australia sweden brazil ireland scotland
      portugal greece thailand korea norway switzerland netherlands russia turkey egypt kenya argentina colombia
      vietnam indonesia philippines peru morocco iceland denmark poland nigeria
  craft handmade made: pottery knit crochet sew quilt bowl scrapbook origami jewelry woodwork candle weave embroidery mug
      macrame ceramics vase blanket scarf cup soap pot
  create: painting app song website garden blog sculpture mural video novel design
  crypto cryptocurrency: bitcoin ethereum dogecoin solana blockchain token wallet coinbase nft mining binance
  cuisine: italian mexican thai indian chinese japanese korean french vietnamese greek mediterranean ethiopian turkish
      lebanese spanish sushi vegan fusion moroccan
  currency: dollar euro pound yen rupee peso bitcoin franc krona dirham
  damage broke: flood fire leak crack scratch dent water storm roof windshield shatter burn spill tear window screen
  dance dancer: ballet salsa hiphop tango contemporary ballroom jazz tap swing breakdance waltz bachata freestyle
      ballerina choreography flamenco
  danger hazard risk: fire flood bear slip avalanche shark lightning electric poison crash
  database datastore storage: postgres postgresql mysql sqlite mongodb redis oracle dynamodb cassandra elasticsearch sql
      firebase mariadb neo4j snowflake bigquery s3 supabase
  date romantic: dinner movie picnic restaurant walk coffee concert tinder candlelight wine
  dating: bumble tinder hinge match girlfriend boyfriend crush okcupid
  deadline milestone: launch release submission exam sprint quarter due delivery march friday
  death: cancer funeral accident passed stroke heart suicide cremate buried widow overdose
  decision decide choice: quit move adopt marry job college divorce relocate switch surgery
  decor: candle painting poster rug lamp plant curtain pillow vase wreath photo lights mirror balloon ornament frame
      chandelier tapestry banner wallpaper
  degree major: psychology engineering business biology nursing law computer economics history art bachelor master phd mba
      education english accounting chemistry physics politics sociology philosophy marketing design medicine
      doctorate university college graduate diploma
  dental tooth: dentist cavity braces crown filling root wisdom gum retainer whitening
  deployment deploy pipeline ci: docker kubernetes jenkins github gitlab helm terraform release rollback staging
      production container actions ansible
  dessert sweet treat: cake cookie brownie pie chocolate cupcake cheesecake tart pudding donut muffin gelato sorbet cream
      tiramisu pastry parfait mousse custard macaron cobbler sundae crumble candy fudge ice
  destination vacation trip getaway: beach paris hawaii italy japan europe mountains island mexico resort london bali rome
      spain florida greece cruise iceland thailand lake rockies cabin yosemite
  device gadget electronics: phone laptop tablet ipad watch fitbit computer kindle headphones camera tv speaker smartwatch
      iphone drone airpods router printer keyboard alexa console
  diet: vegan vegetarian keto gluten paleo calorie protein carb sugar fasting dairy veggies pescatarian salad fruit
      lactose plant organic portion mediterranean
  digestive stomach: gastritis ulcer reflux ibs nausea constipation bloating heartburn celiac diarrhea
  director filmmaker: spielberg nolan tarantino scorsese hitchcock miyazaki kubrick cameron lucas wes fincher
  disability: wheelchair blind deaf autism dyslexia adhd autistic amputee paralyzed hearing crutches
  disaster emergency: fire flood earthquake hurricane tornado storm wildfire tsunami blizzard evacuation drought landslide
      outage volcano
  discipline department: engineering marketing sales finance hr legal design support operations product research
      accounting
  discrimination prejudice: racism sexism homophobia transphobia harassment bullying bias ageism stereotype slur
  dish meal recipe: pasta curry soup salad stew lasagna roast casserole risotto taco pizza chicken chili noodle stir
      spaghetti paella ramen omelette sandwich lasagne dumpling enchilada burger pie quiche burrito biryani
      bbq cake sushi
  distance far: mile kilometer minute meter hour block walk drive yard mi km
  doctor specialist physician: dentist surgeon dermatologist cardiologist psychiatrist pediatrician therapist neurologist
      gynecologist oncologist nurse physiotherapist chiropractor orthopedist optometrist vet ent
      gastroenterologist
  document paperwork paper: passport visa contract report resume license application lease certificate form thesis
  donation: clothes food money blood toys books car furniture hair kidney organ
  drawback downside disadvantage: expensive slow noisy cost risk commute crowded tiring complicated unreliable pricey
  dream wish: travel house sail author business family actor restaurant shelter world famous retire pilot
  drink beverage: coffee tea water juice soda wine beer smoothie milk cocktail lemonade latte whiskey cocoa espresso cider
      kombucha milkshake matcha champagne coke cola
  duration long: week month year hour minute decade semester weekend overnight fortnight lifetime
  editor ide: vscode vim emacs intellij pycharm xcode sublime eclipse neovim cursor
  education qualification school: college university degree diploma bachelor master phd highschool graduate certificate
      course bootcamp training ged kindergarten
  embarrass awkward: tripped fell spilled forgot blush zipper stain stutter sneeze naked karaoke
  emotion feeling mood react reaction: happy sad angry excited anxious proud nervous scared grateful frustrated relieved
      lonely disappointed jealous overwhelmed joy surprised upset thrilled calm hopeful
      ashamed guilty heartbroken devastated shocked stress
  employer company: google amazon microsoft apple startup firm agency hospital bank school shop nonprofit restaurant
      facebook corporation studio boss
  encounter meet: party gym school class online conference tinder bar college work bumped introduce
  energy power: solar electric gas wind nuclear battery generator coal outage fossil turbine
  engine: brake tire battery transmission clutch radiator alternator exhaust windshield bumper
  ensemble orchestra choir: symphony quartet band conductor soprano violin cello chorus trio soloist philharmonic
  environment environmental sustainable: recycle climate pollution compost solar ocean plastic wildlife conservation
      electric deforestation
  errand: groceries pharmacy bank post laundry refill dmv carwash petrol supermarket
  essay thesis paper: history climate psychology english dissertation research chapter professor literature biology
  ethnicity heritage background: asian african hispanic latino black white indian jewish irish italian native chinese
      mexican swedish arab caribbean roots immigrant
  event: concert wedding festival party conference parade fundraiser race tournament fair exhibition workshop graduation
      gala reunion convention marathon birthday meetup ceremony retreat show meeting
  exam test: midterm final quiz sat gre bar lsat mcat driving gcse toefl ielts certification blood biopsy
  excited anticipate: trip concert wedding baby vacation tickets release birthday puppy festival
  exercise workout fitness: run yoga gym swim jog weight walk lift cycle pilates cardio squat pushup plank crossfit hike
      stretch treadmill aerobics kickboxing marathon zumba boxing hiit spin bike deadlift dance
  exhibit museum gallery: art dinosaur sculpture painting history louvre science monet photography fossil
  expense bill cost spend: rent mortgage groceries insurance electricity tuition gas utilities subscription tax repair
      internet childcare
  eye vision: glasses contacts lasik cataract nearsighted blind optometrist lens eyesight ophthalmologist
  family: mother father sister brother son daughter kid child husband wife parent grandmother grandfather aunt uncle
      cousin
  farewell goodbye: funeral retirement moving airport graduation hug leaving letter party cry
  farm crop: corn wheat cow chicken barn tractor harvest horse apple orchard goat
  fear phobia afraid: spider height snake fly dark death failure clown needle shark water public rejection claustrophobic
      drowning ghost
  feast: turkey stuffing ham pie gravy latke gingerbread eggnog cranberry potatoes tamales
  feel: happy sad angry scared proud anxious nervous excited grateful relieved stress
  festival: music film food coachella diwali pride carnival oktoberfest tomorrowland glastonbury jazz art mardi
  financial finances wealth: rich poor debt broke wealthy middle savings struggling mortgage loan afford budget rent
      salary bankrupt
  finish completed: book marathon degree project painting thesis course novel screenplay puzzle
  firefighter rescuer responder: fire police ambulance paramedic rescue brigade emt hero station lifeguard
  firsts: crawl steps tooth words smile kindergarten bike swim giggle babble
  fish seafood: salmon tuna trout cod shrimp crab lobster oyster clam mussel scallop squid octopus calamari bass halibut
      sardine tilapia mackerel goldfish shark catfish prawn anchovy sushi
  flower bloom: rose tulip lily sunflower daisy orchid lavender dahlia peony carnation marigold iris daffodil hydrangea
      violet lilac jasmine poppy chrysanthemum begonia petunia geranium lotus magnolia bouquet blossom
  food: pizza pasta burger sushi taco salad soup sandwich chicken rice curry steak noodle ramen bread cheese egg burrito
      dumpling lasagna fries seafood chocolate cake cookie fish vegetable fruit ice cream dessert dinner lunch breakfast
      recipe bake
  format file: json csv pdf xml yaml markdown html jpeg png mp3 excel parquet docx
  found discover: cafe trail shop bakery park bookstore letter hobby kitten bookshop
  fracture bone: leg arm wrist ankle rib cast crutches collarbone hip sling
  framework library stack: react django flask angular vue spring rails express node nextjs svelte pytorch tensorflow
      laravel fastapi bootstrap pandas tailwind jquery
  franchise universe: marvel starwars potter disney pokemon rings dc trek avengers transformers batman
  freelance sidejob: uber tutoring babysit photography etsy design writing delivery consulting translate
  friend: buddy pal roommate neighbor classmate bestie coworker teammate colleague mate
  fruit: apple banana orange strawberry blueberry raspberry grape mango peach pear pineapple watermelon cherry lemon lime
      kiwi plum avocado melon coconut papaya pomegranate fig apricot berry
  fundraiser: bake auction raffle race marathon charity dinner concert gala raise tournament
  furniture: couch sofa table chair desk bed bookshelf dresser lamp mattress cabinet shelf bookcase wardrobe stool
      armchair recliner nightstand rug bench sectional crib
  game: chess poker monopoly scrabble minecraft zelda fortnite mario catan football basketball puzzle card dnd cyberpunk
      overwatch pokemon sims trivia witcher valorant tetris charades checkers playstation xbox nintendo play console
      video board tournament
  garden grow planted: tomato flower herb rose vegetable basil pepper lavender seed lettuce strawberry sunflower compost
      zucchini cucumber
  gelato: vanilla chocolate strawberry mint coconut pistachio cookie sorbet mango caramel
  gem stone gemstone: diamond ruby emerald sapphire pearl amethyst opal crystal quartz jade turquoise topaz
  gender sex: woman man female male transgender nonbinary girl boy trans lady
  genre: fantasy mystery thriller romance horror comedy drama rock jazz pop classical country action fiction documentary
      scifi rap hiphop folk blues memoir biography metal indie rpg strategy
  gift present: necklace book watch flowers ring bracelet doll painting card chocolate ticket guitar jewelry bike camera
      mug voucher scarf teddy puppy earrings perfume pendant bowl birthday surprise wrap
  goal ambition aspiration plan: marathon house adopt business degree weight travel promotion championship career savings
      book family graduate certification write shelter
  government official: mayor senator police council congress president judge governor minister sheriff
  grandparent: grandma grandpa nan papa gran abuela
  habit routine: smoke walk journal meditate run coffee read exercise yoga gym jog procrastinate morning snack nails
      biting stretch
  hairstyle haircut hair: bangs bob braid ponytail curls dye blonde brunette bald pixie highlights dreadlocks bun curly
      salon
  happiness joy: family kids music friends dancing nature dog laughing art cooking
  haunt hangout: cafe bar pub park library mall arcade gym diner bookstore rooftop
  health wellness: exercise diet gym sleep yoga meditate weight walk vegetables sugar vitamin swim checkup cholesterol
      hydrate blood pressure doctor hospital surgery sick injury diagnosis therapy medicine
  heart cardiac: palpitation stroke pressure cholesterol bypass cardiologist arrhythmia pacemaker artery angioplasty
  help assist: volunteer donate tutor move homeless neighbor mentor shelter babysit friend
  herb spice seasoning: basil mint cilantro rosemary thyme parsley oregano cinnamon ginger garlic cumin turmeric paprika
      saffron sage dill pepper salt chili nutmeg curry clove vanilla coriander
  historical history era: medieval victorian roman renaissance egypt revolution ancient civil war empire colonial
  hobby pastime interest passion: paint read photography cook bake garden hike knit draw write guitar piano dance game
      chess pottery music fish sew collect birdwatching woodworking yoga run surf crochet
      scrapbook origami camp swim climb ski play craft
  holiday: christmas thanksgiving easter halloween hanukkah diwali july eid ramadan valentine passover kwanzaa memorial
      labor vacation trip cabin hotel beach resort camp ski flight travel
  home house residence live: apartment condo cottage cabin townhouse mansion studio loft rent mortgage suburb flat dorm
      duplex trailer farm bungalow
  hometown birthplace born origin: grew raised village sweden texas ohio mexico native roots childhood immigrate
  hurt: injury accident broke sprain knee ankle wrist surgery
  hygiene toiletry: shower toothbrush soap shampoo toothpaste deodorant razor bath lotion floss
  identification id: passport license ssn card badge visa birth fingerprint number certificate
  identity: transgender gay lesbian queer bisexual nonbinary woman man latina immigrant lgbtq straight asian trans jewish
      christian nationality gender
  ideology view stance: liberal conservative feminist progressive vegan pacifist libertarian equality socialist anarchist
      activist
  illness disease sick condition: cancer flu diabetes cold covid asthma arthritis pneumonia anxiety depression alzheimer
      dementia gastritis stroke migraine fever infection heart ulcer lupus leukemia epilepsy
      anemia obesity
  immigration migrate: visa refugee citizenship asylum border moved passport emigrate
  income money earn: salary wage paycheck bonus freelance tips pension commission royalty sponsorship endorsement
  industry sector field: tech healthcare finance education marketing engineering law medicine retail hospitality
      psychology construction fashion manufacturing biotech agriculture insurance media energy
      counseling film
  infrastructure: road bridge school hospital library park pothole sidewalk transit railway sewer broadband
  ingredient: flour sugar butter egg milk cheese garlic onion chicken tomato oil salt pepper chocolate vanilla cream lemon
      coconut rice basil cinnamon honey yeast ginger spice
  injury hurt: ankle knee sprain broken wrist fracture back concussion shoulder torn cut burn bruise leg arm ligament
      twist tendon hamstring
  insect bug pest: bee butterfly ant mosquito spider beetle wasp fly moth ladybug dragonfly cricket grasshopper
      caterpillar cockroach tick flea termite bedbug aphid firefly hornet worm
  inspiration motivation: nature family childhood dream music grandma travel journey book sunset coach kids mother
  instrument: guitar piano violin drum flute clarinet saxophone trumpet cello ukulele harp banjo bass keyboard harmonica
      trombone accordion viola oboe mandolin tuba synth recorder fiddle organ xylophone bagpipe percussion
      tambourine sing
  insurance: health car life home dental renters travel premium deductible claim policy
  interview: job hired recruiter offer resume hr podcast manager onsite candidate screening
  investment asset: stocks bonds crypto property bitcoin fund etf estate gold shares index pension
  investor funding: grant loan venture seed crowdfunding kickstarter bank angel savings donation
  island: hawaii bali maui jamaica iceland sicily crete bahamas cuba maldives santorini oahu
  issue problem challenge struggle difficulty: money stress health funding anxiety discrimination traffic leak debt
      infrastructure poverty pollution injury loneliness deadline education
      burnout pain breakup
  jewelry jewellery: necklace ring bracelet earrings pendant locket brooch chain watch charm pearl diamond anklet
  job occupation profession work: teacher nurse engineer doctor manager developer lawyer waiter chef artist writer
      designer accountant counselor coach mechanic barista programmer consultant salesman
      therapist electrician pilot librarian cashier photographer journalist architect server
      hire interview promotion office company business
  join: gym club team choir army class band group church company league
  joke prank humor: pun funny laugh hilarious standup meme april sarcasm comedian giggle
  kitchenware utensil cookware: pan pot knife spoon fork plate bowl blender whisk skillet mug wok grater spatula cup
  landmark attraction sight monument: tower museum castle bridge cathedral temple statue eiffel colosseum palace park
      waterfall canyon pyramid louvre ruins fountain memorial aquarium zoo
  language: spanish french english german italian japanese chinese mandarin korean portuguese russian arabic hindi latin
      swedish dutch greek polish turkish vietnamese python java javascript hebrew
  law crime offence: theft robbery assault fraud murder arrest speeding burglary stolen hit vandalism scam trespass dui
      police mugged
  leader politician: mayor obama president king queen senator ceo chief principal governor
  learn: guitar piano spanish coding pottery cooking french surfing drive photography knit dance swim sew
  legal: lawyer court lawsuit sue attorney judge custody divorce contract visa trial settlement
  listen: music podcast album song jazz rock spotify radio audiobook playlist classical
  livestock: cow pig sheep goat chicken horse cattle hen duck goose lamb turkey alpaca llama donkey rooster pony
  loss grief lost: death passed funeral mourn job wallet house keys dog divorce breakup miscarriage
  lost missing misplaced: keys wallet phone passport ring cat dog luggage glasses earring umbrella
  love affection: hug kiss cuddle date flowers crush romance valentine boyfriend girlfriend snuggle
  lunch dinner supper: sandwich salad soup pasta pizza burger chicken steak curry roast wrap rice noodle sushi taco
      leftovers takeout
  magic fantasy: wizard dragon witch elf unicorn fairy hogwarts spell hobbit sorcerer potion
  makeup cosmetics skincare: lipstick mascara foundation eyeliner blush concealer moisturizer serum sunscreen eyeshadow
      lotion cleanser
  marketing advertise promote: instagram ad flyer campaign blog influencer seo newsletter discount video giveaway email
      poster
  martial: karate judo taekwondo jiujitsu aikido boxing kickboxing kungfu taichi mma wrestling muay dojo
  match score: lost points basketball goal victory tie beat final overtime
  material fabric: wood clay cotton wool metal glass leather silk plastic paper yarn linen stone steel canvas denim velvet
      bamboo polyester gold silver ceramic concrete
  mathematics math: algebra calculus geometry statistics fraction trigonometry equation probability arithmetic theorem
  meat: chicken beef pork steak bacon turkey lamb sausage ham ribs burger meatball duck veal brisket venison salami
      pepperoni
  medication medicine drug prescription: antibiotic ibuprofen insulin aspirin antidepressant inhaler painkiller pill
      tylenol antihistamine tablet steroid statin melatonin metformin zoloft
  medium technique: watercolor acrylic oil charcoal clay pastel ink pencil digital collage film print ceramic pen
  meeting: standup retro sync review planning demo interview call zoom conference kickoff retrospective workshop
  memory: childhood photo album grandma camping trip beach wedding kid nostalgia summer holiday nostalgic
  mental disorder: anxiety depression adhd ptsd bipolar ocd panic autism stress anorexia bulimia schizophrenia insomnia
      burnout
  mentor idol inspire: teacher coach grandma mother father professor boss friend author artist sister
  message text letter: email call dm note voicemail postcard sms whatsapp slack telegram reply
  metal: gold silver steel iron copper bronze aluminum platinum brass titanium
  methodology process: agile scrum kanban sprint waterfall tdd review standup lean retro backlog
  metric kpi: revenue latency conversion churn uptime throughput retention accuracy growth signup
  military army serve: navy marine soldier veteran deployed airforce enlist sergeant deployment troops base guard boot
  miss homesick: family home mom friend grandma hometown hug peru ex grandpa dog
  monitoring observability logging: grafana prometheus datadog sentry alert dashboard metrics kibana cloudwatch splunk
      tracing
  month: january february march april june july august september october november december
  motorcycle motorbike: harley yamaha ducati vespa kawasaki honda scooter suzuki helmet bmw
  mountain peak: everest rockies alps fuji kilimanjaro rainier himalaya hood denali summit ridge volcano
  movie film: inception titanic avengers matrix interstellar star comedy thriller horror drama romance documentary marvel
      disney pixar sequel trilogy animated godfather netflix cinema rings potter eternal watch series scene actor
  moving relocate: apartment boxes city unpack country house lease california london mover
  music: rock jazz pop classical country hiphop rap blues folk metal indie reggae electronic punk soul techno opera gospel
      funk edm rnb song album band concert lofi disco guitar piano listen
  musician singer composer: beatles mozart bach beethoven beyonce swift sheeran adele dylan eminem drake queen coldplay
      vivaldi chopin band rapper elvis
  myth legend: zeus odin dragon mermaid phoenix bigfoot ghost vampire unicorn thor
  nationality: american british canadian mexican swedish german french italian spanish indian chinese japanese irish
      australian brazilian korean dutch russian polish scottish
  nature landscape scenery outdoors: mountain lake forest beach ocean waterfall sunset river trail desert canyon valley
      cliff island meadow stars hike camp
  neighbor neighbour roommate: apartment nextdoor upstairs flatmate tenant landlord street housemate dorm fence rent
  news announcement: pregnant engaged promotion married accepted baby moving hired expecting
  nickname name called: max luna bella charlie oscar buddy daisy coco bailey
  nuisance: barking loud construction smoke mosquitoes mold leak rats mice ants
  number count many: two three four five six seven eight nine ten dozen several couple hundred thousand twice
  nut: almond peanut walnut cashew pecan pistachio hazelnut macadamia chestnut nutella
  nutrient supplement vitamin: protein iron calcium fiber magnesium zinc omega carb probiotic creatine collagen potassium
  often frequency frequent: daily weekly monthly twice yearly everyday rarely weekend nightly annually
  organization organisation agency: nonprofit charity church shelter foundation school redcross unicef habitat council
      union ngo company club government
  orientation sexuality: gay lesbian bisexual straight queer pansexual asexual lgbtq bi homosexual
  os: windows linux ubuntu mac macos android ios debian fedora arch centos
  outing excursion: zoo museum beach park picnic aquarium hike movie concert theater carnival
  owns possession: car house dog boat guitar bike cat violin motorcycle cabin laptop
  pain ache: back knee headache shoulder neck stomach migraine tooth joint chest
  painting drawing: landscape portrait sunset sunrise lake watercolor acrylic oil canvas abstract flower horse ocean
      mountain mural sketch nature sunflower
  parent: mother father stepfather stepmother folks
  parenting childcare: nanny daycare babysit diaper discipline bedtime preschool stepdad breastfeed toddler curfew
  park: yosemite yellowstone playground zion everglades glacier disneyland dog skatepark trail picnic rockies acadia
      redwood
  party gathering: birthday shower barbecue bbq potluck picnic housewarming bachelorette cookout dinner reunion costume
  pasta noodle: spaghetti lasagna penne ravioli fettuccine ramen gnocchi carbonara macaroni udon pad
  pastor clergy: priest rabbi imam monk nun minister reverend bishop vicar deacon
  pattern: floral stripe polka plaid geometric dots paisley checkered checked tartan camouflage leopard
  payment pay: cash card credit paypal venmo cheque check installment debit invoice transfer crypto
  penalty fine: speeding ticket parking tow dui library license court seatbelt suspended
  performance theatre theater: play concert musical ballet opera recital dance show comedy standup broadway hamilton gig
      talent
  pet: dog cat puppy kitten rabbit hamster turtle parrot goldfish fish guinea bunny lizard snake bird gecko ferret
      tortoise parakeet pup kitty doggo gerbil hedgehog iguana pig horse
  petcare supplies: leash collar toy litter kibble bed treats crate cage aquarium
  phone smartphone: iphone samsung galaxy pixel android google oneplus nokia motorola huawei xiaomi
  photo picture: sunset landscape portrait nature wildlife beach family dog selfie lake mountain flower snapshot polaroid
      album
  physique figure: slim tall muscular overweight chubby thin petite athletic skinny fit
  place location spot: beach park museum cafe mountain lake restaurant city forest library garden trail shelter church
      mall zoo gym theater island aquarium studio campground castle market country camp home
  plant: flower succulent cactus fern herb orchid basil tomato rose lavender ivy monstera bonsai aloe sunflower mint tulip
      lily pothos seedling vine shrub bamboo moss palm tree garden
  play: guitar piano violin basketball soccer tennis chess videogame football drums clarinet hockey poker
  playground ride amusement: slide swing rollercoaster carousel ferris disneyland seesaw coaster sandbox trampoline climb
  playlist album: jazz rock spotify vinyl soundtrack pop lofi mixtape mix track
  podcast channel: youtube spotify episode host interview vlog crime comedy comedian audio listener
  poem poetry: haiku sonnet rhyme verse spoken slam limerick stanza frost dickinson rumi
  politics: liberal conservative democrat republican vote election campaign mayor senator progressive socialist office
      council
  pollution waste: plastic trash litter smog oil carbon garbage sewage chemical emission exhaust
  pottery ceramic clay: bowl cup mug vase pot plate kiln wheel glaze figurine sculpt
  pregnancy birth: baby due ultrasound labor trimester midwife csection miscarriage ivf morning
  prepare: study pack practice train rehearse research interview resume exam cook
  product: app shoes clothing candle soap jewelry phone hoodie laptop software cosmetic
  programming: python javascript java typescript ruby rust golang cpp php kotlin swift sql html css scala perl haskell
      csharp
  project: app website garden mural novel renovation painting design startup research prototype documentary thesis quilt
      robot sculpture redesign migration
  promotion advance raise: manager senior lead supervisor director salary assistant executive partner principal
  property estate: land acre house barn cabin yard condo apartment ranch
  protocol api: rest graphql grpc http websocket endpoint webhook mqtt tcp json soap
  purchase buy shopping: shoes dress car book house laptop phone figurine groceries furniture ticket camera jacket watch
      bike tv couch boots
  puzzle brainteaser: jigsaw crossword sudoku wordle riddle rubik maze trivia logic escape
  quit stop: smoking job drinking sugar school alcohol soda meat team coffee
  race run: marathon 5k 10k triathlon charity sprint relay halfmarathon mile jog ironman
  rank level grade: beginner intermediate advanced sergeant captain belt freshman senior novice expert amateur
  reading: book novel magazine article poem newspaper comic manga memoir blog biography fantasy mystery kindle
  regret mistake: quit bought lied missed forgot dropped cheated smoking divorce yelled
  rejection: letter publisher job college editor declined turned audition visa agent manuscript
  relationship marital: single married divorced dating engaged boyfriend girlfriend husband wife widowed breakup separated
      partner fiance
  relative family relation: mother father sister brother son daughter grandma grandpa aunt uncle cousin wife husband niece
      nephew kid
  relax unwind destress: yoga meditate read bath music walk paint run nature beach massage dance garden spa tea nap
      breathe candle pottery swim journal hike
  religion faith: christian catholic muslim jewish hindu buddhist church god bible atheist islam mosque temple pray
      synagogue prayer baptist mormon spiritual
  religious spiritual: church pray bible faith god meditate mosque temple sunday prayer worship
  remote workplace office: cubicle home coworking desk hybrid headquarters zoom studio warehouse cafe
  renovation remodel improvement: kitchen bathroom paint floor deck tile roof wallpaper basement cabinet countertop fence
      patio
  repair fix: roof pipe car engine leak fence sink bike plumber brake faucet tire heater mechanic
  reptile amphibian: snake turtle lizard gecko iguana tortoise frog toad crocodile alligator chameleon python salamander
      newt boa
  research: psychology adoption climate cancer agency ai neuroscience education history survey thesis
  resolution: exercise weight quit smoking read save diet learn sober debt journal declutter
  responsibility duty: feed walk groom litter bath brush clean dishes bills babysit
  restaurant eatery: cafe pizzeria diner bistro sushi mcdonalds bakery steakhouse pub grill buffet taco food chipotle
      brunch
  retirement: pension travel golf grandkids florida garden savings cruise hobby grandchildren
  reunion: highschool family college army cousins alumni class veterans siblings barbecue
  rights freedom: equality vote speech marriage lgbtq abortion women civil protest liberty
  river lake ocean: tahoe nile michigan thames mississippi pacific atlantic amazon como superior
  role position title: manager director lead engineer assistant intern analyst coordinator supervisor president captain
      consultant officer specialist executive associate head point forward guard goalkeeper quarterback
      striker
  role acting part: hamlet villain lead hero extra princess audition romeo understudy cast
  room: kitchen bedroom bathroom living basement attic office garage nursery study dining laundry closet balcony studio
      lounge hallway
  sad upset: died funeral breakup lost cry divorce grief fired lonely cancer
  salad: caesar greek kale quinoa cobb potato lettuce caprese coleslaw arugula
  scary scared frightening: accident horror storm spider ghost bear crash earthquake turbulence nightmare
  scene stage: theater backdrop curtain spotlight audience props script rehearsal actor costume
  scholarship grant: tuition university athletic fulbright merit fellowship bursary academic basketball nsf
  school college university: harvard stanford yale oxford cambridge princeton ucla berkeley kindergarten elementary
      academy campus highschool preschool community
  science scientist: biology chemistry physics astronomy geology neuroscience ecology genetics botany zoology lab
  scientific discovery invention: telescope vaccine electricity engine penicillin gravity fossil dna robot patent
  season: spring summer autumn fall winter monsoon springtime summertime wintertime rainy
  selfcare pamper: bath run read spa violin massage skincare meditate journal yoga nap walk
  sell sale: house car painting cookies clothes jewelry bike furniture guitar boat antiques stall
  sentimental treasured special: necklace ring letter photo quilt guitar grandma locket watch bowl
  server: staging production development sandbox localhost nginx apache cluster node vm
  setback failure obstacle fail: injury rejected lost fired layoff denied quit bankrupt flunk defeat breakup missed
  sewing textile: quilt dress needle embroidery fabric knit crochet curtain blanket scarf
  shape: circle square heart star triangle oval rectangle round spiral diamond moon cube
  share: photo recipe story poem picture video song link playlist meme selfie
  shift schedule: morning night overtime weekend evening parttime fulltime rota calendar roster
  shoe footwear: sneakers boots sandals heels slippers nike adidas flats loafers jordans converse vans
  show series tv: netflix episode season sitcom drama anime documentary friends thrones office witcher sherlock stranger
      breaking hbo hulu bridgerton finale
  sibling: brother sister twin bro sis stepbrother stepsister half eldest youngest triplet
  size: small large tiny huge medium big tall acre foot inch square meter
  skill talent ability: cook paint code speak write draw sing play communication leadership dance design drive guitar
      piano negotiate program juggle organize teamwork
  skin: acne eczema rash sunburn psoriasis mole dermatologist tan wrinkle hives
  sky: sunset sunrise stars rainbow moon clouds aurora meteor lightning eclipse
  sleep: insomnia nap nightmare bed tired snore melatonin awake exhausted pillow mattress dream
  smell scent fragrance: lavender vanilla perfume cinnamon candle smoke rose coffee jasmine incense garlic
  snack: chips popcorn cookie nuts fruit crackers pretzel candy chocolate cheese granola yogurt hummus bar nachos trail
      jerky
  social: instagram facebook twitter tiktok youtube snapchat linkedin reddit discord pinterest twitch whatsapp telegram
  song: album lyrics melody tune ballad chorus anthem lullaby hit single track playlist
  sound noise: bark bang siren snore alarm squeak music scream thunder buzz
  soup stew: chicken tomato ramen chili pho lentil minestrone chowder gumbo pumpkin
  souvenir keepsake heirloom memento: necklace ring photo magnet postcard shell locket watch quilt letter bracelet mug
      medal pendant
  space astronomy planet: moon star mars telescope saturn jupiter eclipse meteor galaxy comet venus constellation perseid
  speech talk presentation: school conference lgbtq keynote toast ted slides audience panel lecture
  sponsor endorsement: nike gatorade armour adidas contract brand redbull puma reebok logo
  sport: basketball soccer football tennis baseball volleyball hockey swim golf run cycle surf ski boxing rugby cricket
      badminton gymnastics wrestling lacrosse softball skate climb karate snowboard rowing track fencing judo archery
      bowling marathon yoga gym team game match
  spouse partner: husband wife fiance fiancee boyfriend girlfriend hubby married wedding bride groom
  spring: blossom easter tulip april garden allergies bloom rain daffodil pollen
  stage phase: childhood pregnant teenager college retirement parenthood midlife toddler newborn adult
  start begin: business job blog class diet yoga company journal channel course gym
  state province: california texas florida york washington oregon colorado michigan ohio georgia illinois massachusetts
      minnesota arizona nevada utah hawaii alaska virginia carolina pennsylvania tennessee connecticut
      wisconsin indiana montana ontario quebec
  stationery supplies: pencil notebook backpack pen paper crayon book journal marker planner
  status: single married divorced engaged pregnant unemployed retired employed immigrant veteran widowed student broke
      relationship partner
  story plot: fantasy detective romance adventure dragon mystery journey hero survival thriller
  streaming subscription service: netflix hulu spotify disney hbo prime youtube apple twitch audible amazon kindle
      magazine
  strength strong: leadership courage resilience communication determination empathy creativity persistence problem
      patience
  stress stressor: deadline exam money workload boss job moving divorce commute debt overtime traffic
  student pupil: freshman sophomore junior senior undergraduate graduate kindergartner classmate kindergarten
      valedictorian dropout
  stunt adventure thrill: skydive bungee rafting climb paraglide zipline scuba rollercoaster safari parachute surf
  style fashion look: vintage casual elegant minimalist bohemian modern goth classic trendy rustic chic retro abstract
  subject study: math science history english biology chemistry physics psychology art geography economics literature
      philosophy algebra calculus geometry spanish french music statistics
  summer: beach swim camp barbecue pool vacation sunscreen popsicle lake heat sun july august june
  supermarket retailer store: walmart target ikea costco amazon bakery mall grocery market thrift bookstore pharmacy
      florist
  superstition luck: charm clover ghost horoscope zodiac astrology tarot karma fortune omen crystals
  support: friends family mentor husband therapist group community encouragement mom team
  surgery operation procedure: appendix knee heart transplant bypass cataract hip tonsil csection biopsy wisdom implant
      lasik
  surprise unexpected: party gift proposal pregnant visit promotion news bouquet balloons inherit reunion
  swimming: pool lake ocean laps freestyle butterfly beach river backstroke goggles
  symbol represent meaning: heart rainbow flag cross dove eagle love freedom strength faith lotus phoenix hope necklace
      tattoo
  symptom: pain fever cough headache nausea fatigue dizzy rash vomit swelling sore tired itchy chills cramp breath
      insomnia sneeze
  takeaway takeout: pizza chinese burger thai sushi doordash ubereats fries indian kebab
  talent performance recital: piano ballet singing violin magic juggling dance choir guitar comedy
  taste flavor flavour: chocolate vanilla strawberry mint coconut salty sweet spicy caramel bitter lemon sour pistachio
  tattoo: dragon flower rose butterfly name quote phoenix sleeve arm ankle ink
  tea: chamomile green matcha earl chai oolong peppermint black herbal jasmine
  teach: yoga math english cooking piano kids class coding art swim drive
  team: lakers yankees warriors celtics bulls wolves cowboys patriots eagles liverpool arsenal chelsea barcelona dodgers
      packers united madrid
  technology tech: ai vr robot drone blockchain machine app phone 3d smart internet
  testing: pytest unit jest integration selenium cypress mock coverage junit regression playwright
  theft stolen: wallet bike car phone laptop purse package burglar robbed jewelry
  therapy therapist counseling: cbt counselor psychologist physical group couples art equine psychiatrist mental session
      music emdr journaling talk
  tool equipment gear: hammer drill saw wrench screwdriver tent backpack camera helmet boots brush ladder shovel rope
      kayak paddle tripod lens microphone easel weights
  topic theme: nature love identity loss climate family self acceptance education technology politics lgbtq grief
  topping sauce condiment: ketchup mustard mayo pesto salsa gravy pepperoni mushroom onion cheese olive syrup sprinkles
      chocolate guacamole hummus sriracha soy
  tournament esports: valorant league counterstrike fortnite overwatch smash dota street cs rocket
  toy: doll lego puzzle teddy ball car blocks train plush kite yoyo stuffed frisbee barbie dinosaur robot playdough
  tradition custom: christmas dinner thanksgiving camping recipe baking reunion sunday potluck tree holiday bonfire lights
  trail hike: mountain waterfall forest summit appalachian boots canyon ridge peak backpack lake
  trait personality attribute quality: kind brave honest shy funny caring patient loyal creative stubborn generous smart
      thoughtful confident determined outgoing passionate empathetic lazy playful
      selfless authentic driven ambitious supportive
  transport commute travel: car bus train bike plane subway walk drive taxi uber metro flight ferry tram scooter boat
      cycle carpool lyft rideshare fly ride van
  treatment cure remedy: surgery chemo medication therapy antibiotic physical rehab pill insulin inhaler vaccine
      acupuncture massage radiation cream injection transplant ointment
  tree: oak maple pine willow birch palm cedar cherry apple redwood sequoia spruce fir elm cypress magnolia eucalyptus
      olive aspen evergreen sapling
  trick obedience: sit stay fetch paw roll leash agility recall swim
  unemployed jobless fired: laid layoff quit lost resign downsized terminated redundant sacked furlough bankrupt
  vacation: trip cabin hotel beach resort camp ski flight travel cruise
  value principle: family honesty love loyalty kindness respect equality freedom acceptance courage trust authenticity
      integrity compassion
  vegetable veggie: tomato carrot potato onion pepper spinach broccoli lettuce cucumber kale zucchini pea bean cabbage
      cauliflower corn celery eggplant beet radish pumpkin squash asparagus mushroom garlic leek
  vehicle: car truck bike van motorcycle suv jeep prius tesla boat bus scooter rv camper minivan pickup toyota honda ford
      subaru sedan convertible tractor mustang ferrari
  venue: stadium theater arena club bar hall park church hotel gallery rooftop barn garden beach
  versioning repository: git github gitlab bitbucket branch commit merge pull fork rebase monorepo
  vet veterinary: vaccine spay neuter checkup surgery limp worms fleas xray rabies
  video content: vlog tutorial reel youtube tiktok livestream gameplay clip unboxing review
  videogame: zelda minecraft mario fortnite overwatch cyberpunk witcher valorant pokemon sims halo fifa xbox playstation
      nintendo switch steam rpg shooter league skyrim roblox gta
  violence abuse: assault domestic bullying hit harassment attack shooting war threat
  visit: museum paris beach grandma rome zoo castle london park family hospital gallery
  war battle: iraq vietnam afghanistan ukraine civil world soldier gulf army veteran refugee
  watch: movie netflix show series game film sunset documentary stars football episode youtube anime
  water: lake ocean river sea pool pond beach waterfall creek stream bay
  watersport: surf kayak swim paddle snorkel scuba dive sail canoe raft rowing wakeboard kitesurf windsurf paddleboard
  weakness flaw vice: impatient procrastinate perfectionist stubborn chocolate sugar disorganized soda ginger sweets shy
  weather: rain snow sunny storm hot cold wind cloudy fog heatwave thunder humid freezing hail blizzard drizzle warm
      lightning sun
  website site: youtube etsy amazon facebook ebay reddit wikipedia linkedin blog goodreads airbnb craigslist medium
      pinterest google
  wedding marriage: dress ring vows bride groom honeymoon cake bridesmaid venue reception anniversary
  weekday: monday tuesday wednesday thursday friday saturday sunday weekend midweek
  weight height measurement: pound kilo foot inch kg cm tall ounce gram centimeter
  winter: snow ski sled christmas skate snowman cold fireplace mittens snowboard snowstorm ice january february december
  wintersport: ski snowboard skate sled hockey snowshoe luge curling snowmobile
  worry concern anxious: money exam health job surgery deadline debt interview kids climate
  worship holy: church mosque temple synagogue chapel cathedral shrine bible quran torah mass
  writing: poem novel story journal blog article screenplay essay script lyrics diary letter memoir poetry fiction book
      report
  yard backyard: patio deck fence pool shed treehouse porch greenhouse gazebo pond
  yoga meditation: vinyasa pose breath mindfulness aerial hatha mat retreat headspace calm
  zodiac sign: aries taurus gemini cancer leo virgo libra scorpio sagittarius capricorn aquarius pisces
`;
