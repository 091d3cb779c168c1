"""Every error of ours.

All derive from `AutographError` and from the builtin exception that fits, so that
`except TypeError` means what its author expects.
"""

from .arguments import (
    ArgumentError,
    MissingFrameworkError,
    OptionError,
    SignatureError,
    SpecError,
    checked_truth,
)
from .base import AutographError
from .conversion import (
    AmbiguousSourceError,
    ConversionError,
    NestingError,
    PassError,
    ReservedNameError,
    SourceError,
    SourceSyntaxError,
    StaleSourceError,
)
from .files import DamagedFileError, FormatError, MissingFileError, SaveError, VersionError
from .naming import told
from .staging import (
    GradientError,
    MismatchError,
    MissingValueError,
    StagingError,
    UnsupportedFunctionError,
    UnsupportedPlaceError,
    ValueNeededError,
)
from .state import AssignmentError, StaleValueError, StateError
from .tracing import (
    AliasError,
    LeakError,
    NumericsError,
    RaiseInTryError,
    StagedRecursionError,
    UnrolledLoopError,
)

__all__ = [
    "AliasError",
    "AmbiguousSourceError",
    "ArgumentError",
    "AssignmentError",
    "AutographError",
    "ConversionError",
    "DamagedFileError",
    "FormatError",
    "GradientError",
    "LeakError",
    "MismatchError",
    "MissingFileError",
    "MissingFrameworkError",
    "MissingValueError",
    "NestingError",
    "NumericsError",
    "OptionError",
    "PassError",
    "RaiseInTryError",
    "ReservedNameError",
    "SaveError",
    "SignatureError",
    "SourceError",
    "SourceSyntaxError",
    "SpecError",
    "StagedRecursionError",
    "StagingError",
    "StaleSourceError",
    "StaleValueError",
    "StateError",
    "UnrolledLoopError",
    "UnsupportedFunctionError",
    "UnsupportedPlaceError",
    "ValueNeededError",
    "VersionError",
    "checked_truth",
    "told",
]
