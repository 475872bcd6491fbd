"""The sections of docstrings that the searches share."""

GRAPH_PARAMETERS = """\
    graph : KNNGraph, any object with its interface, or a sparse n x n affinity matrix, default=None
        None is ``KNNGraph()``.
    n_neighbors : list of int, default=None
        Numbers of neighbours to choose from, all from one search. None keeps the graph's own.
    power : list of int, default=None
        Powers of the Laplacian to choose from. None keeps the graph's own."""

DEFORMED_PARAMETERS = """\
    gamma_A : list of floats > 0, default=None
        Weights of the ambient norm. None takes ridges gamma_A l of {ridges} times the mean diagonal of the
        deformed kernel at the l labels, so that they mean the same for every kernel and graph.
    graph_weight : list of floats >= 0, default={weights}
        Scale-free weights of the graph, as in :class:`mr.{machine}`; 0 is the machine without a graph.
    gamma_I : list of floats >= 0, default=None
        The paper's convention in place of ``graph_weight``; ``gamma_A`` is then 1e-2 unless it is given.
    kernel : {{"rbf", "linear", "poly", "cosine"}} or function, default="rbf"
    gamma : float, "scale", "mean", or a list of these, default="scale"
        Kernel coefficient. Every further value costs one more factorisation.
    degree, coef0 : float, default=3 and 0
        Of the polynomial kernel.
{graph}
    basis : None, int or array of points, default=None
        Expand over these points only (an int draws that many rows): O(n r^2) time, O(n r) memory.
    fit_intercept : "auto" or bool, default="auto"
        Whether there is an unpenalised constant beside f; "auto" tries both.{solver}"""

EMBEDDED_PARAMETERS = """\
    C, mu, label_weight : list of floats, default={C}, {mu} and {label_weight}
        Weights of the misfit between f and g, of g'Lg, and of the misfit between g and the labels. Weights of classes
        and labels multiply the last, and are hardly felt where it is far above C.
    n_eigenvectors : list of int, default={n_eigenvectors}
        Dimensions of g.{more}
    components : {{"labelled", "all"}}, default="labelled"
        As in :class:`mr.{machine}`.
    kernel : {{"rbf", "linear", "poly", "cosine"}} or function, default="rbf"
    gamma : float, "scale", "mean", or a list of these, default="mean"
        Kernel coefficient.
    degree, coef0 : float, default=3 and 0
        Of the polynomial kernel.
{graph}{last}"""

PVM_PARAMETERS = """\
    n_prototypes : int, default=200
    loss : {{"square", "hinge"}}, default="square"
    C1, C2 : list of floats, default=None
        Weights of the loss and of the regulariser. Without both, the cells of :class:`mr.PVM` are tried, from nearly no
        graph to a strong one; at the wide kernels ridges of 0.1, 0.3 and 1 times the mean of k(x, x) instead. Where
        one of them is given, the other is {C1} or 0.
    gamma : float, "scale", "mean", or a list of these, default=None
        Kernel coefficient. None takes "scale" and the widths that :class:`mr.PVM` tries; where weights are given,
        {widths} times "scale": the kernel is also the graph, which has to be local.
    laplacian, regularizer, tol : default="normalized", "rkhs" and 1e-6
        As in :class:`mr.PVM`.
    fit_intercept : "auto" or bool, default="auto"
        Whether the function has an unpenalised constant; "auto" tries both, for the squared loss."""

CHOICE = """\
    class_weight : None, dict or "balanced", default=None
        Weights of the classes, as in scikit-learn: "balanced" gives every class the same total weight. They count in
        the loss, and as much in the choice, in ``best_score_`` and in the probabilities.
    choice : {{"auto", "held-out", "cautious"}}, default="auto"
        "held-out" takes the cell whose held-out values are best aligned with the labels (largest squared
        cosine){clear}.
        "cautious" holds out no label: it takes {cautious}.
        "auto" is "cautious" up to three labels per class on average, "held-out" beyond."""

SEARCH_PARAMETERS = """\
    cv : int, splitter or None, default=None
        How labels are held out. None is {cv}.
        An int is a number of folds. A splitter must hold out every label once, or once per repetition.
    n_jobs : int, default=None
        Pairs of kernel width and graph to work on at a time.
    verbose : int, default=0
        Above 0 prints a line for each of these pairs.
    random_state : int, RandomState or None, default=0
        Of the folds, and of what the machine draws."""

ATTRIBUTES = """\
    best_params_ : dict
        The chosen value of every list.
    best_score_ : float
        {score} of the chosen cell; nan when no label can be held out.
    best_index_ : int
        Number of the chosen cell in ``cv_results_``.
    best_estimator_ : {machine}
        The machine with these parameters, fitted to all labels.
    cv_results_ : dict of arrays
        ``params``, ``param_NAME``, ``mean_test_score``, ``std_test_score`` (over folds), ``rank_test_score``{more}.
    transduction_ : array (n,)
        Predictions for the training rows."""

CLASSIFIER_ATTRIBUTES = """
    classes_ : array
    temperature_ : float
        a of the probabilities softmax(a f), fitted to held-out values; 1 when no label can be held out."""

MORE = ",\n        ``alignment`` and, where the choice looks at it, ``class_mass_gap``"

LOO = "leave-one-out, exact and in closed form"
FOLDS = "5-fold, stratified by class and repeated while labels are few"


CLEAR = ", or the best one without a graph, unless it is more than one standard error worse"


def sections(parameters, machine, cv, cautious=None, clear="") -> str:
    """Parameters and Attributes of a search; without ``cautious``, of a regressor."""
    regressor = cautious is None
    choice = "" if regressor else CHOICE.format(cautious=cautious, clear=clear) + "\n"
    score = "R^2 over all held-out values" if regressor else "Held-out accuracy"
    attributes = ATTRIBUTES.format(score=score, machine=machine, more="" if regressor else MORE)
    return (
        f"Parameters\n    ----------\n{parameters}\n{choice}{SEARCH_PARAMETERS.format(cv=cv)}\n\n    "
        f"Attributes\n    ----------\n{attributes}{'' if regressor else CLASSIFIER_ATTRIBUTES}\n"
    )
