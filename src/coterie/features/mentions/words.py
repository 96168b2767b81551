"""Small tables of English words, which replace missing columns of mentions."""


def _table(**groups: str) -> dict[str, str]:
    """Return a mapping from each word to the name of its group."""
    return {
        word: group.replace("_", " ") for group, words in groups.items() for word in words.split()
    }


def _words(words: str) -> frozenset[str]:
    return frozenset(words.split())


PRONOUNS = _table(
    i="i me my mine myself i. m' meself",
    we="we us our ours ourselves 'us let's",
    you="you your yours yourself yourselves ya ye yeh yer thou thee thy thine thyself y'all u",
    he="he him his himself",
    she="she her hers herself",
    it="it its itself 't it's",
    they="they them their theirs themselves themself 'em em",
    demonstrative="this that these those such",
    here="here there",
    indefinite_pronoun="who whom whose which what whoever one ones oneself each all both some "
    "any many most few several none another other others either neither everyone everybody "
    "everything someone somebody something anyone anybody anything nobody nothing",
)
"""The type of each pronoun; pronouns of one type can refer to one entity."""

REFLEXIVE = _words(
    "myself yourself himself herself itself ourselves yourselves themselves themself oneself "
    "thyself meself"
)
POSSESSIVE = _words("my your his her its our their thy thine mine yours hers ours theirs")
NOMINATIVE = _words("i he she we they thou")
ACCUSATIVE = _words("me him us them thee")

PRONOUN_NUMBERS = _table(
    Sing="i me my mine myself he him his himself she her hers herself it its itself this that "
    "thou thee thy thyself everyone everybody everything someone somebody something anyone "
    "anybody anything nobody nothing each another",
    Plur="we us our ours ourselves they them their theirs themselves yourselves these those both "
    "'em em others many few several",
)
PRONOUN_CLASSES = _table(
    person="i me my mine myself we us our ours ourselves you your yours yourself yourselves ye "
    "thou thee thy thyself he him his himself she her hers herself who whom everyone everybody "
    "someone somebody anyone anybody nobody",
    thing="it its itself this that something anything everything nothing",
    place="here there",
)

DETERMINERS = _table(
    definite="the",
    demonstrative="this that these those such",
    possessive="my your his her its our their thy whose",
    indefinite="a an some any another no each every many several few most more both all either "
    "neither one two three four five six seven eight nine ten hundreds thousands dozens much "
    "half",
)
PLURAL_DETERMINERS = _words(
    "these those many several few both two three four five six seven eight nine ten"
)
SINGULAR_DETERMINERS = _words("a an this that another each every one")

HEAD_ENDS = _words(
    "of in at on with without who whom which that whose for from to by where when as than "
    "between among near under over behind beside upon about after before against into through "
    "during like towards toward within around along across and or but is are was were , ; : ( [ "
    "-- - – —"
)
"""Words and marks that end the part of a phrase in which its head is."""

STOP_WORDS = _words(
    "the a an this that these those my your his her its our their of in at on for to and or with "
    "from by as who which 's ’s ' ’ , . ; : ( ) [ ] \" “ ” -- - – — `` ''"
)
"""Words and marks that contribute nothing to the meaning of a phrase."""

COPULAS = _words("is are was were be been being am 's ’s 'm ’m 're ’re became become")
BREAKS = _words(", ( - -- – —")
PREPOSITIONS = _words(
    "of in at on with without for from to by between among near under over behind beside upon "
    "about after before against into through during like towards toward within around along "
    "across than beneath beyond above below unto"
)
SPEECH_VERBS = _words(
    "said says say replied asked cried answered exclaimed continued returned added shouted "
    "whispered murmured remarked observed muttered began called demanded inquired repeated "
    "thought declared laughed"
)

IRREGULAR_PLURALS = {
    "men": "man", "women": "woman", "children": "child", "people": "person", "persons": "person",
    "feet": "foot", "teeth": "tooth", "mice": "mouse", "geese": "goose", "wives": "wife",
    "lives": "life", "knives": "knife", "leaves": "leaf", "wolves": "wolf", "selves": "self",
    "halves": "half", "thieves": "thief", "gentlemen": "gentleman", "policemen": "policeman",
    "sheep": "sheep", "fish": "fish", "police": "police", "media": "media", "data": "data",
    "countrymen": "countryman", "folk": "folk", "folks": "folk", "cattle": "cattle",
}  # fmt: skip

TITLES = _table(
    Masc="mr mr. mister sir lord king prince duke count baron monsieur m. father uncle brother "
    "emperor pope signor herr don esquire",
    Fem="mrs mrs. ms ms. miss lady queen princess duchess countess baroness madame mme aunt "
    "mother sister empress dame mademoiselle signora frau madam",
    person="dr dr. doctor professor prof prof. president senator captain colonel major general "
    "judge justice reverend rev. bishop cardinal saint st. minister secretary governor mayor "
    "officer sergeant lieutenant admiral chief dean ambassador chancellor inspector cousin",
)

GENDERED_NOUNS = _table(
    Masc="man boy father dad papa daddy pa son brother husband uncle nephew grandfather grandpa "
    "grandson gentleman king prince lord sir duke actor waiter boyfriend bridegroom groom "
    "widower monk priest fellow guy chap lad bachelor squire knight emperor wizard landlord host "
    "hero policeman fisherman fireman businessman chairman spokesman salesman stepfather "
    "godfather godson monsieur pope sailor soldier cowboy footman coachman butler master "
    "countryman seaman sergeant captain colonel",
    Fem="woman girl mother mom mum mama mamma mommy mummy ma daughter sister wife aunt niece "
    "grandmother grandma granddaughter lady queen princess madam duchess actress waitress "
    "girlfriend bride widow nun maiden maid spinster goddess witch landlady hostess heroine "
    "policewoman chairwoman spokeswoman stepmother godmother governess mistress housekeeper "
    "nurse countess baroness lass dame mademoiselle empress",
)

NOUN_CLASSES = _table(
    person="person child baby kid infant teenager adult parent friend neighbor neighbour student "
    "teacher professor scientist author writer poet researcher doctor patient lawyer attorney "
    "judge justice president minister senator governor mayor leader member participant player "
    "coach singer musician composer artist director producer manager worker employee employer "
    "owner driver pilot soldier officer guard prisoner victim witness citizen resident voter "
    "candidate servant guest visitor traveler traveller tourist customer client user reader "
    "viewer listener speaker interviewer reporter journalist editor critic expert colleague "
    "partner cousin twin sibling spouse ancestor descendant grandparent grandchild nephew fan "
    "hero stranger enemy companion passenger crowd audience family couple people folk human "
    "individual someone murderer thief criminal suspect defendant plaintiff appellant respondent "
    "counsel engineer architect farmer fisher hunter cook chef baker merchant dealer trader "
    "clerk agent spokesperson chairperson secretary ambassador diplomat philosopher historian "
    "linguist physicist chemist biologist psychologist economist mathematician sociologist peer "
    "learner founder inventor explorer settler immigrant refugee activist protester follower "
    "believer bishop pastor captain colonel major general sergeant lieutenant admiral mr mrs "
    "miss creature orphan youth elder host caller ghost rider",
    place="country city town village state province county region district area place street "
    "road avenue square park river lake sea ocean island mountain hill valley forest desert "
    "beach bay coast border capital neighborhood suburb continent planet world earth land "
    "airport station harbor harbour port bridge building house home room kitchen garden church "
    "castle palace hotel restaurant museum theater theatre library hospital school farm shop "
    "store office north south east west territory kingdom wood field shore path lane yard hall "
    "door floor",
    group="company corporation firm bank university college institute agency department ministry "
    "government parliament congress senate court committee council commission association "
    "organization organisation party union team club band army navy police military press church "
    "inc inc. corp corp. ltd ltd. co co. foundation society league board bureau federation",
    time="time year month week day hour minute second century decade morning afternoon evening "
    "night today tomorrow yesterday tonight now moment season spring summer autumn winter "
    "weekend january february march april may june july august september october november "
    "december monday tuesday wednesday thursday friday saturday sunday christmas easter period "
    "era age date past future birthday midnight noon",
    thing="book paper study article thing idea problem question answer word name number result "
    "method way fact law case work story song film movie game computer car table letter hand eye "
    "face head hair voice life death war money price language water food fire air light system "
    "process project program plan policy issue point part kind sort type form group data model "
    "theory analysis information research experience effect change education power right music "
    "art science history economy market industry product service technology energy body mind "
    "heart love hope fear dream box bag door window bed chair tool machine phone picture page",
    place_name="america europe asia africa australia england britain scotland ireland wales "
    "france germany italy spain russia china japan india canada mexico brazil argentina israel "
    "iran iraq syria egypt turkey greece poland ukraine sweden norway finland denmark "
    "netherlands belgium austria switzerland portugal cuba korea vietnam thailand indonesia "
    "pakistan afghanistan zealand california texas florida virginia washington york london paris "
    "berlin rome moscow beijing tokyo delhi jerusalem boston chicago philadelphia oxford "
    "cambridge dublin edinburgh kingdom states antarctica hawaii alaska ohio michigan georgia "
    "arizona",
)
"""The class of entity that the head of a mention indicates."""

PERSON_ENDINGS = ("ist", "ician", "woman", "person")

FIRST_NAMES = _table(
    Masc="james john robert michael william david richard joseph thomas charles christopher "
    "daniel matthew anthony mark donald steven paul andrew joshua kenneth kevin brian george "
    "edward ronald timothy jason jeffrey ryan jacob gary nicholas eric jonathan stephen larry "
    "justin scott brandon benjamin samuel gregory frank alexander raymond patrick jack dennis "
    "jerry tyler aaron jose henry adam douglas nathan peter zachary kyle walter harold jeremy "
    "ethan carl keith roger gerald christian terry sean arthur austin noah lawrence jesse joe "
    "bryan billy jordan albert dylan bruce willie gabriel alan juan logan wayne roy ralph randy "
    "eugene vincent russell elijah louis bobby philip johnny tom jim bob bill mike dave dick "
    "harry fred sam ben tim dan ted ned hugh oliver simon martin leo karl ivan carlos luis pedro "
    "pablo francis edwin edmund edgar herbert ernest oscar isaac abraham adolf theodore "
    "frederick alfred stanley leonard philippe pierre hans otto ludwig antonio marco mario "
    "giovanni ali muhammad mohammed ahmed tony nick jimmy tommy charlie jonas ishmael tobias "
    "sherlock huck huckleberry ambrose silas",
    Fem="mary patricia jennifer linda elizabeth barbara susan jessica sarah karen lisa nancy "
    "betty margaret sandra ashley kimberly emily donna michelle carol amanda dorothy melissa "
    "deborah stephanie rebecca sharon laura cynthia kathleen amy angela shirley anna brenda "
    "pamela emma nicole helen samantha katherine christine debra rachel carolyn janet catherine "
    "maria heather diane ruth julie olivia joyce virginia victoria kelly lauren christina joan "
    "evelyn judith megan andrea cheryl hannah jacqueline martha gloria teresa ann sara madison "
    "frances kathryn janice jean abigail alice julia judy sophia grace denise amber doris "
    "marilyn danielle beverly isabella theresa diana natalie brittany charlotte marie kayla "
    "alexis lori jane kate lucy rose eleanor clara edith florence ellen ada agnes beatrice daisy "
    "dora elinor eliza esther eva eve fanny harriet ida irene isabel lily louisa lydia mabel "
    "marian marianne matilda maud molly nora polly rosa sally sophie susanna sylvia ursula annie "
    "kitty bessie bella nelly nell peggy claire claudia elena sofia carmen ana lucia angelina "
    "hester phoebe pearl vanessa",
)
