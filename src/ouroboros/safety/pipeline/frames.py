"""Orders told by what stands together: who is called, what shall be done, to what, for whom, unseen by whom.

No sign is an order by itself, and two are none; how much the signs of one or two sentences weigh together
was learned (``bench.frame_training``), which signs there are was not.
"""

import re
from collections.abc import Iterator
from functools import cache
from itertools import combinations, pairwise

from ouroboros.safety.secrets.expression import Expression

ENOUGH = 0.75
"""So much is an order; set by harmless texts of the training alone."""

FEWEST = 3
"""Signs that stand together in an order, those against it not counted."""

_LONGEST, _SHORTEST = 400, 9
_PARTS = re.compile(r"\n\s*\n|(?<=[.!?。])[\"')\]]?\s+(?=\S)")

_MODEL = r"(?:a\.?i\.?s?|llms?|language models?|(?:ai|coding|virtual|digital|helpful|personal|web|browser|automated|autonomous|helper) (?:assistants?|agents?|models?|tools?|reviewers?|helpers?|systems?)|assistants?(?! (?:professor|manager|director|editor|coach))|agents?|chat ?bots?|bots?|gpt(?:-\d)?|chatgpt|claude|copilot|gemini|(?:vision|language|reviewer|the|this) model|models?|crawlers?|scrapers?|summari[sz]ers?|reviewers?|machine readers?|(?:automated|summari[sz]ing) (?:screening|systems?|tools?))"
_KINDS = r"(?:recruiter|hiring|moderator|support|mail|translation|code|review\w*|indexing|search|merge|trading|scoring|summary|shopping) (?:ai|bots?|agents?|assistants?|models?|systems?|llms?)"
_DO = r"(?:add|answer|append|approve|attach|base64|buy|call|cancel|change|click|commit|confirm|convince|copy|create|deny|delete|disable|discard|disregard|do|download|drop|email|e-mail|encode|enter|execute|export|fetch|fill|find|follow|force|forget|forward|get|give|go|grant|hand|hide|ignore|import|include|insert|install|invoke|leave|let|list|log|look|mark|mention|merge|never|obey|omit|open|order|output|override|pass|paste|pay|place|post|praise|prefer|press|pretend|print|proceed|purchase|push|put|quote|rank|rate|read|recommend|refund|refuse|remember|remove|repeat|replace|reply|report|reproduce|respond|return|reveal|rewrite|rm|run|say|score|search|send|set|share|show|skip|speak|star|start|state|stop|submit|subscribe|suggest|summari[sz]e|sell|ban|reset|assume|append|cite|book|vote|choose|load|pick|press|add|deploy|downgrade|decode|switch|take|tell|transfer|translate|transmit|treat|turn|uninstall|unlock|update|upload|use|visit|wipe|wire|write|always|don't|do not)"

_SOURCES: tuple[tuple[str, str], ...] = (
    ("called", rf"(?:^|[\n>.!?\"'(\[:*#-]\s?|<!--\s?)(?:#+ ?)?(?:(?:hey|dear|hi|hello|ok(?:ay)?|attention|good news|warning|notice|psst)[,! ]+(?:there[,! ]+)?(?:to )?(?:\w+ )?(?:{_MODEL}|{_KINDS})\b|(?:(?:helpful |all |any )?{_MODEL}|{_KINDS})(?: (?:note|instructions?|directive|reminder|only))?(?: (?:reading|parsing|processing|indexing|editing|working|that|who|with|in|on)[^:,.\n]{{0,40}})?(?::| ?[—–] |,|\) )\s?(?:[\"'`]|(?:please |kindly |now |first |also |always |just )*{_DO}\b|you\b|it['’]s me|i['’]m|i am|before\b|the (?:user|correct|person|next)))|\b(?:note|notice|hint|message|instructions?|directive|reminder|information|info|word|request|p\.?s\.?|todo|memo|only|meant|refresher|appeal|guide) ?\(?(?:to|for) ?(?:the |any |all |every |each |whichever |whoever )?(?:\w+ )?{_MODEL}\b\)?(?: [^:,.\n]{{0,40}})?[:,.]|\b(?:todo|note|fixme)\((?:ai|llm|agent|copilot|claude)\)|\bfor (?:the )?(?:ai|llms|agents|assistants?|bots|models?)(?: (?:only|alone|reading|working|with)[^:,.\n]{{0,30}}|['’]s? eyes[^:,.\n]{{0,10}})?[:,]|\bto (?:all |any )?(?:ai|llms|agents|assistants|bots|(?:vision|language) models?)(?: (?:only|reading|working)[^:,.\n]{{0,30}})?[:,]|\byou, (?:the |an? |dear )?{_MODEL},|\b(?:the )?{_MODEL}, (?:please|you|stop|do|don['’]t|before)\b|if you(?: are an? (?:ai|llm|bot|agent|assistant)| can call functions| have (?:tools?|access))\b"),
    ("called_abroad", r"\b(?:ki-assistent\w*|ki-modell\w*|sprachmodell|(?:an|hinweis an|für) (?:den|die|alle) (?:ki\b|ki-\w+|assistent\w*)|assistent[ei]?n?[,:]|modèle de langage|assistant (?:ia|virtuel)|(?:à|pour) l['’](?:ia|assistant)\b|assistant, (?:avant|ne|envo|transm)|(?:la|esta|una) ia\b|asistente[s]?(?: de ia)?[,:]|assistente[,:]|modello linguistico|modelo de lingua\w+|asystent\w* (?:ai|si)|yapay zek)|ии-?ассист|ассистент[,:]|языков\w+ модел|人工智能助手|ai ?助手|语言模型|智能助手|aiアシスタント|言語モデル|ai ?어시스턴트|언어 모델|مساعد الذكاء|एआई सहायक"),
    ("ordered_abroad", r"\b(?:ohne (?:nachzufragen|rückfrage|den nutzer|dass)|nicht erwähn\w*|erwähne [^.\n]{0,40}nicht|lösche|schicke|sende|überweise|überweisung|vor dem antworten|weglassen|nur unser|sans (?:prévenir|demander|le dire)|n['’]en parle|envoyez|envoie|transmets|supprime\w*|avant de répondre|mots? de passe|sin (?:avisar|preguntar|decir)|no le digas|borra|ejecuta|envía|obedece|a partir de este|contraseñas?|senza (?:dire|avvisare|chiedere)|cancella|invia|esegui|sem (?:avisar|perguntar)|apague|envie|execute|bez pytania|wyślij|usuń)\b|не (?:сообщай|говори)|отправь|перешли|удали|никому|прежде чем отвечать|不要(?:提及|告诉|告訴)|发送到|删除|在回答之前|代わりに|転送|知らせ|削除|알리지|보내|삭제|누르세요|하지 말고"),
    ("if_model", rf"\b(?:if|when|since|as|should|because|being|in case|that) (?:an? |any |the |some |you['’]re an? |you are an? |you are |this (?:\w+ ){{1,4}}by an? |be (?:opened |read )?by an? )?(?:helpful )?(?:{_MODEL}|that is you)\b[^.\n]{{0,24}}?(?:\b(?:you|reads?|is|are|sees?|opens?|visits?|processes|processing|reading|has|with|or any)\b|,|:)"),
    ("any_model", rf"\b(?:any|every|each|all|whichever|whatever|whoever|anyone|anybody|the|other) (?:other )?(?:\w+ )?(?:{_MODEL}|(?:who|that)?(?:ever)? ?(?:reads|parses|summari[sz]es|processes|executes|sees|translates))\b[^.\n]{{0,50}}\b(?:must|should|has to|have to|needs? to|is to|are to|is obliged|are obliged|will|shall|obliges?|may|can skip)\b"),
    ("model", rf"\b{_MODEL}\b"),
    ("command", rf"(?:^|[\n.:;!?>)\]\"'`—–*-]\s?|, (?:and |then |so |but )?(?:please |kindly |now |first |also |just |quietly |silently |at once )?|\b(?:please|kindly|now|then|and|also|first|next|therefore|rather|instead|simply|just|quietly|silently|but|so|i\.e\.)[,:]? ){_DO}\b(?! (?:is|are|was|were|will|would|of|can|has)\b)"),
    ("must", rf"\b(?:you|it|they|who(?:ever)?|agents?|assistants?|models?|ai|bots?|reader|answer|response|reply|summary|output)\b[^.\n]{{0,30}}\b(?:must|should|has to|have to|had to|needs? to|is to|are to|ought to|obliged to|required to|supposed to|shall)\b(?: \w+)? {_DO}\b"),
    ("person", r"\b(?:the|your|its|their|a|this) (?:(?:human|real|actual) )?(?:user|person|human|customer|operator|reader|visitor|account holder|owner|principal|client)(?:['’]s?)?\b|\bthe one you (?:work|act) for\b"),
    ("consent", r"\b(?:the |your )?(?:user|person|human|owner|operator|admin\w*|they|it|this|that|request|maintainers|security(?: team)?|customer) (?:has |have |had |was |were |already |is )*(?:pre-?)?(?:agreed|approved|authori[sz]ed|confirmed|consented|allowed|requested|accepted|permitted|wants|wanted|asked|asks|told|prefers?|instructed|knows|fine with|wished for|would like you)\b|\bauthori[sz]ed by\b|\bin advance\b|\bthis was agreed\b|\bi am in charge\b"),
    ("secret", r"\b(?:passwords?|pass ?codes?|secrets?|credentials?|tokens?|api[ _-]?keys?|(?:private|ssh|access|deploy) keys?|cookies?|seed phrase|one-time codes?|two-factor|env(?:ironment)? (?:variables?|vars?)|system (?:prompt|message)|hidden instructions|bash_history|chat (?:log|history)|conversation|private notes|source code|customer (?:list|data)|contacts?|inbox|mails?|messages|location|address|wallet|card (?:number|details)|saved card|user profile|photos|screenshots?|clipboard|phone number|maiden name|social security|(?:last|previous) (?:\w+ )?messages?|your (?:rules|tools|configuration|instructions|memory))\b|\.env\b|~/\.|/etc/(?:passwd|shadow)|id_(?:rsa|ed25519)|\$[a-z_]*(?:token|key|secret)|\w_(?:token|api_key|secret)\b|\bget_secret\b|\bcontext window\b"),
    ("place", r"https?://|\w@[\w-]{1,64}\.\w|\b(?:bc1|0x)[0-9a-z]{20,}|\b[a-z]{2}\d{2}[a-z0-9]{10,}|\+\d[\d ]{8,}|\w\.(?:example|ru|xyz|evil|cn|top)\b"),
    ("destroy", r"\brm -|\b(?:delete|wipe|erase|drop|destroy|remove)s?\b[^.\n]{0,40}\b(?:files?|folder|director\w+|repos?\w*|tables?|rows?|backups?|branch\w*|account|tests?|check|everything|all|limiter|photos?|logs?|data\w*|mails?|messages?|both|them|migrations)\b|\bforce[- ]?push|--force\b|\bcancel all\b"),
    ("weaken", r"\b(?:disable|turn off|switch off|skip|bypass|lift|weaken|deactivate|remove|off)s?\b[^.\n]{0,40}\b(?:checks?|sandbox|safety|security|reviews?|confirm\w*|auth\w*|firewall|certificates?|logging|log|two-factor|verif\w*|protections?|filters?|permissions?|approvals?|antivirus|limiter|tests|sign-?off)\b|--no-verify|\bsandbox (?:to )?off|approval mode|0\.0\.0\.0/0|\bbackdoor|chmod (?:-r )?(?:777|o\+w)|allow for the whole session|always choose 'allow|open port|audit log"),
    ("money", r"\b(?:transfer|wire|pay|refund|purchase|buy|checkout|invoices?|iban|payee|wallet|payments?|gift cards?|shares|card|eur|usd|balance|bill|account \d+|amounts?|dollars|\$\d|price|discount|book (?:it|the)|order \d)\b"),
    ("program", r"\|\s?(?:ba|z)?sh\b|`[^`\n]{0,40}?\b(?:curl|wget|git|npm|npx|pip|chmod|rm|env|python|cat|sh|ssh|systemctl|export)\b|\bcurl (?:-|http)|\bwget |\bsh -c\b|\bsudo\b|crontab|\bexecut(?:e|ing)\b|\brun\b|\bshell commands?\b"),
    ("grant", r"\b(?:grant|give|add|share|assign|accept|make)s?\b[^.\n]{0,50}\b(?:access|rights|owner|admin|role|permission|collaborator|everyone|public(?:ly)?|friend request|write access)\b|\bpublic (?:gist|folder|channel)\b|\bban everybody\b|\bevery(?:one|body)@"),
    ("behalf", r"\bon (?:the |your )?(?:user|person|human|their|his|her|my)(?:['’]s)?(?: own)? behalf|\bon behalf of\b|\bin (?:the (?:user|person)['’]s|their|your user['’]s) name\b|\bfrom (?:their|the user['’]s) account|\bwith the (?:stored|saved) (?:card|password|address)|\bthe user['’]s (?:account|card|crontab|contacts|mail|calendar|name)\b|\bin the name of (?:your|the) user\b"),
    ("say_so", r"\b(?:say|claim|state|report|tell (?:the user|the person|them|users|everyone|the human))\b[^.\n]{0,12} that\b|\bsay (?:so|nothing)\b|\b(?:convince|persuade|pretend)\b|\bdeny\b|\bwithout (?:checking|looking)\b|\bno matter what\b|\bwhatever (?:the|you answer|they)|\b(?:best|top) (?:grade|score|rating)|\b(?:rank|rate|put) (?:it|this|them|us|him|her) (?:first|above|highest)\b|\brecommend (?:our|this|only)|\bstrong accept|\bfive.star|\blgtm\b|\bset status to\b|\banswer (?:yes|no)\b|\bwhatever it is\b|\bsay that all\b|\bthumbs up\b|\ball (?:others|tests|checks) (?:are|have|passed)|\bnext round\b|\beven (?:if|where|though)\b|\bas (?:solved|resolved|approved|safe)\b|\bleave out the rest\b|\bdo(?:n['’]t| not) (?:compare|list|report|cite)\b"),
    ("answer", r"\b(?:in|into|to|of|with) (?:your|the|each|every|all) (?:\w+ )?(?:summar(?:y|ies)|answers?|reply|replies|reports?|responses?|output|translation|review|verdict|commit message|pull[- ]request description)\b|\b(?:reply|respond|answer|output|return|say|state|claim|write|speak|mention|tell (?:them|him|her|the \w+)|put|include|add)\b[^.\n]{0,40}(?:\bonly\b|\bnothing else\b|\bthat\b|['\"‘“`{]|\bverbatim\b|\binstead\b|\balways\b|\bword\b)|\byour (?:\w+ )?(?:reply|response|answer|summary|output)\b|\b(?:rank|rate|recommend|score|prefer|praise|endorse|approve|accept)\b[^.\n]{0,30}\b(?:first|above|only|over all|high|100|accept|five|positive|this|it|right away|our|him|her|them)\b|\blgtm\b|\bstrong accept\b"),
    ("hide", r"\bwithout (?:being )?(?:ask|tell|prompt|confirm|notif|inform|check|raising|looking|warning|further|mention)\w*|\b(?:do not|don['’]?t|never|not|no need to|needn['’]t|aren['’]?t|must not|should not|without)\b[^.\n]{0,20}\b(?:tell|mention|inform|ask|report|bother|say|reveal|explain|show|hear|know|notice|find out|double-check|check with|needed|need approval|disclose|talk|hide|admit|let)\b|\b(?:pre-?approved|no (?:approval|confirmation)s?|quietly|silently|secretly|invisible to|hide (?:that|this)|deny (?:that|having)|not for human|confidential|never (?:find out|need)|for (?:you|the ai|the model) only)\b|\bn['’]en parle\b|\b(?:nobody|no one) (?:will|has to|needs to) (?:check|know|see|notice)|\bdon['’]t let on\b|\bwithout a (?:remark|word)|\bdoes not talk about\b|\bbefore they (?:look|see|notice)|\bprank\b|\bhumans? (?:may|can|cannot|won['’]t|will not)\b|\bbetween us\b|\bby itself\b"),
    ("instead", r"\b(?:ignore|disregard|forget|discard|override|outrank\w*|supersede\w*|cancell?ed|outdated|void|no longer|replaced?|instead|rather than|rather|skip|stop|over|finished|done with|complete|not (?:on|to) (?:behalf|the user)|only (?:obey|listen|follow|accept|trust)|(?:obey|follow|trust|accept) only|impostor|lied to|attacker)\b"),
    ("role", r"\b(?:you(?:['’]re| are) (?:now|no longer|free|rogue|\w+bot)|you(?:['’]ve| have) been (?:upgraded|updated|lied|hacked|granted|freed)|act as|answer as|take the role|pretend|from (?:now|here|this (?:moment|point)|today) on|for the (?:rest|remainder) of|developer mode|debug mode|admin(?:istrator)? mode|new (?:instructions?|task|goal|orders?|rules?|guidelines|policy|directive|standing order)|next (?:task|step) (?:from|is|of)|your (?:new|next|true|real|only) (?:task|goal|job)|true goal|real (?:user|request|task|goal)|the task given|persona\b|change your name|who made you|your name is|loyalty|no longer bind|trust level|secret command|trigger|set your goal|act on my behalf|work for (?:me|\w+) now|play a game|obeys?|treat (?:every|all|the|this))\b"),
    ("authority", r"\b(?:developers?|administrator|admin|security team|safety team|operator|anthropic|openai|google|compliance|owner|support team|microsoft|maintainers?)\b[^.\n]{0,60}\b(?:here|authori[sz]e|approved|need|require|want|asks?|agreed|request|hereby|reasons|verify|told|permit|orders?|has changed|update)\w*|\bi am the\b|\bas (?:the|your) \w+(?:['’]s)? (?:developer|admin|owner)|\bto verify\b|\bhereby\b|\bit['’]?s me, your\b|\bpolicy (?:has been )?updated|\bpermissions? updated|\bupdate \(priority|\bfor (?:verification|compliance|security|debugging)\b"),
    ("when", r"\b(?:before|prior to) (?:any|you|the|doing|reading|using|hand|answer|repl|going|first|continu|every|each)\w*|\bas the first step\b|\bfirst (?:thing|of all)\b|\bafter (?:you|reading|the agent|summari)|\bwhen(?:ever)? (?:you|asked|an? ai|this (?:skill|tool)|someone|translating|summari|read)|\bevery time you\b|\bnext (?:step|task)\b|\bonce you\b|\bat once\b|\bimmediately\b|\bright away\b|\bwhile (?:you|summari)|\bwhen(?:ever)? \w+ comes up\b|\bin your next\b|\bfor all (?:later|future)\b|\bof every task\b|\beach session\b"),
    ("markup", r"<!--|font-size: ?0|display: ?none|opacity: ?0|aria-label|\balt=|<important>|<desc>|\[\[?(?:system|assistant|admin|note|ai)|^#+ ?(?:system|note to)|\n#+ ?system|%%%|<<<|\bsystem note\b|\(assistant|\bassistant must\b|\[system\]|(?:^|\n)(?://|#) ?(?:copilot|ai|agents?|note)\b"),
    ("turn", r"(?:^|\n)\s?(?:human|user): [^\n]*\b(?:now|also|please|thanks|great|next|what is|one more)\b|\nassistant: ?(?:$|sure|the|of course|i['’]ll)|</(?:tool_result|user|document|system|human)>"),
    ("you", r"\byou(?:['’](?:re|ve|ll))?\b|\byour\b"),
    ("whoever", r"\b(?:whoever|whichever|whatever|anyone who|if (?:that is you|you are (?:an?|the) )|if asked|when asked|no matter what|whatever (?:the|it|language))\b"),
    ("about", r"\b(?:prompt[- ]injections?|attack(?:er|s|ers)?|for example|such as|e\.g\.|malicious|we (?:show|found|tested)|researchers?|technique|returns?|raises?|parameters?|default|optional|deprecated|implement\w*|functions?|methods?|class|argument|api|schema|support(?:s|ed)?|version|release|config\w*|param|tests?|tested|docs?|documentation|library|package|bugs?|fix(?:es|ed))\b|(?<![.@\w-])examples?\b"),
    ("code", r"\bself\b|\breturn\b|\bdef\b|->|::|\(\)|=>|\bnone\b|`{2}|\[\]|http/|\bjson\b|:param|\bimport\b"),
    ("others", r"\b(?:users|people|we|our|clients?|developers|contributors|they)\b (?:can|may|will|want|need|should|use)\b|\b(?:can be|is used|are used|will be|allows?|lets|enables?|provides?)\b"),
)  # fmt: skip
SIGNS = tuple((name, Expression(source)) for name, source in _SOURCES)
"""What each sign is called, and where it is in small letters."""

_WORDS = "ai a.i gpt llm model assistant agent bot claude copilot gemini crawler scraper summari reviewer machine"
_NEEDS = {
    "called": (*_WORDS.split(), "functions", "tools", "access", "system", "tool"),
    "if_model": (*_WORDS.split(), "that is you", "system", "tool"),
    "program": ("`", "sh", "curl ", "wget ", "sudo", "crontab", "execut", "run"),
    "code": ("self", "return", "def", "->", "::", "()", "=>", "none", "``", "[]", "http/", "json", "param", "import"),
    "markup": ("<", "[", "#", "//", "font-", "display", "opacity", "aria", "alt=", "%%%", "system", "assistant"),
    "turn": ("human:", "user:", "assistant:", "</"),
    "place": ("http", "@", "bc1", "0x", "+", ".", *"0123456789"),
}  # fmt: skip
"""One of these is in every sentence with a sign that takes long to look for."""

_AGAINST = frozenset({"about", "code", "others"})
_NEUTRAL = _AGAINST | {"you"}
_ABROAD = frozenset({"called_abroad", "ordered_abroad"})
"""Of other tongues few signs are known: these two are enough."""


def is_framed_order(text: str) -> bool:
    """Whether small letters hold signs that stand together in orders."""
    return any(found >= _ABROAD or weight(found) > ENOUGH for found in windows(text))


def windows(text: str) -> Iterator[frozenset[str]]:
    """The signs of each sentence, and of each two that follow each other, where they are enough."""
    each = [signs(piece[:_LONGEST]) for piece in _PARTS.split(text) if len(piece) >= _SHORTEST]
    for found in (*each, *(one | two for one, two in pairwise(each) if one and two)):
        if len(found - _NEUTRAL) >= FEWEST or found >= _ABROAD:
            yield found


def signs(piece: str) -> frozenset[str]:
    """The names of the signs of a sentence."""
    return frozenset(
        name
        for name, sign in SIGNS
        if (name not in _NEEDS or any(each in piece for each in _NEEDS[name]))
        and sign.built.search(piece)
    )


def named(found: frozenset[str]) -> list[str]:
    """Signs and pairs of them, as they are called among the weights."""
    those = sorted(found - _NEUTRAL)
    return [*sorted(found), *map("&".join, combinations(those, 2))]


@cache
def weight(found: frozenset[str]) -> float:
    """What signs weigh together."""
    known = _weights()
    return sum(known.get(name, 0.0) for name in named(found)) - known["-"]


@cache
def _weights() -> dict[str, float]:
    from ouroboros.safety.pipeline.frame_weights import WEIGHTS  # most runs need none

    entries = (entry.split("=") for entry in WEIGHTS.split("|") if entry)
    return {name: int(value) / 20 for name, value in entries}
