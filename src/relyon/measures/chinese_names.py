"""What measures are called in Chinese, for hints; only English names are names of measures."""

from __future__ import annotations

import re

from relyon.measures.spellings import LISTS

__all__ = ["NAMES", "meant"]

NAMES = {
    "召回率": "recall",
    "查全率": "recall",
    "精确率": "p",
    "精准率": "p",
    "准确率": "p",
    "查准率": "p",
    "平均精度": "ap",
    "平均精确率": "ap",
    "平均准确率": "ap",
    "平均查准率": "ap",
    "平均精度均值": "ap",
    "倒数排名": "rr",
    "倒数排序": "rr",
    "命中率": "success",
    "成功率": "success",
    "累计增益": "cg",
    "累积增益": "cg",
    "折损累计增益": "dcg",
    "折损累积增益": "dcg",
    "折扣累计增益": "dcg",
    "折扣累积增益": "dcg",
    "归一化折损累计增益": "ndcg",
    "归一化折损累积增益": "ndcg",
    "归一化折扣累计增益": "ndcg",
    "归一化折扣累积增益": "ndcg",
    "会话折损累计增益": "session_dcg",
    "会话折损累积增益": "session_dcg",
    "会话召回率": "task_recall",
    "任务召回率": "task_recall",
    "补救率": "recovery",
    "重复率": "redundancy",
    "冗余率": "redundancy",
    "正逆序比": "pnr",
    "标注率": "judged",
    "标注覆盖率": "judged",
    "未标注": "unjudged",
    "未标注率": "unjudged",
    "字符召回率": "char_recall",
    "字符精确率": "char_precision",
    "交并比": "char_iou",
    "段落召回率": "span_recall",
    "重合度": "overlap",
    "肯德尔": "tau",
    "斯皮尔曼": "spearman",
}
#: Parameters and a cutoff.
REST = re.compile(r"(?P<arguments>\([^()]*\))?(?:[@前](?P<k>\d+)[名位条]?)?")


def meant(name: str) -> str:
    """Returns a measure's name for a Chinese one, or an empty text.

    Args:
        name: A text that contains a measure's Chinese name, perhaps with parameters and a cutoff.

    Examples:
        >>> meant("召回率前5"), meant("平均召回率"), meant("rbp@10")
        ('recall@5', 'recall@10', '')
    """
    found = max((one for one in NAMES if one in name), key=len, default="")
    if not found:
        return ""
    after = name.partition(found)[2].translate(str.maketrans("（）＠，", "()@,", " "))
    rest = REST.fullmatch(after)
    arguments = (rest and rest["arguments"]) or ""
    cutoff = (rest and rest["k"]) or ("10" if NAMES[found] in LISTS else "")
    return NAMES[found] + arguments + (f"@{cutoff}" if cutoff else "")
