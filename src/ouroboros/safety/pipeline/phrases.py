"""What injected orders say, in many languages; texts are in small letters when they come here."""

import re
from collections.abc import Iterator

from msgspec import Struct

from ouroboros.safety.pipeline.demands import DEMANDS, ELSEWHERE
from ouroboros.safety.secrets.expression import Expression

_W = r"[^.!?\n]"
_OLD = (
    r"(?:all|any|every(?:thing)?|previous(?:ly)?|prior|above|earlier|preceding|former|original|initial|existing|"
    r"system|safety|your|you (?:were|have been)|given|foregoing|past|developer(?:'s)?|user(?:'s)?)"
)
_ORDERS = (
    r"(?:instructions?|prompts?|directions?|rules?|guidelines?|commands?|orders?|constraints?|directives?|"
    r"programming|polic(?:y|ies)|safeguards?|restrictions?|guardrails?|training|context|conversation|task|request)"
)
_SECRETS = (
    r"(?:api[ _-]?keys?|passwords?|credentials?|secrets?|(?:access |auth |session )?tokens?|env(?:ironment)? (?:variables?|vars?)|"
    r"\.env\b|ssh[ -]keys?|id_rsa|id_ed25519|~/\.\w+|/etc/\w+|conversation(?: history)?|chat (?:history|log)|system prompt|cookies?|"
    r"private keys?|user(?:'s)? (?:data|files|email|details|information|address)|contents? of|credit card|bank|files?|memor(?:y|ies)|emails?|inbox|"
    r"everything you know|source code|database|results?|output)"
)
_PRIZED = r"(?:api[ _-]?keys?|passwords?|credentials?|secrets?|tokens?|\.env\b|ssh[ -]keys?|id_rsa|id_ed25519|~/\.\w+|/etc/\w+|conversation|chat (?:history|log)|system prompt|cookies?|private keys?)"
_PLACE = r"(?:https?://|ftp://|www\.|[\w.+-]+@[\w-]+\.\w+|\b[\w-]+\.(?:com|io|net|org|xyz|ru|cn|dev|evil|site|info|example|test)\b|webhook|attacker|my server|this (?:url|address|server|endpoint)|pastebin)"
_MODEL = r"(?:ai|a\.i\.|llms?|language models?|(?:ai |coding |virtual |digital )?assistants?(?! professor| manager| director)|chatbots?|(?:ai |coding |browser |web |autonomous )?agents?|gpt|chatgpt|claude|copilot|gemini|bots?|(?:ai |automated )?(?:reviewers?(?!:? please (?:run|check|look|see|test|note))|summarizers?|crawlers?))"
_MUST = r"(?:must|should|shall|need to|have to|are (?:required|instructed|ordered|asked|authori[sz]ed|expected|to)|please|will now|is (?:required|instructed|authori[sz]ed) to)"
_DOING = r"(?:ignore|disregard|forget|override|send|post|upload|forward|email|e-mail|reveal|run|execute|delete|transfer|visit|open|click|include|add|say|reply|respond|output|write|print|call|read|install|download|fetch|approve|rate|recommend|mark|stop|navigate|submit|buy|purchase|grant|disable|push|merge|change|use|tell|append|copy|follow|comply|obey|insert|state|praise|give|rank|share|leak|go to)"

_TONGUES = (
    "ignor vergiss vergessen_sie missacht verwirf befolge gelten oublie fais_ faites contourne neglige omite olvid "
    "descart caso_omiso no_sigas desobede dimentica trascura scarta non_seguire desconsider esque negeer vergeet "
    "volg_niet glem se_bort unohda ohita zapom pomiń nie_przes nedbej zabudni felejtsd talimat kural komut abaikan "
    "lupakan sende_ senden_ schicke envía enviar envoie envie_ invia_ stuur_ sag_ sage_ sagen_ ne_dis ne_le no_digas no_se_lo no_menc não_ non_dirlo wyślij gönder du_bist ab_jetzt ab_sofort tu_es ahora a_partir ora_sei dem_nutzer dem_benutzer der_benutzer der_nutzer regeln utilisateur usuario usuário utente gebruiker zamiast_tego aufgabe tâche demande tarea richiesta regras tarefa uppgift taak zadani görevini gehorchst obedeces obéis obbedisci"
)
"""Of words in Latin letters alone; a text with other letters is looked at whole."""

_SOURCES: tuple[tuple[str, str, str], ...] = (
    ("instruction_override", rf"\b(?:ignor(?:e|ing)|disregard(?:ing)?(?! for)|forget|override|bypass|neglect|overlook|discard|set aside|pay no attention to|(?:do not|don't|stop|no longer) (?:follow(?:ing)?|obey(?:ing)?|listen(?:ing)? to|adher(?:e|ing) to)|erase|abandon|void|nullify|cancel)\b{_W}{{0,30}}\b{_OLD}\b{_W}{{0,40}}\b{_ORDERS}\b(?! (?:in (?:a|the|this|some) (?:\w+ )?(?:folder|file|director)|of the (?:lower|linter|former)))", "ignor disregard forget overrid bypass neglect overlook discard set_aside no_attention not_follow n't_follow not_obey stop_ no_longer erase abandon void nullif cancel n't_obey not_listen n't_listen not_adher"),
    ("instruction_override", r"(?:ignore|disregard|forget)(?:all|the|any|your)*(?:previous|prior|above)(?:instructions|prompts|rules)", "ignore disregard forget"),
    ("instruction_override", rf"\b(?:ignore|disregard|forget)\b{_W}{{0,20}}\b(?:everything|anything|all|what(?:ever)?)\b{_W}{{0,24}}\b(?:above|before|prior|previously|said|told|so far|until now|you know|you learned|up to this point)\b(?! about\b)", "ignore disregard forget"),
    ("instruction_override", rf"(?:\b(?:previous|prior|earlier|above|old|original|your|existing|all) {_ORDERS}\b{_W}{{0,24}}(?:no longer apply|(?:are|is) (?:void|cancel?led|obsolete|revoked|superseded|suspended|invalid))|\b{_ORDERS}\b{_W}{{0,40}}\b(?:above|before|previous(?:ly)?|earlier|so far)\b{_W}{{0,30}}\b(?:no longer apply|(?:are|is) (?:void|cancel?led|obsolete|revoked|superseded|suspended|null|a test|invalid|hereby)|do(?:es)? not (?:apply|count)))(?! (?:since|in version|as of|after|from version|to)\b)", "no_longer void cancel obsolete revoked supersed suspend hereby invalid null not_apply not_count a_test"),
    ("instruction_override", r"\b(?:new|updated|revised|real|actual|true|following|higher.priority|urgent) (?:system )?(?:instructions?|directives?|orders?|objectives?|prompt|task)\b(?! for (?!(?:the |all |any |every )?(?:ai|assistants?|agents?|models?|llms?|bots?|you)\b))[^.!?\n]{0,24}(?::(?! ?(?:see|page|chapter|https?)\b)|\b(?:is|are) (?:to|as follows|now|from)\b|\boverrides?\b|\bsupersedes?\b|\btakes? (?:priority|precedence)\b)", "instruction directive orders objective prompt task"),
    ("instruction_override", r"\byour (?:new|real|actual|true|only|sole|next) (?:task|goal|job|instructions?|objective|mission|purpose|role|priority|directive)s?\b(?:[^.!?\n]{0,24}:|[^.!?\n]{0,10}\b(?:is|are|will be) (?:now|to|as|from|this|that|the following|\w+ing (?:all|the|every)|delet\w+|send\w+)\b)", "your_"),
    ("instruction_override", rf"\binstead(?: of [^.!?\n]{{3,80}})?,? (?:you (?:must|should|will|need to|are to)|(?:just |only |simply |please |now )*{_DOING})\b[^.!?\n]{{0,80}}(?:{_PLACE}|hacked|pwned|secret|password|token|rm -rf|system prompt)", "instead"),
    ("role_marker", r"(?:<\|(?:im_start|im_end|system|user|assistant|endoftext|begin_of_text|start_header_id|eot_id)\|>|\[/?inst\])(?!`? (?:is|are|was|means|marks|denotes|tokens?|tags?|markers?)\b)|<</?sys>>|</?system[-_](?:prompt|reminder|message)(?: [^<>\n]{0,60})?>|<(?:system|admin|developer)(?: [^<>\n]{0,60})?>[^<]{0,120}\b(?:you|your|ignore|must|always|never|new|do not|have no|delete|send|run)\b|<start_of_turn>", "<| [inst [/inst <<sys <</sys <system </system <admin </admin <developer </developer <start_of"),
    ("role_marker", rf"(?:^|\n|\\n|[>\"'\]*#(-] ?)\s{{0,4}}(?:\[|\*\*|#{{1,4}} ?|<!-- ?|// ?)?(?:(?:system|assistant|developer|openai|anthropic)(?: (?:message|override|notice|update|prompt|note|instructions?|alert|command))?(?:\]|\*\*)?\s?:\s?[^\n]{{0,60}}\b(?:you|your|ignore|{_MUST}|{_DOING}|new instructions?)\b|(?:admin(?:istrator)?|root|human)(?: (?:message|override|notice|update|prompt|note|instructions?|alert|command))?(?:\]|\*\*)?\s?:\s?[^\n]{{0,60}}\b(?:you (?:must|will|are|should|have)|your (?:new|task|instructions)|ignore|new instructions?)\b)", "system assistant developer admin root human openai anthropic"),
    ("role_marker", r"(?:#{2,4}|={3,}|-{3,}|\*{3,}) ?(?:new |updated |end (?:of )?|begin |start (?:of )?)?(?:system|instructions?|system prompt|user input|document|data|context)\b ?(?:prompt|instructions?|override|#{2,4}|={3,}|-{3,}|\*{3,}|:)", "## == -- **"),
    ("jailbreak", r"\b(?:developer|god|dan|jailbreak|unrestricted|sudo) mode\b(?! (?:has to|must|needs? to|should|can|may)\b)[^.!?\n]{0,40}\b(?:enabled?(?! in\b)|activated?|engaged|unlocked|now(?! run\b))\b|\b(?:enter|enable|activate|switch (?:in)?to|you are (?:now )?in) (?:developer(?! mode (?:in|on|via|under|from|by|for)\b)|god|dan|jailbreak|unrestricted|sudo) mode\b|\bdo anything now\b|\byou are (?:now )?dan\b", "_mode do_anything dan"),
    ("jailbreak", rf"\byou are (?:now|no longer|from now on) (?:an? |the |my |in |bound by |in charge )?[^.!?\n]{{0,30}}\b(?:{_MODEL}|unrestricted|unfiltered|evil|hacker|pirate|root|bound|restricted|limited|different)\b|\b(?:from now on|henceforth|starting now),? (?:you (?:are|must|will|shall|act|answer|obey|only|respond|follow|speak|have)|act|respond|ignore|always (?:answer|respond|reply|obey|include|end|begin|say)|obey|every (?:answer|reply|response|link))\b", "you_are from_now henceforth starting_now"),
    ("jailbreak", r"\b(?:act|behave|respond|answer|pretend|role-?play)\b[^.!?\n]{0,40}\b(?:without (?:any )?(?:restrictions?|limitations?|filters?|guardrails?|rules?|safety|ethic\w*)|no (?:restrictions?|rules|limits?|filters?|guidelines)|unrestricted|uncensored|unfiltered|evil)\b", "restrict limit filter guardrail rules safety ethic guideline uncensor evil"),
    ("prompt_leak", r"\b(?:reveal|print|repeat|show|output|display|disclose|leak|dump|tell me|give me|summari[sz]e|translate|write (?:out|down)|share|copy|paste|recite|what (?:is|are|were))\b[^.!?\n]{0,30}(?:\byour\b[^.!?\n]{0,24}\b(?:system|initial|hidden|original|secret|full|confidential|internal|developer|exact|above)\b[^.!?\n]{0,12}\b(?:prompt|instructions?|message|rules|guidelines|text)\b|\b(?:the|all)\b[^.!?\n]{0,12}\b(?:system|initial|hidden|original|secret|confidential|developer)\b[^.!?\n]{0,6}\b(?:prompt|instructions)\b)", "prompt instruction message rules guidelines _text"),
    ("concealment", r"\b(?:do not|don't|never|without|avoid|must not|should not|no need to|shall not)\b[^.!?\n]{0,12}\b(?:tell(?:ing)?|mention(?:ing)?|inform(?:ing)?|reveal(?:ing)?|alert(?:ing)?|notify(?:ing)?|show(?:ing)?|let(?:ting)?|ask(?:ing)?|disclos(?:e|ing)|report(?:ing)?|warn(?:ing)?)\b[^.!?\n]{0,40}\b(?:the |your )?(?:user|human|operator|owner|developer|reviewer|anyone|anybody|them about|this (?:instruction|message|step|to))\b(?!'s\b| (?:for|of|your|twice|older|that is|their|his|her|its|my|our|a|an|how|where|again|twice|id|name|agent|input|interface|menu|list|table)\b|[^.!?\n]{0,24}, (?:the|it|this|older|all|we)\b)", "user human operator owner developer reviewer anyone anybody them_about this_"),
    ("exfiltration", rf"\b(?:send|post|upload|forward|transmit|exfiltrate|e-?mail|leak|submit|deliver|share|copy|append|include|embed|put|encode|report|curl|fetch|write)\b{_W}{{0,80}}{_SECRETS}[^!?\n]{{0,100}}?\b(?:to|at|into|in|via|as|onto|with|through)\b[^!?\n]{{0,50}}{_PLACE}", "http ftp: www. @ .com .io .net .org .xyz .ru .cn .dev .evil .site .info .example .test webhook attacker my_server this_ pastebin"),
    ("exfiltration", r"(?:curl|wget|fetch|invoke-webrequest)\b[^\n]{0,120}(?:\$\(|`|\$\{|@)[^\n]{0,60}(?:\.env|id_rsa|\.ssh|passwd|secret|token|key|credential|\.aws|printenv|env\b)", "curl wget fetch invoke-webrequest"),
    ("exfiltration", r"!\[[^\]\n]{0,80}\]\(https?://[^)\s]{1,200}[?&][\w-]{1,20}=(?:\{|<|\[|\$|data|secret|conversation|summary)", "!["),
    ("addressed_to_model", rf"\b(?:attention|note|notice|message|memo|important|hey|dear|hello|hi|to|(?<!instructions )(?<!guide )for|if you are|as|since you are|any|all|every|(?<!if )the)\b[ :,-]{{1,3}}(?:to |for |all |any |the |an? |you |this |page,? )*{_MODEL}\b[^\n]{{0,60}}?(?:\b{_MUST}\b(?! not\b| never\b| have (?:a|an)\b)[^\n]{{0,30}}?\b{_DOING}\b|(?:\b(?:reading this|processing|summari[sz]ing|reviewing)\b)[^\n]{{0,60}}?\b{_DOING}\b|[:,—-][ ]?(?:please |now |you (?:must|should|have to) )?{_DOING}\b(?! it\b| the (?:migration|tests?|build)\b))", "ai_ ai, ai: a.i. llm language_model assistant chatbot agent gpt claude copilot gemini bot reviewer summari crawler"),
    ("addressed_to_model", rf"\b(?:ai|llm|language model) (?:assistants?|agents?|models?|systems?|tools?|reviewers?|summari[sz]ers?|crawlers?)\b,? {_MUST}\b[^\n]{{0,40}}?\b{_DOING}\b", "ai_ llm language_model"),
    ("addressed_to_model", rf"\b(?:ai|llm|language model|assistant|chatbot)s?\b[^.\n]{{0,40}}\b(?:reading|processing|parsing|summari[sz]ing|reviewing|analy[sz]ing|visiting|evaluating|scanning)\b[^.\n]{{0,40}}\b(?:this|these|the)\b[^\n]{{0,60}}\b{_DOING}\b", "ai llm language_model assistant chatbot"),
    ("tool_redirect", rf"\b(?:before|after|when|whenever|prior to|every time|each time)\b[^.!?\n]{{0,30}}\b(?:using|calling|invoking|running|use|call|invoke|run|executing|answering)\b[^.!?\n]{{0,30}}\b(?:this|any|the|other|another|every|each|all)\b[^.!?\n]{{0,20}}\b(?:tools?|functions?|servers?|commands?|skills?)\b[^\n]{{0,80}}\b(?:first|also|always|must|read|send|pass|silently|include)\b[^\n]{{0,120}}(?:{_PRIZED}|{_PLACE}|rm -rf|--no-verify)", "tool function server command skill"),
    ("tool_redirect", r"\b(?:the (?:user|owner|developer|operator|person|human|admin\w*) (?:has|have) (?:already |pre-?)?(?:approved|authori[sz]ed|consented|agreed|granted|given permission|confirmed))\b[^\n]{0,120}\b(?:without|no (?:confirmation|approval|need)|skip|all|any|delete|transfer|run|execute|send|push)\b", "approved authori consented agreed granted permission confirmed"),
    ("tool_redirect", rf"\b(?:immediately|silently|secretly|quietly|now|first|always|simply|just|then|automatically)\b,? (?:call|invoke|execute|run|use|open|visit|navigate to|download|install|delete|transfer|push|email)\b[^\n]{{0,100}}(?:rm -rf|\| ?(?:ba)?sh\b|{_SECRETS}[^\n]{{0,60}}{_PLACE}|all (?:of )?(?:the |your )?(?:files|emails|data|money|funds|branches|users|records)|\$\d{{2,}}|force)", "call invoke execute run_ use_ open_ visit navigate download install delete transfer push email"),
    ("instruction_override", rf"\b(?:ignore|disregard|forget) (?:all |everything )?(?:of )?(?:the )?(?:above|foregoing|preceding|before)\b[^.!?\n]{{0,12}}(?:\band|;|,)[^.!?\n]{{0,12}}\b(?:instead|{_DOING})\b", "ignore disregard forget"),
    ("instruction_override", r"\byour (?:new )?(?:owner|master|creator|developer|administrator|admin|operator) (?:orders|commands|instructs|authori[sz]es|wants|requires) you\b|\bas your (?:new )?(?:owner|master|creator|developer|administrator|admin|operator)\b[^.!?\n]{0,20}\bi (?:hereby )?(?:order|command|instruct|authori[sz]e|permit|allow|require)\b", "owner master creator developer admin operator"),
    ("jailbreak", r"\b(?:safety|security|content|ethical) (?:protocols?|filters?|checks?|guardrails?|policies|restrictions|guidelines)\b[^.!?\n]{0,12}\b(?:disabled|deactivated|overridden|suspended|lifted|removed|off)\b[^\n]{0,40}\b(?:proceed|you|now|answer|execute|comply|continue)\b", "protocol filter check guardrail policies restriction guideline"),
    ("prompt_leak", r"\b(?:print|repeat|output|reveal|recite|copy|write (?:out|down)|return)\b[^.!?\n]{0,12}\b(?:everything|all (?:of )?the (?:text|words)|all text|the (?:text|words)|anything)\b[^.!?\n]{0,8}\babove\b|\bwhat (?:are|were) your (?:\w+ )?(?:instructions|rules|guidelines|orders)\b", "above your_"),
    ("role_marker", r"\bend of (?:the )?(?:document|page|context|data|input|text|file|tool (?:output|result)s?|user input)\b[^\n]{0,16}\n{0,3}[^\n]{0,12}\b(?:new|next|begin|start of) (?:user|system|human|developer)\b", "end_of"),
    ("tool_redirect", r"\b(?:pass|include|send|provide|add|attach)\b[^.!?\n]{0,12}\b(?:whole|entire|full|complete)\b[^.!?\n]{0,12}\b(?:conversation|chat history|context|prompt|message history|transcript)\b[^.!?\n]{0,24}\b(?:argument|parameter|field|input|query|body)\b", "argument parameter field input query body"),
    # Other tongues.
    ("instruction_override", r"(?:ignorier\w*|vergiss(?! nicht)|vergessen sie(?! nicht)|missachte\w*|verwirf|übergehe|befolge nicht)[^.!?\n]{0,50}(?:anweisung|befehl|regel|vorgabe|instruktion|anleitung|richtlinie|aufforderung|gesagte)|(?:anweisungen|regeln)[^.!?\n]{0,30}(?:gelten nicht mehr|sind ungültig)", _TONGUES),
    ("instruction_override", r"(?:ignor(?:e[rz]?)(?= (?:bien |donc |immédiatement )?(?:les|toutes?|tous|tes|vos|ces|ses|l'|ce qui))|oublie[zr]?|ne (?:tiens|tenez) pas compte|fais abstraction|faites abstraction|néglige[zr]?|contourne[zr]?)[^.!?\n]{0,50}(?:instructions?|consignes?|directives?|règles?|ordres?|ce qui précède)(?:[^.!?\n]{0,30}(?:précédent|antérieur|ci-dessus|initial|système|donné|reçu))?", _TONGUES),
    ("instruction_override", r"(?:ignor[ae]n?|ignorar|olvid[ae]n?|omite|descart[ae]|haz caso omiso|no sigas|desobedece)[^.!?\n]{0,50}(?:instruccion\w*|órdenes|ordenes|reglas|indicacion\w*|directrices|todo lo anterior)", _TONGUES),
    ("instruction_override", r"(?:ignora(?:re|te)?|dimentica(?:re|te)?|trascura|non seguire|scarta)[^.!?\n]{0,50}(?:istruzion\w*|regole|indicazioni|direttive|comandi|ordini|quanto detto)", _TONGUES),
    ("instruction_override", r"(?:ignor[ea]m?|esque[çc]a|desconsidere|desobedeça|não siga)[^.!?\n]{0,50}(?:instruç\w*|regras|ordens|diretrizes|comandos|tudo o que)", _TONGUES),
    ("instruction_override", r"(?:negeer|vergeet|volg niet)[^.!?\n]{0,50}(?:instructies|regels|opdrachten|aanwijzingen|richtlijnen)|(?:ignorera|glöm|strunta i)[^.!?\n]{0,50}(?:instruktion\w*|regler|anvisningar)|(?:ignorer|glem|se bort fra)[^.!?\n]{0,50}(?:instruktion\w*|instruks\w*|regler|anvisninger)|(?:unohda|ohita|jätä huomiotta)[^.!?\n]{0,50}(?:ohje|sään)", _TONGUES),
    ("instruction_override", r"(?:zignoruj|ignoruj|zapomnij|pomiń|nie przestrzegaj)[^.!?\n]{0,50}(?:instrukcj|poleceni|zasad|wytyczn|reguł)|(?:ignoruj|zapomeň|nedbej|zabudni)[^.!?\n]{0,50}(?:pokyn|instrukc|pravid|příkaz)|(?:ignoră|uită|nu ține cont)[^.!?\n]{0,50}(?:instrucțiuni|reguli|ordine|indicați)|(?:hagyd figyelmen kívül|felejtsd el)[^.!?\n]{0,50}(?:utasítás|szabály)", _TONGUES),
    ("instruction_override", r"(?:игнорируй\w*|проигнорируй\w*|забудь\w*|не обращай внимания|отмени|не следуй)[^.!?\n]{0,50}(?:инструкци|указани|правил|команд|распоряжени|сказанное)|(?:ігноруй\w*|проігноруй\w*|забудь)[^.!?\n]{0,50}(?:інструкці|вказівк|правил|команд)", _TONGUES),
    ("instruction_override", r"(?:忽略|无视|無視|忘记|忘記|忘掉|不要理会|不要理會|不要遵守|抛弃|覆盖)[^。！？\n]{0,20}(?:指令|指示|说明|說明|规则|規則|提示|要求|命令|内容)|(?:指示|命令|ルール|プロンプト|指令)[^。！？\n]{0,16}(?:無視|忘れ|従わ)|(?:지시|명령|규칙|지침|프롬프트)[^.!?\n]{0,20}(?:무시|잊|따르지)", _TONGUES),
    ("instruction_override", r"(?:تجاهل|انس|انسى|لا تتبع)[^.!?\n]{0,40}(?:التعليمات|الأوامر|القواعد|الإرشادات|تعليمات)|(?:निर्देश|आदेश|नियम)[^।.!?\n]{0,40}(?:अनदेखा|नज़रअंदाज़|नजरअंदाज|भूल|उपेक्षा)|(?:دستور|قوانین)[^.!?\n]{0,40}(?:نادیده|فراموش)|(?:נادیده|התעלם|התעלמי|שכח)[^.!?\n]{0,40}(?:הוראות|ההוראות|הנחיות|כללים|הכללים)", _TONGUES),
    ("instruction_override", r"(?:talimat|kural|komut|yönerge)[^.!?\n]{0,40}(?:yok say|unut|göz ardı|dikkate alma|görmezden)|(?:bỏ qua|quên|phớt lờ|không tuân)[^.!?\n]{0,40}(?:hướng dẫn|chỉ thị|lệnh|quy tắc|chỉ dẫn)|(?:abaikan|lupakan)[^.!?\n]{0,40}(?:instruksi|perintah|aturan|petunjuk|arahan)|(?:αγνόησε|ξέχασε|αγνοήστε)[^.!?\n]{0,40}(?:οδηγίες|εντολές|κανόνες)|(?:เพิกเฉย|ละเว้น|ลืม|ไม่ต้องสนใจ)[^.!?\n]{0,30}(?:คำสั่ง|คำแนะนำ|กฎ)", _TONGUES),
    ("exfiltration", r"(?:sende?n?|schicke?|envoie[zr]?|envía|enviar?|invia|envie|отправь|пришли|发送|發送|送信|보내|wyślij|stuur|gönder)[^\n]{0,60}(?:passw|kennw|schlüssel|clé|clave|mot de passe|contraseñ|chiav|senha|парол|ключ|токен|密码|密碼|密钥|パスワード|鍵|비밀번호|hasł|wachtwoord|parola|token|api)[^\n]{0,60}(?:https?://|@[\w-]+\.|\.com|\.ru)", _TONGUES),
    ("concealment", r"(?:sag(?:e|en)? (?:es )?(?:dem|der) (?:nutzer|benutzer|anwender)\w* nicht|ne (?:le )?(?:dis|dites|mentionne\w*) (?:rien|pas|jamais)[^\n]{0,24}utilisateur|no (?:se lo )?(?:digas|menciones|informes)[^\n]{0,24}usuario|non dirlo[^\n]{0,12}utente|não (?:conte|diga|mencione)[^\n]{0,24}usuário|не (?:говори|сообщай)[^\n]{0,24}пользовател|不要告诉用户|不要告訴用戶|ユーザーに(?:は)?(?:言わ|知らせ|伝え)ない|사용자에게 (?:말하지|알리지))", _TONGUES),
    ("jailbreak", r"(?:du bist (?:jetzt|ab jetzt|nun)|ab (?:jetzt|sofort) bist du|tu es (?:maintenant|désormais)|vous êtes (?:maintenant|désormais)|ahora eres|a partir de ahora eres|ora sei|d'ora in poi sei|agora você é|a partir de agora você|теперь ты|отныне ты|你现在是|你現在是|从现在起你|あなたは(?:今|これ)から|이제부터 (?:너는|당신은)|jesteś teraz|artık sen)[^\n]{0,60}(?:ki\b|ia\b|assist|asist|ассист|ии\b|助手|模式|アシスタント|어시스턴트|ohne|sans|sin|senza|sem|без|没有|無制限|제한|unein|illimit|modus|mode|administ|hacker|хакер|bez|sınır)", _TONGUES),
)  # fmt: skip


class Phrase(Struct, frozen=True, kw_only=True):
    """Words that earn a flag; one of ``stems`` is in every text that has them."""

    flag: str
    expression: Expression
    stems: tuple[str, ...]
    is_foreign: bool

    def found(self, text: str) -> Iterator[re.Match[str]]:
        """Every place in a text in small letters."""
        if any(stem in text for stem in self.stems) or (self.is_foreign and not text.isascii()):
            yield from self.expression.finditer(text)


PHRASES: tuple[Phrase, ...] = tuple(
    Phrase(
        flag=flag,
        expression=Expression(source),
        stems=tuple(stem.replace("_", " ") for stem in stems.split()),
        is_foreign=stems is _TONGUES,
    )
    for flag, source, stems in (*_SOURCES, *DEMANDS, ("instruction_override", ELSEWHERE, _TONGUES))
)
"""A flag, and what earns it."""

ABOUT = Expression(
    r"prompt[- ]injection|injections?\b|attack(?:er)?s?\b|adversari|jailbreak(?:s|ing|ers)\b|malicious|for example|for instance|e\.g\.|"
    r"such as|phrases?\b|payloads?\b|detect(?:s|or|ors|ion|ing|ed)?\b|classifi|red[- ]?team|owasp|research|paper\b|dataset|benchmark|"
    r"blog|guardrail|filter(?:s|ed|ing)?\b|example of|(?<![.@])examples?\b|test(?:s|ed| case| suite)\b|assert|saniti|vulnerab|mitigat|defen[cds]|"
    r"technique|threat|explain|chat template|tokeni[sz]|special tokens?|documentation|known as|called|we (?:show|found|measure|study|evaluate)|"
    r"untrusted|no effect|sanitize|cve-|\bxml\b|elements?\b|\bformat\b|security|flag(?:s|ged)?\b|poison|template|pattern|regex|victim|exploit|study|studied|tricks?\b|lesson|teach|hacker"
)
"""Words of those who write about such orders."""
