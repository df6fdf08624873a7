"""Which module has the measures of which names: written by docs/make_measures.py."""

__all__ = ["MODULES"]

MODULES = {
    "agreement": (
        "kappa qwk quadratic_kappa spearman rho spearman_rho tau kendall kendall_tau tau_b"
    ),
    "averages": "ap map map_cut meanp mean_p mean_precision",
    "binary": (
        "p precision prec setp set_p recall r setr set_recall rprec r_precision r-precision "
        "rprecision rprec_mult rr mrr recip_rank success hit hit_rate hitrate"
    ),
    "cascade": "err rbp rbp_residual",
    "classes": (
        "auc roc_auc average_precision average_precision_score ap_score pr_auc gauc group_auc uauc"
    ),
    "continuation": "bpm insq inst nerr10 nerr11 nerr8 nerr9 sdcg",
    "counts": (
        "num_nonrel_ret num_nonrel_judged_ret num_q numq num_rel numrel num_rel_ret numrelret hits "
        "num_ret numret"
    ),
    "diversity": (
        "alpha_dcg alpha-dcg α_dcg α-dcg alphadcg alpha_ndcg alpha-ndcg α_ndcg α-ndcg alphandcg "
        "ap_ia ap-ia map_ia map-ia err_ia err-ia nerr_ia nerr-ia nnrbp nrbp p_ia p-ia strecall "
        "strec st_recall subtopic_recall s_recall"
    ),
    "gain": "cg dcg idcg ndcg",
    "geometric": "gm_ap gmap gm_map gm_bpref",
    "incomplete": "bpref infap inf_ap judged unjudged unj",
    "interpolated": "iap eleven_point_ap 11pt_avg iprec iprec_at_recall",
    "order": "accuracy compat compatibility",
    "overlap": "overlap rbo tau_ap tauap ap_correlation",
    "pairwise": "concordance pnr",
    "passages_characters": "char_iou char_precision char_p char_recall",
    "passages_spans": "span_ndcg span_recall",
    "session_gain": "nsdcg session_ndcg ns_dcg session_dcg s_dcg srbp session_rbp",
    "sets": "f1 f setf set_f f_beta fbeta set_ap setap set_map utility",
    "task_effort": "gain_per_ktoken gain_per_1k_tokens gain_per_read redundancy",
    "task_evidence": (
        "call_rr first_evidence chain_recall set_completeness recovery task_recall session_recall "
        "union_recall"
    ),
    "trec": "bin_g bing g ndcg_rel rndcg yaap",
}
