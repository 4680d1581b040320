"""What a new user needs to get in, as `demo` makes it and `welcome` shows it."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class DemoAccess:
    """An operator for the admin and a caller for the API; secrets in clear text."""

    operator: str
    password: str
    caller: str
    api_key: str
    # Verifies callbacks. Unknown where demo.json is of an older version.
    callback_secret: str = ""


@dataclass(frozen=True, kw_only=True)
class Standing:
    """The demo access as it is today: a person may have changed it since."""

    access: DemoAccess
    password_holds: bool
    key_holds: bool
    secret_holds: bool
