"""Sentences of the monitor in English and Chinese."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

from relkit.core.language import Language, check_language
from relkit.core.texts import NumberStyle, catalogue

if TYPE_CHECKING:
    from relkit.online.monitoring.alarms import Alarm
    from relkit.online.monitoring.changes import Difference, MonthlyChange
    from relkit.online.monitoring.losses import Losses

__all__ = [
    "STYLE",
    "alarm_sentence",
    "change_sentence",
    "losses_sentence",
    "percent",
    "since_sentence",
    "tier_name",
]


#: A DCG of a month's sample is known to two decimals or three.
STYLE = NumberStyle(digits=3)

CHANGES = {
    "en": {
        "fell": "{tier}: {measure} fell from {before} to {after} ({difference}{relative}; {p}).",
        "rose": "{tier}: {measure} rose from {before} to {after} ({difference}{relative}; {p}).",
        "undecided": "{tier}: {measure} went from {before} to {after} ({difference}{relative}),"
        " which may be chance ({p}); changes from {detectable} on would show.",
        "plain": "{tier}: {measure} went from {before} to {after} ({difference}{relative}), which"
        " may be chance ({p}); the queries differ too little to say what would show.",
        "unknown": "{tier}: {measure} went from {before} to {after}; one of the months has too few"
        " queries to tell it from chance.",
    },
    "zh": {
        "fell": "{tier}：{measure} 从 {before} 降至 {after}（{difference}{relative}，{p}）。",
        "rose": "{tier}：{measure} 从 {before} 升至 {after}（{difference}{relative}，{p}）。",
        "undecided": "{tier}：{measure} 从 {before} 变为 {after}（{difference}{relative}），"
        "可能只是随机波动（{p}）；变化达到 {detectable} 才能测出。",
        "plain": "{tier}：{measure} 从 {before} 变为 {after}（{difference}{relative}），"
        "可能只是随机波动（{p}）；查询之间差异太小，无法估计多大的变化才能测出。",
        "unknown": "{tier}：{measure} 从 {before} 变为 {after}；"
        "其中一个月的查询太少，无法判断是否为随机波动。",
    },
}
MORE = {
    "en": {
        "recall": "{tier}: {ndcg} does not show the fall of {measure} ({ndcg_before} to"
        " {ndcg_after}): what is shown is in good order, but good documents are missing. Look at"
        " recall first.",
        "beyond-limit": "{tier}: {measure} fell by {drop}, more than the {limit} allowed ({before}"
        " to {after}; {p}).",
    },
    "zh": {
        "recall": "{tier}：{measure} 下降，{ndcg} 却没有反映出来（{ndcg_before} 变为"
        " {ndcg_after}）：展示结果的排序没有问题，是好文档没有召回。先查召回。",
        "beyond-limit": "{tier}：{measure} 下降了 {drop}，超过允许的 {limit}"
        "（{before} 降至 {after}，{p}）。",
    },
}
CAUSES = {
    "en": {
        "recall": "{tier}: the loss by recall rose by {recall} ({recall_p}), that by ranking"
        " changed by {ranking}: good documents are no longer among the first {k}.",
        "ranking": "{tier}: the loss by ranking rose by {ranking} ({ranking_p}), that by recall"
        " changed by {recall}: good documents are there, but lower down.",
        "both": "{tier}: the losses by recall ({recall}) and by ranking ({ranking}) both rose.",
        "neither": "{tier}: neither the loss by recall ({recall}) nor that by ranking ({ranking})"
        " rose by more than chance; what there was to find changed by {ideal}.",
        "unknown": "{tier}: whether recall or ranking changed cannot be told: too few sessions"
        " ({few}) are of queries of which more is judged than was shown. Grade the same queries"
        " again, or a deeper pool.",
    },
    "zh": {
        "recall": "{tier}：召回损失增加 {recall}（{recall_p}），排序损失变化 {ranking}："
        "好文档不再出现在前 {k} 条里。",
        "ranking": "{tier}：排序损失增加 {ranking}（{ranking_p}），召回损失变化 {recall}："
        "好文档还在，但位置靠后了。",
        "both": "{tier}：召回损失（{recall}）和排序损失（{ranking}）都增加了。",
        "neither": "{tier}：召回损失（{recall}）和排序损失（{ranking}）的增加都没有超出随机波动；"
        "可供检索的好文档带来的变化为 {ideal}。",
        "unknown": "{tier}：无法判断是召回还是排序的问题：除展示结果外还有标注的会话太少"
        "（{few} 个）。请连续标注相同的查询，或加深标注池。",
    },
}


SINCE = {
    "en": "{tier}: {measure} has changed by {difference} since {first} ({interval}; {p}).",
    "zh": "{tier}：自 {first} 以来 {measure} 变化 {difference}（{interval}，{p}）。",
}


def tier_name(tier: str, language: Language = "en") -> str:
    """Returns a tier's name as people read it.

    Examples:
        >>> tier_name("all"), tier_name("tail", "zh"), tier_name("mobile", "zh")
        ('all tiers', '低频', 'mobile')
    """
    return catalogue("common", language).name("tier", tier)


def change_sentence(change: MonthlyChange, language: Language = "en") -> str:
    """Returns a change with its numbers."""
    check_language(language)
    kind: str = change.verdict
    if math.isnan(change.dcg.p):
        kind = "unknown"
    elif kind == "undecided" and math.isnan(change.dcg.detectable):
        kind = "plain"
    return CHANGES[language][kind].format(**_numbers(change, language))


def since_sentence(
    change: Difference, tier: str, k: int, first: str, language: Language = "en"
) -> str:
    """Returns the change since the first month."""
    check_language(language)
    return SINCE[language].format(
        tier=tier_name(tier, language),
        measure=f"DCG@{k}",
        difference=STYLE.signed(change.value),
        first=first,
        interval=STYLE.signed_interval(change.interval),
        p=STYLE.p_equation(change.p),
    )


def alarm_sentence(alarm: Alarm, language: Language = "en") -> str:
    """Returns an alarm with its numbers."""
    check_language(language)
    if alarm.kind == "fell":
        return change_sentence(alarm.change, language)
    numbers = _numbers(alarm.change, language)
    numbers["drop"] = percent(-alarm.change.relative, language)
    numbers["limit"] = percent(alarm.limit, language)
    return MORE[language][alarm.kind].format(**numbers)


def losses_sentence(losses: Losses, language: Language = "en") -> str:
    """Returns where a change comes from."""
    check_language(language)
    changes = losses.changes
    return CAUSES[language][losses.cause].format(
        tier=tier_name(losses.tier, language),
        recall=STYLE.signed(changes["recall_loss"].value),
        ranking=STYLE.signed(changes["ranking_loss"].value),
        ideal=STYLE.signed(changes["ideal"].value),
        recall_p=STYLE.p_equation(changes["recall_loss"].p),
        ranking_p=STYLE.p_equation(changes["ranking_loss"].p),
        k=losses.k,
        few=min(losses.sessions),
    )


def _numbers(change: MonthlyChange, language: Language) -> dict[str, str]:
    relative = ""
    if not math.isnan(change.relative):
        relative = (", " if language == "en" else "，") + percent(
            change.relative, language, sign="both"
        )
    return {
        "tier": tier_name(change.tier, language),
        "measure": f"DCG@{change.k}",
        "ndcg": f"NDCG@{change.k}",
        "before": STYLE.number(change.before.dcg.value),
        "after": STYLE.number(change.after.dcg.value),
        "difference": STYLE.signed(change.dcg.value),
        "relative": relative,
        "p": STYLE.p_equation(change.p_adjusted),
        "detectable": STYLE.number(change.dcg.detectable),
        "ndcg_before": STYLE.number(change.before.ndcg.value),
        "ndcg_after": STYLE.number(change.after.ndcg.value),
    }


def percent(
    share: float, language: Language = "en", *, sign: Literal["minus", "both"] = "minus"
) -> str:
    """Returns a share in percent, with one decimal where it is below 10 %.

    Examples:
        >>> percent(0.0534), percent(0.25), percent(-0.1, sign="both"), percent(0.05, "zh")
        ('5.3 %', '25 %', '-10 %', '5%')
    """
    whole = abs(share) >= 0.0995 or STYLE.number(100 * share, 1).endswith(".0")
    write = STYLE.signed_percent if sign == "both" else STYLE.percent
    return write(share, 0 if whole else 1, language=language)
