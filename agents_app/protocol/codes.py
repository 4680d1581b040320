"""The numbers of the error catalogue, and the category each thousand stands for.

Lowest layer. `catalogue` gives every number its meaning; `errors` raises them.
"""

from enum import IntEnum, StrEnum


class Category(StrEnum):
    """The ranges of A2A chapter 7, in its order: 1xxx is `system`, 6xxx the last."""

    SYSTEM = "system"
    TASK = "task"
    INFO = "info"
    CAPABILITY = "capability"
    SECURITY = "security"
    COMMUNICATION = "communication"


class Code(IntEnum):
    """Numeric error codes (A2A chapter 7, P2A chapter 9): stable, never reused.

    7000 to 8999 stay reserved for later protocols, 9000 and up for applications.
    """

    INTERNAL = 1000
    DATABASE_UNAVAILABLE = 1001
    RATE_LIMITED = 1003
    MALFORMED_JSON = 1010
    INVALID_FIELD = 1011
    ROUTE_NOT_FOUND = 1012
    METHOD_NOT_ALLOWED = 1013
    NOT_ACCEPTABLE = 1014
    UNSUPPORTED_MEDIA_TYPE = 1015
    BODY_TOO_LARGE = 1016
    UNKNOWN_PARAMETER = 1017
    UNSTORABLE_VALUE = 1018
    BODY_TOO_SLOW = 1019

    TASK_NOT_FOUND = 2001
    TASK_ENDED = 2002
    ILLEGAL_TRANSITION = 2003
    IDEMPOTENCY_CONFLICT = 2004
    HANDLER_FAILED = 2006
    ATTEMPTS_EXHAUSTED = 2007
    MAX_DURATION = 2008
    NOT_STARTED = 2009
    JOURNAL_MISMATCH = 2010
    RESULT_INVALID = 2011
    TASK_REJECTED = 2012
    ALREADY_DECIDED = 2013
    QUESTION_CHANGED = 2014
    CLAIMED_BY_OTHER = 2015
    DECISION_INVALID = 2016
    FILE_NOT_FOUND = 2018
    CHANGED_MEANWHILE = 2019
    PROGRESS_INVALID = 2020
    FILE_NOT_READY = 2021
    TOO_MANY_MESSAGES = 2022
    STOPPED_BY_EXECUTOR = 2023
    VOTES_DIFFER = 2024
    ALREADY_VOTED = 2025
    TOP_LEVEL = 2026
    NOT_ELIGIBLE = 2027
    QUESTION_CLIMBED = 2028

    NO_INFO_NEEDED = 3001
    INFO_INVALID = 3002
    INFO_TIMEOUT = 3003

    UNKNOWN_TASK_TYPE = 4001
    PAYLOAD_INVALID = 4002
    FILE_TOO_LARGE = 4003
    TOO_MANY_FILES = 4004
    FILE_TYPE_REFUSED = 4005
    SCHEMA_INVALID = 4006
    QUOTA_EXCEEDED = 4007
    NO_LIVE_AGENT = 4008

    KEY_MISSING = 5001
    KEY_INVALID = 5002
    KEY_MISMATCH = 5003
    FORBIDDEN = 5004
    ADDRESS_REFUSED = 5005
    TOKEN_INVALID = 5006
    SIGNATURE_INVALID = 5007
    TIMESTAMP_SKEW = 5008
    OWN_STAFF = 5009

    ENVELOPE_INVALID = 6001
    UNKNOWN_MESSAGE_TYPE = 6002
    WRONG_DIRECTION = 6003
    VERSION_UNSUPPORTED = 6004
    MESSAGE_ID_REUSED = 6005
    DELIVERY_FAILED = 6006
    AGENT_SILENT = 6008
    FILE_UNREACHABLE = 6009

    @property
    def category(self) -> Category:
        """The range this number lies in."""
        return category_of(self)


_BY_THOUSAND = dict(enumerate(Category, start=1))


def category_of(code: int) -> Category:
    """The category of any code, ours or a peer's; unassigned ranges count as system."""
    return _BY_THOUSAND.get(code // 1000, Category.SYSTEM)
