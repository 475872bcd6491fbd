"""Every data set by name: who made it, and which function turns its source into arrays."""

from collections.abc import Callable
from dataclasses import dataclass

from sklearn.datasets import load_digits

from mr.datasets import equalised, extended, generators
from mr.datasets.dataset import Parsed, encode
from mr.datasets.parsers import faces, images, libsvm, matlab, pages, uci, water

SSL_BOOK = "Chapelle, Schoelkopf and Zien (eds.), Semi-Supervised Learning, MIT Press, 2006, chapter 21"
UCI = "UCI Machine Learning Repository, University of California, Irvine"
LIBSVM = "Chang and Lin, LIBSVM data sets, 2011"
STATLOG = "Michie, Spiegelhalter and Taylor, Machine Learning, Neural and Statistical Classification, 1994"
HULL = "Hull, A database for handwritten text recognition research, IEEE PAMI 16(5), 1994"
BELKIN = "Belkin, Niyogi and Sindhwani, Manifold Regularization, JMLR 7, 2006"
LECUN = "LeCun et al., Gradient-based learning applied to document recognition, Proceedings of the IEEE 86, 1998"
CBCL = "CBCL Face Database #1, MIT Center For Biological and Computation Learning"
COLE = "Fanty and Cole, Spoken letter recognition, NIPS 3, 1990"
BLUM = "Blum and Mitchell, Combining labeled and unlabeled data with co-training, COLT 1998"
WOLBERG = "Street, Wolberg and Mangasarian, Nuclear feature extraction for breast tumor diagnosis, IS&T/SPIE 1993"
ALPAYDIN = "Alpaydin and Kaynak, Cascading classifiers, Kybernetika 34, 1998 (as shipped by scikit-learn)"
HSU = "Hsu, Chang and Lin, A practical guide to support vector classification, 2003"

MNIST_HINT = "Either mnist.npz or the four idx files, gzipped or plain, will do."
FACEMIT_HINT = """The four folders hold the 19 x 19 PGM files; the archive has them in its folder datasets/mitcbcl.
A copy of them may lie anywhere: load("facemit", folder=PATH). For research use only."""
ETHN_HINT = "No public address is known for the ethnicity images of wang2017; its cells stay 'no data'."


@dataclass(frozen=True)
class Spec:
    """How one set is made: by ``parse`` from files, ``bundled`` in a dependency (alone, or when the files are absent),
    ``generate`` by recipe, or ``derive`` from the set ``base``. None of them: a known name that nobody has data for.

    Names in ``alternatives`` are below the folder of the set; one that the registry does not list can be provided by
    hand only, and may be a folder.
    """

    citation: str
    parse: Callable[..., Parsed] | None = None
    bundled: Callable[[], Parsed] | None = None
    generate: Callable[..., Parsed] | None = None
    derive: Callable[..., Parsed] | None = None
    base: str = ""
    alternatives: tuple = ()  # groups of names of files, any one of which is enough, the fastest first; empty: all
    hint: str = ""


def digits() -> Parsed:
    bunch = load_digits()
    return Parsed(bunch.data, *encode(bunch.target), {}, "8 x 8 pixels, 0..16")


CATALOG = {
    # Files of the SSL book
    **{
        name: Spec(SSL_BOOK, parse=matlab.ssl_book)
        for name in ("digit1", "usps241", "coil2", "bci", "g241c", "coil", "g241d", "text")
    },
    # Files of belkin2006, tsang2006 and chen2012
    "uspst": Spec(f"{HULL}; splits: Chapelle and Zien, AISTATS 2005", parse=matlab.uspst),
    "usps": Spec(HULL, parse=images.usps),
    "isolet": Spec(f"{COLE}; {UCI}", parse=matlab.isolet),
    "webkb": Spec(BLUM, parse=matlab.webkb),
    "two_moons_belkin": Spec(BELKIN, parse=matlab.two_moons_belkin),
    "two_spirals_belkin": Spec(BELKIN, parse=matlab.two_spirals_belkin),
    "webkb_pages": Spec(BLUM, parse=pages.webkb_pages, alternatives=((pages.PACKED_FILE,), (pages.ARCHIVE_FILE,))),
    "mnist": Spec(
        LECUN,
        parse=images.mnist,
        alternatives=((images.MNIST_NPZ,), images.PLAIN_IDX, images.GZIPPED_IDX),
        hint=MNIST_HINT,
    ),
    "facemit": Spec(
        CBCL,
        parse=faces.facemit,
        alternatives=((faces.NPZ_FILE,), (faces.ARCHIVE_FILE,), faces.FOLDERS),
        hint=FACEMIT_HINT,
    ),
    # Files of zhang2015 and wang2017
    "splice": Spec(LIBSVM, parse=libsvm.splice),
    "dna": Spec(f"{LIBSVM}; {STATLOG}", parse=libsvm.dna),
    "svmguide1": Spec(f"{HSU}; {LIBSVM}", parse=libsvm.svmguide1),
    "german": Spec(f"{LIBSVM}; {STATLOG}", parse=libsvm.german),
    "segment": Spec(f"{STATLOG}; {UCI}", parse=uci.segment),
    "satimage": Spec(f"{STATLOG}; {UCI}", parse=uci.satimage),
    "ionosphere": Spec(f"Sigillito et al., Johns Hopkins APL Technical Digest 10, 1989; {UCI}", parse=uci.ionosphere),
    "sonar": Spec(f"Gorman and Sejnowski, Neural Networks 1, 1988; {UCI}", parse=uci.sonar),
    "bupa": Spec(f"BUPA liver disorders, Forsyth, 1990; {UCI}", parse=uci.bupa),
    "hepatitis": Spec(f"Hepatitis, Gong and Cestnik, 1988; {UCI}", parse=uci.hepatitis),
    "house": Spec(f"Congressional voting records, Schlimmer, 1987; {UCI}", parse=uci.house),
    "spectf": Spec(f"Kurgan et al., Artificial Intelligence in Medicine 23, 2001; {UCI}", parse=uci.spectf),
    "wdbc": Spec(f"{WOLBERG}; {UCI}", parse=uci.wdbc, bundled=uci.wdbc_bundled),
    "water": Spec(f"Water treatment plant, Poch, Bejar and Cortes, 1993; {UCI}", parse=water.water),
    "automobile": Spec(f"Automobile (imports-85), Schlimmer, 1987; {UCI}", parse=uci.automobile),
    "ethn": Spec("ethnicity images of wang2017", hint=ETHN_HINT),
    # Inside dependencies
    "digits": Spec(ALPAYDIN, bundled=digits),
    # Generated
    "two_moons": Spec(f"recipe in mr.datasets.generators; used by {BELKIN}", generate=generators.two_moons),
    "two_spirals": Spec(f"recipe in mr.datasets.generators; used by {BELKIN}", generate=generators.two_spirals),
    "ring": Spec(f"recipe in mr.datasets.generators, after Fig. 1 of {BELKIN}", generate=generators.ring),
    "g241c_like": Spec(f"recipe of {SSL_BOOK}", generate=generators.g241c_like),
    "g241d_like": Spec(f"recipe of {SSL_BOOK}", generate=generators.g241d_like),
    "extended_usps": Spec(f"made from {HULL}", derive=extended.extended_usps, base="usps"),
    "extended_faces": Spec(f"made from {CBCL}", derive=extended.extended_faces, base="facemit"),
    "equalised_faces": Spec(f"made from {CBCL}", derive=equalised.equalised_faces, base="facemit"),
}
