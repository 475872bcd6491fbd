"""Images extended by linear maps of their pixels (blur, mirror, rotation), without storing the copies."""

import numpy as np
from scipy import ndimage, sparse

from mr.datasets.shifted import LazyImages

BLURS = (1, 2, 3, 4)
"""Sides of the arithmetic mean filters; 1 is none."""
ANGLES = tuple(range(-20, 21, 2))
"""Degrees."""


class WarpedImages(LazyImages):
    """A read-only n x d array whose rows are images under one of several linear maps.

    ``X[rows]`` with an integer, a slice, an integer array or a boolean mask gives a dense float32 array.

    Parameters
    ----------
    images : array-like of shape (m, h, w)
    rows : array-like of int, shape (n, 2)
        Per row: which image, which map.
    maps : list of sparse matrices of shape (h w, h w)
        ``maps[k] @ image.ravel()`` is the image under map k.

    Attributes
    ----------
    shape : tuple of int
        (n, number of pixels).
    image_shape : tuple of int
        Height and width.
    rows : ndarray of shape (n, 2)
        As given; read-only.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from mr.datasets.warped import WarpedImages
    >>> flip = sparse.csr_array([[0.0, 1.0], [1.0, 0.0]])
    >>> WarpedImages(np.array([[[1, 2]]]), [[0, 0], [0, 1]], [sparse.eye_array(2), flip])[:]
    array([[1., 2.],
           [2., 1.]], dtype=float32)
    """

    dtype = np.dtype(np.float32)

    def __init__(self, images, rows, maps):
        images = np.asarray(images)
        self.image_shape = images.shape[1:]
        self._flat = images.reshape(len(images), -1)
        self._maps = [sparse.csr_array(one, dtype=np.float32) for one in maps]
        self.rows = np.array(rows)
        self.rows.setflags(write=False)

    @property
    def nbytes(self) -> int:
        """Memory held, not the size of the array it stands for."""
        return self._flat.nbytes + self.rows.nbytes + sum(one.data.nbytes + one.indices.nbytes for one in self._maps)

    def _cut(self, rows) -> np.ndarray:
        image, which = rows.T
        out = np.empty((len(rows), self._flat.shape[1]), np.float32)
        for k in np.unique(which):
            mine = which == k
            out[mine] = (self._maps[k] @ self._flat[image[mine]].T.astype(np.float32)).T
        return out


def face_maps(side: int) -> list[sparse.csr_array]:
    """Every blur x mirror x rotation of square images: 4 x 2 x 21 = 168 maps, the last index changing fastest.

    Pixels beyond the border repeat its nearest one; rotations interpolate bilinearly.
    """
    unit = np.eye(side * side).reshape(-1, side, side)
    maps = []
    for blur in BLURS:
        soft = ndimage.uniform_filter(unit, (1, blur, blur), mode="nearest")
        for mirrored in (soft, soft[:, :, ::-1]):
            for angle in ANGLES:
                turned = ndimage.rotate(mirrored, angle, (2, 1), reshape=False, order=1, mode="nearest")
                maps.append(sparse.csr_array(turned.reshape(len(unit), -1).T))  # column j: what pixel j becomes
    return maps
