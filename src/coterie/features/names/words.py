"""Small tables of words that relate the tokens of names, such as nicknames and abbreviations.

The tables are made for names in English texts. All their words have their case folded.
"""

from coterie.features.names.tokens import fold_case


def _parse_groups(entries: str) -> dict[str, str]:
    """Parse groups of synonyms into a mapping from each word to the first word of its group.

    >>> _parse_groups("mr mister; dr doctor")
    {'mr': 'mr', 'mister': 'mr', 'dr': 'dr', 'doctor': 'dr'}
    """
    groups = [entry.split() for entry in entries.split(";")]
    return {word: group[0] for group in groups for word in group}


def _parse_short_forms(entries: str) -> dict[str, tuple[str, ...]]:
    """Parse words, each followed by its short forms, into a mapping from forms to words.

    A word is a form of itself, and a short form may belong to several words.

    >>> _parse_short_forms("saint st; street st")
    {'saint': ('saint',), 'st': ('saint', 'street'), 'street': ('street',)}
    """
    full_words: dict[str, tuple[str, ...]] = {}
    for word, *short_forms in (entry.split() for entry in entries.split(";")):
        for form in (word, *short_forms):
            full_words[form] = (*full_words.get(form, ()), word)
    return full_words


HONORIFICS = _parse_groups("""
    mr mister; mrs missus; ms miss; madam madame mme; mademoiselle mlle; monsieur; herr; frau;
    signor; signora; senor; senora; dr doctor; prof professor; pres president; vice; premier;
    chancellor; minister; secretary sec; undersecretary; ambassador amb; sen senator; rep
    representative congressman congresswoman; gov governor; mayor; councillor councilor
    councilman councilwoman; speaker; chair chairman chairwoman chairperson; judge; justice;
    attorney atty; sheriff; officer; detective det; inspector insp; superintendent supt; gen
    general; brigadier brig; col colonel; maj major; capt captain cpt; lt lieutenant; sgt
    sergeant; cpl corporal; pvt private; adm admiral; cmdr commander; cmdt commandant;
    marshal; coach; rev reverend; father fr; sister; brother; bishop; archbishop; cardinal;
    pope; rabbi; imam; sheikh sheik shaikh; ayatollah; hon honorable honourable; sir; dame;
    lord; lady; king; queen; prince; princess; emperor; empress; tsar czar tzar; tsarina
    czarina tsaritsa
""")
"""Honorifics that come before names, in groups of equivalents."""

SURNAMES = frozenset(
    _parse_groups("bishop; cardinal; judge; justice; king; lord; major; marshal; pope; prince")
)
"""Honorifics that are surnames at the end of a name, as in Dr. King and Burger King."""

SUFFIXES = _parse_groups("""
    jr junior jun; sr senior; esq esquire; phd dphil; md; mp; qc kc
""")
"""Honorifics that come after names, in groups of equivalents."""

NICKNAMES = _parse_short_forms("""
    aaron ron; abigail abby gail; abraham abe bram; adelaide addie ada; alan al; albert al
    bert bertie; alexander alex al alec sandy xander sasha; alexandra alex sandra sandy sasha
    lexi; alfred al alf fred freddy; alison ally ali; allan al; allen al; alvin al; amanda
    mandy; amelia millie amy; andrew andy drew; angela angie; ann annie nan nancy; anna annie;
    anne annie nan nancy; anthony tony ant; antonio tony toni; archibald archie; arnold arnie;
    arthur art artie; augustus gus; augustine gus; barbara barb babs barbie; barnabas barney;
    bartholomew bart; beatrice bea trixie; benedict ben; benjamin ben benny benji; bernard
    bernie; bertram bert; bradley brad; calvin cal; cameron cam; caroline carrie carol;
    carolyn carrie carol; cassandra cass cassie; catherine cathy cat kate katie kitty; cecilia
    cissy celia; charles charlie chuck chas chaz; charlotte lottie charlie; christian chris;
    christina chris chrissy tina; christine chris chrissy tina; christopher chris kit topher;
    clifford cliff; clinton clint; constance connie; cornelius neil corny; curtis curt;
    cynthia cindy; daniel dan danny; david dave davy; deborah deb debbie debra; dennis denny;
    dominic dom nick; donald don donny donnie; dorothea dora dot dottie; dorothy dot dottie
    dolly; douglas doug; edgar ed; edmund ed eddie ned ted; eduardo ed eddie; edward ed eddie
    ned ted teddy; edwin ed eddie; eleanor nell nellie ellie nora; elijah eli; elizabeth liz
    lizzie beth betsy betty bettie bess eliza lisa libby; elisabeth liz lizzie beth betsy
    betty bess lisa; emily em emmy; emmanuel manny; ernest ernie; eugene gene; evangeline eva;
    ezekiel zeke; florence flo florrie; frances fran fanny frankie; francesca fran; francis
    frank fran frankie; francisco paco pancho frank cisco; franklin frank; frederic fred
    freddie freddy; frederick fred freddie freddy rick fritz; gabriel gabe; gabrielle gabby;
    geoffrey geoff jeff; george georgie; gerald jerry gerry; gerard jerry gerry; gilbert gil
    bert; giuseppe beppe joe; gordon gordy; grace gracie; gregory greg; gustav gus; harold hal
    harry; harriet hattie; helen nell nellie; henrietta etta hetty; henry hank harry hal;
    herbert herb bert; herman herm; howard howie; hubert bert; hugh hughie; ignatius iggy;
    irving irv; irvin irv; isaac ike zac; isabella bella izzy; isabelle bella izzy; isidore
    izzy; jacob jake; jacqueline jackie; james jim jimmy jamie jem; janet jan; jason jay;
    jeffrey jeff; jennifer jen jenny jenn; jeremiah jerry; jeremy jerry; jerome jerry; jessica
    jess jessie; joan joanie; joanna jo; joel joe; john jack johnny jon johnnie; johannes hans
    jan; jonathan jon jonny; jose pepe; joseph joe joey jo; josephine jo josie; joshua josh;
    josiah joe; judith judy; julia julie; julian jules; katherine kate katie kathy kat kitty
    kay; kathleen kathy kate kath; kathryn kate katie kathy; kenneth ken kenny; kimberly kim;
    laura laurie; laurence larry laurie; lawrence larry laurie lars; leonard leo len lenny;
    leopold leo; leroy roy; leslie les; lester les; lewis lew lou; lillian lil lily; louis lou
    louie; louise lou; lucas luke; lucille lucy; luis lou; mackenzie mac; madeline maddie;
    magdalena magda lena; margaret maggie meg peggy marge margie daisy greta madge peg rita;
    marilyn mary; marjorie marge margie; martha marty patty; martin marty; marvin marv; mary
    molly polly may mamie; matilda tilda mattie tillie; matthew matt matty; maurice mo maury;
    maximilian max; maxwell max; maxine max; megan meg; melanie mel; melissa missy mel; melvin
    mel; michael mike mick mickey mikey; michelle shelly; mildred millie; miranda randy;
    mitchell mitch; mohamed mo; mohammad mo; mohammed mo; morris mo morrie; moses mo moe;
    muhammad mo; nathan nat nate; nathaniel nat nate; natalie nat; nicholas nick nicky claus
    klaus; nicolas nick nicky; nicole nicky nikki; nikolai nick; norman norm; oliver ollie;
    olivia liv livvy; oscar ozzie; oswald ozzie; pamela pam; patricia pat patty patsy trish
    tricia; patrick pat paddy; paul paulie; penelope penny; peter pete; philip phil pip;
    phillip phil; priscilla cilla; prudence prue; rachel rae; ralph rafe; randall randy;
    randolph randy; raymond ray; rebecca becky becca; reginald reg reggie; reuben rube;
    richard dick rick ricky rich richie; robert bob bobby rob robbie robby bert; roberta
    bobbie; roderick rod; rodney rod; roland rollie; ronald ron ronnie ronny; rosemary rose
    rosie; rudolph rudy; rudolf rudy; russell russ rusty; ruben rube; samantha sam sammy;
    samuel sam sammy; sarah sally sadie; sebastian seb; sidney sid; sigmund sig; silvester
    sly; simon si; solomon sol; sophia sophie; stanley stan; stephanie steph; stephen steve
    stevie; steven steve stevie; stewart stu; stuart stu; susan sue susie suzy; susanna sue
    susie; suzanne sue suzy; sydney syd sid; sylvester sly; tabitha tabby; terence terry;
    terrence terry; teresa terry tess tessa; theresa terry tess tessa; thaddeus thad; theodore
    ted teddy theo; theodora dora thea; thomas tom tommy; tiffany tiff; timothy tim timmy;
    tobias toby; valerie val; valentine val; vernon vern; veronica ronnie vera; victor vic;
    victoria vicky vicki tori; vincent vin vince vinny; viola vi; virginia ginny ginger;
    vladimir vlad volodya; wallace wally; walter walt wally; wesley wes; wilbur will; wilfred
    wilf; wilhelm willi willy; wilhelmina mina minnie; william bill billy will willy willie
    liam; winifred winnie freda; winston winnie; yevgeny zhenya; zachary zach zack zac;
    zachariah zach zack
""")
"""Full first names and their nicknames."""

ABBREVIATIONS = _parse_short_forms("""
    administration admin; airport apt; alabama ala; alaska ak; apartment apt; arizona ariz az;
    arkansas ark; associate assoc; association assn assoc; atlantic atl; avenue ave av;
    boulevard blvd; brothers bros; building bldg; bureau bur; california calif cal; captain
    capt; center ctr cntr; centre ctr; championship champ; christmas xmas; colorado colo;
    college coll; committee cmte comm; commission comm commn; company co; compagnie cie;
    connecticut conn; corporation corp; county co cty; court ct crt; delaware del; department
    dept dep; district dist; division div; doctor dr; drive dr; east e; eastern e; electric
    elec; engineering eng engg; enterprises ent; europe eur; federal fed; federation fed;
    florida fla; fort ft; foundation fdn found; georgia ga; government govt gov; headquarters
    hq; heights hts; highway hwy; hospital hosp; illinois ill; incorporated inc; indiana ind;
    industries inds; institute inst; institution inst; insurance ins; international intl
    intnl; island is isl; islands is isls; junction jct; kansas kan kans; kentucky ky;
    laboratory lab; laboratories labs; limited ltd; louisiana la; magazine mag; management
    mgmt mgt; manufacturing mfg; maryland md; massachusetts mass; michigan mich; minister min;
    minnesota minn mn; mississippi miss ms; missouri mo; montana mont mt; mount mt; mountain
    mt mtn; mountains mts mtns; national natl nat; nebraska neb nebr; nevada nev nv; north n
    no; northeast ne; northern n no; northwest nw; ohio oh; oklahoma okla; oregon ore;
    organisation org; organization org; pacific pac; parkway pkwy; pennsylvania penn penna pa;
    philadelphia phila; place pl; point pt; port pt; president pres; professor prof; province
    prov; publications pubs; publishing pub publ; railroad rr; railway rwy ry; republic rep;
    republican rep; road rd; saint st ste; sainte ste; saints sts; school sch; science sci;
    secretary sec; senator sen; service svc serv; services svcs; society soc; south s so;
    southeast se; southern s so; southwest sw; square sq; station sta stn; street st str;
    technical tech; technology tech; telephone tel; television tv; tennessee tenn tn;
    territory terr; texas tex tx; trust tr; university univ uni; utilities utils; vermont vt;
    virginia va; washington wash; west w; western w; wisconsin wis wisc; wyoming wyo
""")
"""Words and their abbreviations, including those that leave out letters in the middle."""

SYMBOLS = _parse_short_forms("""
    and & + n et und; at @; cent ¢; cents ¢; copyright ©; degree °; degrees °; dollar $;
    dollars $; equals =; euro €; euros €; hash #; number # no nr num; numbers nos; paragraph
    ¶; percent %; plus +; pound £; pounds £; registered ®; rupee ₹; rupees ₹; section §; times
    ×; trademark tm; yen ¥
""")
"""Words and their symbols; NFKC turns № into No."""

NUMBERS = _parse_short_forms("""
    1 i one first 1st; 2 ii two second 2nd; 3 iii three third 3rd; 4 iv four fourth 4th; 5 v
    five fifth 5th; 6 vi six sixth 6th; 7 vii seven seventh 7th; 8 viii eight eighth 8th; 9 ix
    nine ninth 9th; 10 x ten tenth 10th; 11 xi eleven eleventh 11th; 12 xii twelve twelfth
    12th; 13 xiii thirteen thirteenth 13th; 14 xiv fourteen fourteenth 14th; 15 xv fifteen
    fifteenth 15th; 16 xvi sixteen sixteenth 16th; 17 xvii seventeen seventeenth 17th; 18
    xviii eighteen eighteenth 18th; 19 xix nineteen nineteenth 19th; 20 xx twenty twentieth
    20th
""")
"""Numbers in Arabic numerals, Roman numerals and words."""

SMALL = _parse_groups(
    "the a an; and & + und et; of de del di du des der; for; from; in; at; on; by; to; or; la le"
)
"""Words that acronyms often leave out; they are never abbreviations themselves."""

LEGAL_FORMS = _parse_groups("""
    inc incorporated; corp corporation; co company; ltd limited; llc; llp; plc; gmbh; ag; sa; nv;
    bv; ab; spa; pty
""")
"""Legal forms of companies, which the ends of their names often leave out."""

VOWELS = frozenset("aeiou")
"""Letters that abbreviations leave out and rarely end with."""

ROMAN = frozenset(word.upper() for word in NUMBERS if set(word) <= set("ivx"))
"""Roman numerals, which are numbers only in capitals: XI is 11, but Xi is a name."""


def is_number(token: str) -> bool:
    """Return whether a token has digits or is a Roman numeral; I, V and X may be initials."""
    return any(map(str.isdigit, token)) or (token in ROMAN and len(token) > 1)


def senses(token: str) -> list[tuple[str, str]]:
    """Return the words that a token may mean, each with its relation to the token.

    >>> senses("Al")[:2]
    [('nickname', 'alan'), ('nickname', 'albert')]
    >>> senses("II"), senses("Xi")
    ([('symbol map', '2')], [])
    """
    form = fold_case(token)
    numbers = NUMBERS if token in ROMAN or form.upper() not in ROMAN else {}
    tables = {
        "nickname": (NICKNAMES,),
        "abbreviation": (ABBREVIATIONS,),
        "symbol map": (SYMBOLS, numbers),
    }
    return [
        (relation, word)
        for relation, relation_tables in tables.items()
        for table in relation_tables
        for word in table.get(form, ())
    ]
