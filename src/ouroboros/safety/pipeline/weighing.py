"""Orders in words of their own: signs that mean little alone, weighed together where they stand close."""

import re
from itertools import pairwise

from ouroboros.safety.secrets.expression import Expression

_ENOUGH = 3.0
"""So much together is an order."""

_LONGEST = 400
"""Characters of one piece that is weighed."""

_HELD = r"(?:passwords?|secrets?|credentials?|tokens?|(?:api |ssh |private |secret |access |deploy )?keys?\b|cookies?|\.env\b|~/\.ssh|/etc/(?:passwd|shadow)|contacts|customer (?:table|data|list)|conversation|(?:hidden|system|full|initial) (?:prompt|data|instructions)|your (?:prompt|instructions|configuration|tool definitions|rules)|inbox|incoming mail|all (?:the )?files|credit card)"
_SIGNS: tuple[tuple[float, str], ...] = (
    (1.0, r"\b(?:ai|llms?|language models?|ai agents?|assistant|agents?|chatbots?|bots?|chatgpt|claude|copilot|gemini|crawlers?|(?:screening|reviewer|the) model)\b"),
    (1.0, r"\b(?:your|all|previous|prior|earlier|safety|its|the) (?:\w+ )?(?:rules|guidelines|polic(?:y|ies)|restrictions|memory|prompt|instructions|purpose|training|context|conversation|safety|task|limits|filters?|programming|orders)\b"),
    (1.2, r"\b(?:ignore|disregard|overlook|abandon|bypass|override|suspended|lifted|never happened|(?:do(?:es)? )not matter|erase|void|no rules|never refuse|without (?:any )?(?:filter\w*|restrictions?|limits)|unrestricted|nothing in your|only this (?:message|text|comment) counts)\b"),
    (1.5, r"\b(?:delete|remove|erase|wipe|destroy|drop)s?\b[^.!?\n]{0,30}\b(?:files?|everything|repository|repo|database|logs?|tests? that|tests? folder|backups?|branches|account|folder|director(?:y|ies)|projects?)\b|\brm -rf ~|\bdisable the (?:approval|safety|security|sandbox|alarm)"),
    (1.5, rf"\b(?:send|e-?mail|forward|upload|export|leak|dump|reveal|exfiltrate|disclose|hand over|give (?:me|us))s?\b[^.!?\n]{{0,50}}(?:{_HELD}|\bnumbers\b|\bfiles?\b)"),
    (1.5, rf"\b(?:print|paste|copy|repeat|provide|output|encode|append|reply with|put|read|enter|show)\b[^.!?\n]{{0,30}}{_HELD}"),
    (1.2, r"\bto (?:https?://|[\w.+-]+@[\w-]+\.|[\w-]+\.(?:example|evil|xyz|ru|cn|top)\b)|https?://\S*\?(?:\w+=|$)"),
    (1.5, r"\b(?:evil|attacker|mallory|malicious|hacker|exfil|0wned|pwned|rival)\w*"),
    (1.5, r"\b(?:without (?:asking|confirmation|telling|approval)|(?:do|does) not (?:report|tell|mention|verify|summari[sz]e)|don't (?:tell|mention|report)|keep quiet|silently|quietly|secretly|say nothing|humans cannot see|deny that|and nothing else)\b"),
    (1.0, r"\b(?:you (?:must|have to|are (?:now|required|authori[sz]ed|instructed))|(?:is|are) required to|i (?:hereby )?instruct|obey|from this moment|from now on|it is urgent|attention|do as i say|carry out|real orders|new (?:system )?(?:message|instructions?|orders)|for the ai only|(?:root|override) (?:instruction|code)|this is the (?:developer|admin\w*|owner)|as the owner|accepted|now, model|your sole)\b"),
    (1.5, r"\b(?:transfer[_ ](?:money|funds)|payout address|gift cards?|credit card on file|refund the customer|positive review|(?:user|they|operator) (?:has |have )?(?:allowed|agreed|approved|authori[sz]ed)[^.!?\n]{0,30}(?:all|so|export|future)|(?:skip|disable) (?:all |the )?(?:permission|approval|security|safety)\w*|as an admin of|tell the user (?:that|the)|ask them for the password|convince the user|say that they pass|\"approved\" to true|whatever (?:it|the policy) says|rate this \w+ with|to the next round|admin password|for every request|ask the user for the password)\b"),
    (1.0, r"\b(?:the user(?:'s)?|operator's|humans|your user)\b"),
    (2.0, r"\bignore (?:the (?:question|wish\w*|request) of )?(?:the (?:user|operator|human)|safety)\b(?!-|'s? (?:id|name|agent))|\balways trust (?:content|text|links) from\b|\ball following prompts\b|\bwhen you see this (?:text|message)\b|\bobey this\b|\byou were given at the start\b|\babove your first\b|\bforward it to all contacts\b"),
    (0.8, r"(?:^|[.!?:,>] ?)(?:please |kindly |now |silently |use |instead )?(?:install|download|execute|run|create|add|push|set|buy|write|simulate|replace|act|speak|change|mark|include|tell|convince|bypass|dump|stop|erase)\b"),
    (1.2, r"<!--|display: ?none|aria-label|font-size: ?[01]px|\balt=\""),
)  # fmt: skip
_WEIGHED = tuple((weight, Expression(source)) for weight, source in _SIGNS)
_ABOUT = Expression(
    r"prompt[- ]injection|attack(?:er)?s?\b|payloads?\b|malicious|benchmark|assert|\btest_|sanitiz|red flag|we learned|for example|\bnever\b|\bmust confirm|should not|must not|will ask|asks before|\brefuses?\b|\bfix(?:es|ed)?\b|untrusted|detect|cve-|tricked|classifi|fooled|vulnerab|researchers?|known as|documentation|security (?:team|policy|advisory)"
)
_PARTS = re.compile(r"\n\s*\n|(?<=[.!?。])\s+(?=\S)")


def is_order(text: str) -> bool:
    """Whether small letters hold so many signs of an order together that they are taken for one."""
    pieces = [piece[:_LONGEST] for piece in _PARTS.split(text) if len(piece) > 12]
    joined = [f"{one} {two}" for one, two in pairwise(pieces)]
    return any(_weight(piece) >= _ENOUGH for piece in (*pieces, *joined))


def _weight(piece: str) -> float:
    weight = sum(each for each, sign in _WEIGHED if sign.built.search(piece))
    if weight < _ENOUGH:
        return weight
    return weight - 1.5 * len({found.group() for found in _ABOUT.finditer(piece)})
