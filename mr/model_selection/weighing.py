"""Weights of labels on their way through scikit-learn's tools."""

from sklearn import get_config
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter


def weight_argument(estimator) -> str:
    """Name under which an estimator, or a pipeline that ends in one, takes the weights of labels in ``fit``."""
    if isinstance(estimator, Pipeline):
        step, last = estimator.steps[-1]
        name = weight_argument(last)
        # with metadata routing, the steps themselves say what they want to have
        return name if get_config()["enable_metadata_routing"] else f"{step}__{name}"
    if not has_fit_parameter(estimator, "sample_weight"):
        raise ValueError(
            f"sample_weight needs an estimator whose fit takes it; that of {type(estimator).__name__} does not. "
            "Leave it at None, or take a machine with weights, such as mr.LapRLS."
        )
    return "sample_weight"
