"""The errors of the product: one root, one leaf per remedy.

Every message says what was found, what was expected and what to do. The tree:

FundstelleError
├── BadInput            a value, file or question that a person can mend
│   ├── BadSetting      a setting outside its range, or of the wrong kind
│   ├── BadSource       a source of rules that cannot be read
│   └── BadRegister     an anchor register with a faulty entry
├── StockError          the index on disk
│   ├── NoDatabase      nothing is stored at this place
│   ├── UnknownCorpus   the corpus is not in stock
│   ├── BrokenStock     what can be queried is not what was written
│   └── StockBusy       another process is writing
├── EncoderError        a model that cannot be loaded or does not fit
├── DownloadFailed      the official site could not be reached or sent something else
└── NotGathered         decide was asked for a corpus that gather never asked
"""


class FundstelleError(Exception):
    """Root of all errors that carry a sentence for the user."""


class BadInput(FundstelleError):
    """Something a person typed or supplied can be mended by that person."""


class BadSetting(BadInput):
    """A setting lies outside its range or has the wrong kind."""


class BadSource(BadInput):
    """A file of rules cannot be read; nothing was stored."""


class BadRegister(BadInput):
    """The anchor register has a faulty entry; the message names the line."""


class StockError(FundstelleError):
    """The stored index cannot serve."""


class NoDatabase(StockError):
    """There is no database at the configured place; nothing was created."""


class UnknownCorpus(StockError):
    """The named corpus is not in stock."""


class BrokenStock(StockError):
    """The stored corpus is not what the manifest says was written."""


class StockBusy(StockError):
    """Another process is writing to this stock."""


class EncoderError(FundstelleError):
    """An encoder cannot be loaded, or its vectors do not fit the stock."""


class DownloadFailed(FundstelleError):
    """A download from the official site failed; the stock is untouched."""


class NotGathered(FundstelleError):
    """The pool does not hold what the settings ask for: gather again first."""
