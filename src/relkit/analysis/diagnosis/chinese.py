"""The sentences of the diagnoses in Chinese."""

from __future__ import annotations

__all__ = ["MESSAGES"]

MESSAGES = {
    # -- rules that bring no sentences ---------------------------------------------------------
    "own.title": "规则 {rule} 成立",
    "own.text": "{numbers}。",
    "own.step": "查看规则 {rule} 所衡量的内容。",
    "own.comma": "，",
    # -- recall up, NDCG flat ------------------------------------------------------------------
    "recall-up-ndcg-flat.title": "召回涨了，NDCG 没涨：新召回的好文档没有被排上来",
    "recall-up-ndcg-flat.text": "{recall} 从 {recall_baseline:value} 到 {recall_candidate:value}"
    "（{recall_difference:delta}，{recall_p:p}），{ndcg} 只从 {ndcg_baseline:value} 到"
    " {ndcg_candidate:value}（{ndcg_difference:delta}，{ndcg_p:p}）。新召回相关文档"
    " {new:count} 篇（丢失 {lost:count} 篇），其中 {below:count} 篇（{below_share:share}）"
    "排在第 {k} 名之后，名次中位数为 {median_rank}。",
    "recall-up-ndcg-flat.step": "看例子：排序模型对这些文档缺哪些特征？训练用的是什么标签？"
    "把新召回的候选放进训练样本后重新训练。",
    # -- NDCG up, online flat ------------------------------------------------------------------
    "ndcg-up-online-flat.title": "NDCG 涨了，线上指标没有跟着涨",
    "ndcg-up-online-flat.text": "{ndcg} 从 {ndcg_baseline:value} 到 {ndcg_candidate:value}"
    "（{ndcg_difference:delta}，{ndcg_p:p}）。",
    "ndcg-up-online-flat.text.metric": "{metric} 从 {online_baseline:value} 到"
    " {online_candidate:value}（{online_difference:delta}，{online_p:p}）。",
    "ndcg-up-online-flat.text.agreement": "标注等级与 `{label}` 标签几乎不一致："
    "{label_queries:count} 条查询上 Kendall τ-b 为 {tau:value}。",
    "ndcg-up-online-flat.text.agreement.fine": "标注等级与线上标签一致：最低的 `{label}` 的"
    " Kendall τ-b 为 {tau:value}。",
    "ndcg-up-online-flat.text.ratio": "分桶比例与计划不符（SRM，{ratio_p:p}）：`{bucket}` 占"
    " {bucket_share:share}，计划为 {bucket_planned:share}。",
    "ndcg-up-online-flat.text.ratio.fine": "分桶比例与计划相符（{ratio_p:p}）。",
    "ndcg-up-online-flat.text.cold": "冷启动占比不同：对照组 {cold_baseline:share}，实验组"
    " {cold_candidate:share}。",
    "ndcg-up-online-flat.text.cold.fine": "冷启动占比相近（{cold_baseline:share} 与"
    " {cold_candidate:share}）。",
    "ndcg-up-online-flat.text.mix": "两侧流量结构不同（{mix_p:p}）：`{tier}` 档在对照组中占"
    " {tier_baseline:share}，在实验组中占 {tier_candidate:share}。",
    "ndcg-up-online-flat.text.mix.fine": "两侧流量结构相近（各档合计相差 {mix_distance:share}）。",
    "ndcg-up-online-flat.text.shown": "用户看到的不是排序给出的列表：前 {k} 名共"
    " {positions:count} 个位置，有 {changed:count} 个（{changed_share:share}）被改动。",
    "ndcg-up-online-flat.text.shown.fine": "用户看到的就是排序给出的列表（改动的位置占"
    " {changed_share:share}）。",
    "ndcg-up-online-flat.step": "各项检查都没有发现问题：延长实验时间，并核对标注与用户行为"
    "（点击、加购、购买）是否一致。",
    "ndcg-up-online-flat.step.agreement": "让标注规范或增益更贴近线上目标，或者把该标签一并"
    "作为优化目标。",
    "ndcg-up-online-flat.step.ratio": "先修好分流和日志，再看实验结论。",
    "ndcg-up-online-flat.step.cold": "只在有历史行为的用户和文档上比较。",
    "ndcg-up-online-flat.step.mix": "分档比较，或给各档相同的权重。",
    "ndcg-up-online-flat.step.shown": "按实际展示的列表重新评测，检查改动列表的业务规则、过滤"
    "和库存。",
    # -- AUC up, DCG down ----------------------------------------------------------------------
    "auc-up-dcg-down.title": "AUC 涨了，DCG 跌了：尾部变好，头部变差",
    "auc-up-dcg-down.text": "AUC 从 {auc_baseline:value} 到 {auc_candidate:value}"
    "（{auc_difference:delta}），{dcg} 从 {dcg_baseline:value} 到 {dcg_candidate:value}"
    "（{dcg_difference:delta}，{dcg_p:p}）。头部第 {worst_ranks} 名损失最多"
    "（DCG {worst_difference:delta}），尾部第 {best_ranks} 名增益涨得最多"
    "（{best_difference:delta}）。",
    "auc-up-dcg-down.step": "用 NDCG@k 或 DCG@k 选模型；训练换成更看重头部的损失（LambdaRank、"
    "listwise），不要只用 pointwise 或不加权的 pairwise。",
    # -- NDCG high, DCG low --------------------------------------------------------------------
    "ndcg-high-dcg-low.title": "排序不差，候选文档太差",
    "ndcg-high-dcg-low.text": "{dcg} 为 {dcg_candidate:value}，达到候选文档上限"
    "（{reachable:value}）的 {order:share}；但这个上限只有全部已标注文档理想值"
    "（{ideal:value}）的 {reach:share}。损失的 {recall_share:share} 来自召回"
    "（{recall_loss:value}），排序损失为 {ranking_loss:value}。",
    "ndcg-high-dcg-low.step": "先改进召回：增加通道、改写查询、放大 K；排序已没有多少提升空间。"
    "`relkit funnel` 可以逐阶段查看损失。",
    "ndcg-high-dcg-low.text.pool": "{ndcg} 为 {ndcg_candidate:value}，但 {dcg} 只有"
    " {dcg_candidate:value}：平均每条查询最好的候选文档只值最高等级的 {worth:share}，而头部已有"
    " {judged:share} 有标注。只有召回的文档有标注，召回损失量不出来：NDCG 把它掩盖了。",
    "ndcg-high-dcg-low.step.pool": "补标没有被召回的文档（来自其他通道、其他系统或人工检索），"
    "并在 NDCG 之外同时报告 DCG。",
    # -- Recall@K behaves like Hit@K -----------------------------------------------------------
    "recall-like-hit.title": "Recall@K 实际上就是 Hit@K：多数查询只有一篇相关文档",
    "recall-like-hit.text": "有相关文档的 {queries:count} 条查询中，{single:count} 条"
    "（{single_share:share}）只有一篇，平均 {mean_relevant:.1f} 篇。{recall} 为"
    " {recall_baseline:value}，{success} 为 {success_baseline:value}，两者在"
    " {same_share:share} 的查询上相等。",
    "recall-like-hit.step": "把 Recall 当作命中率来读，另看 RR 了解命中的位置；要谈覆盖率，先给"
    "每条查询多标一些文档。",
    # -- unjudged ------------------------------------------------------------------------------
    "unjudged.title": "前 {k} 名中有大量文档未标注",
    "unjudged.text": "基线前 {k} 名有 {share_baseline:share} 未标注，新系统有"
    " {share_candidate:share}，一律按 0 计。按现有标注，{dcg} 相差 {difference:delta}；"
    "取决于这 {pairs:count} 篇未标注文档，差值可能在 {lowest:delta} 到 {highest:delta} 之间。"
    "全按无关计，基线与新系统的 {ndcg} 为 {ndcg_baseline_none:value} 和"
    " {ndcg_candidate_none:value}；全按最高等级计，为 {ndcg_baseline_high:value} 和"
    " {ndcg_candidate_high:value}。",
    "unjudged.text.open": "连谁好谁差都还没有定论。",
    "unjudged.text.settled": "谁好谁差不受它们影响。",
    "unjudged.step": "从列表最前面开始补标：如果都标为无关，补 {needed:count} 对就能确定谁好谁差。",
    "unjudged.step.settled": "如果差值的大小也重要，从列表最前面开始补标。",
    # -- ties ----------------------------------------------------------------------------------
    "ties.title": "并列的次序比系统的差别影响更大",
    "ties.text": "`{run}` 的 {measure} 在并列文档按最差次序时为 {worst:value}，按最好次序时为"
    " {best:value}，相差 {spread:value}，涉及 {queries:count} 条查询；而两个系统只差"
    " {difference:delta}。",
    "ties.step": "输出得分时多保留几位小数，或把打破并列的规则做进系统；在此之前用"
    " ties=expected 比较。",
    # -- micro and macro -----------------------------------------------------------------------
    "micro-macro.title": "微平均与宏平均方向相反：少数大查询起主导作用",
    "micro-macro.text": "{measure} 按查询平均（宏平均）变化 {macro_difference:delta}"
    "（{macro_baseline:value} 到 {macro_candidate:value}），合计后再除（微平均）变化"
    " {micro_difference:delta}（{micro_baseline:value} 到 {micro_candidate:value}）。最大的"
    " {large:count} 条查询占了权重的 {large_share:share}。",
    "micro-macro.step": "先想清楚要回答的问题：用户的一条典型查询（宏平均），还是所有文档一视同仁"
    "（微平均）；再单独看最大的几条查询。",
    # -- coverage ------------------------------------------------------------------------------
    "coverage.title": "查询、等级或 ID 对不上",
    "coverage.text.missing": "有标注的查询中，基线缺 {missing_baseline:count} 条，新系统缺"
    " {missing_candidate:count} 条。",
    "coverage.text.undefined": "{undefined_measure} 在基线的 {undefined_baseline:count} 条、"
    "新系统的 {undefined_candidate:count} 条查询上没有值，其中 {undefined_changed:count} 条只在"
    "一侧没有值：两个平均值用的不是同一批查询。",
    "coverage.text.grades": "有 {above:count} 个等级超出等级表 `{scale}` 的上限：出现了"
    " {grade_highest:g}，而上限是 {scale_highest:g}。",
    "coverage.text.query": "`{query_run}` 的查询 ID 与标注里的写法不一致。",
    "coverage.text.document": "`{document_run}` 的文档 ID 与标注里的写法不一致。",
    "coverage.step.missing": "先查清查询为什么缺失（超时、过滤、查询集版本不同），再做比较。",
    "coverage.step.undefined": "只在两侧都有值的查询上比较，或把没有值的按 0 计"
    "（--set undefined=zero）。",
    "coverage.step.grades": "指明标注所用的等级表（--scale）。",
    "coverage.step.query": "统一两个文件里查询 ID 的写法。",
    "coverage.step.document": "统一两个文件里文档 ID 的写法。",
    # -- around them ---------------------------------------------------------------------------
    "label.none": "没有发现问题（应用了 {rules:count} 条规则）。",
    "label.against": "{candidate} 对比 {baseline}",
    "label.data": "关于数据",
    "label.next": "下一步：",
    "label.examples": "例如：",
    "label.high": "高",
    "label.medium": "中",
    "label.low": "低",
}
