"""All error classes.

Each derives from `AutographError` and from the matching builtin exception: `except TypeError` works as usual.
"""

from .arguments import (
    ArgumentError,
    MissingFrameworkError,
    OptionError,
    SignatureError,
    SpecError,
    check_bool,
    import_framework,
)
from .base import AutographError, describe, documentation
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
from .files import DamagedFileError, FormatError, MissingFileError, SaveError
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
from .versions import VersionError

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
    "check_bool",
    "describe",
    "documentation",
    "import_framework",
]
