"""Who is at the door, and may they come in."""

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest

from tasks_app.desk import deciding, rights

# Level → the right to decide it.
DECIDE = {level: f"decide_level_{level}" for level in deciding.ROLES}


def operator(request: HttpRequest) -> User:
    """The person who is logged in; `admin_view` has let nobody else through."""
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user


def address(request: HttpRequest) -> str:
    """`desk:<user>`, by which the log names them."""
    return deciding.address(operator(request))


def may(request: HttpRequest, permission: str, *, app: str = "tasks_app") -> bool:
    """Whether they hold a permission of an app; nobody does before the login."""
    return request.user.has_perm(f"{app}.{permission}")


def require(request: HttpRequest, permission: str, *, app: str = "tasks_app") -> None:
    """403 without it, whatever page the request claims to come from (G43)."""
    if not may(request, permission, app=app):
        raise PermissionDenied


def levels(request: HttpRequest) -> list[int]:
    """The levels they may decide, if as a deputy; nobody may before the login.

    Optimization: asked once for a page. Verbs ask again when they write (G43).
    """
    known = vars(request)
    if "desk_levels" not in known:
        user = request.user
        found = rights.levels_of(user) if isinstance(user, User) else ()
        known["desk_levels"] = sorted(found)
    return list(known["desk_levels"])
