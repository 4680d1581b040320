"""Making and revoking keys. A clear key or secret is shown once, and kept nowhere.

It is part of the answer to the POST that made it: no redirect, no message, no session,
no history. As for every page of the admin, the browser is told not to keep it.
"""

import uuid
from collections.abc import Sequence

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_POST

from tasks_app import callers
from tasks_app.admin import door
from tasks_app.admin.base import ConsoleAdmin, Route
from tasks_app.admin.caller.forms import KeyForm, NewCallerForm
from tasks_app.models import Caller, CallerKey

_NEW = "admin/tasks_app/caller/new.html"
_ONCE = "admin/tasks_app/caller/once.html"


class CallerPages(ConsoleAdmin[Caller]):
    def has_add_permission(self, request: HttpRequest) -> bool:
        """By `add_view`, which makes a key with it."""
        return door.may(request, "add_caller")

    def routes(self) -> Sequence[Route]:
        """Keys go by their prefix: their ids contain the hash."""
        return (
            ("<uuid:pk>/keys/", require_POST(self.create_key), "create_key"),
            (
                "<uuid:pk>/keys/<str:prefix>/revoke/",
                require_POST(self.revoke_key),
                "revoke_key",
            ),
            ("<uuid:pk>/secret/", require_POST(self.rotate_secret), "rotate_secret"),
        )

    @sensitive_variables("key", "secret")
    def add_view(
        self,
        request: HttpRequest,
        form_url: str = "",
        extra_context: dict[str, object] | None = None,
    ) -> HttpResponse:
        """A caller with its first key and the secret of its callbacks."""
        door.require(request, "add_caller")
        form = NewCallerForm(request.POST or None)
        if request.method == "POST" and form.is_valid():
            try:
                caller, key = callers.create_caller(form.cleaned_data["name"])
            except ValidationError as refused:
                form.add_error("name", refused.messages)
            else:
                self.log_addition(request, caller, "Created with a first key.")
                secret = callers.callback_secret(caller)
                return self._once(request, caller, key=key, secret=secret)
        status = 422 if form.errors else 200
        return self.page(request, _NEW, title="New caller", form=form, status=status)

    @sensitive_variables("clear")
    def create_key(self, request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
        """Beside those there are: each machine can have its own."""
        door.require(request, "add_callerkey")
        caller = get_object_or_404(Caller, pk=pk)
        form = KeyForm(request.POST)
        if not form.is_valid():
            messages.error(request, "Give the new key a name of up to 50 characters.")
            return HttpResponseRedirect(self.url("change", pk))
        key, clear = callers.create_key(caller, form.cleaned_data["key_name"])
        self.log_change(request, caller, f"Created key {key.prefix} “{key.name}”.")
        return self._once(request, caller, key=clear)

    def revoke_key(
        self, request: HttpRequest, pk: uuid.UUID, prefix: str
    ) -> HttpResponse:
        """For good, from the next request on."""
        door.require(request, "change_callerkey")
        key = get_object_or_404(
            CallerKey.objects.select_related("caller"), caller_id=pk, prefix=prefix
        )
        callers.revoke_key(key)
        self.log_change(request, key.caller, f"Revoked key {prefix} “{key.name}”.")
        messages.success(request, f"Key “{key.name}” is revoked.")
        return HttpResponseRedirect(self.url("change", pk))

    @sensitive_variables("secret")
    def rotate_secret(self, request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
        """A new secret; callbacks are signed by it at once."""
        door.require(request, "change_caller")
        caller = get_object_or_404(Caller, pk=pk)
        secret = callers.rotate_callback_secret(caller)
        self.log_change(request, caller, "Rotated the callback secret.")
        return self._once(request, caller, secret=secret)

    def _once(
        self,
        request: HttpRequest,
        caller: Caller,
        *,
        key: str | None = None,
        secret: str | None = None,
    ) -> HttpResponse:
        return self.page(
            request,
            _ONCE,
            title="Shown once",
            original=caller,
            caller=caller,
            key=key,
            secret=secret,
            back=self.url("change", caller.pk),
        )

    def _id(self, object_id: str) -> uuid.UUID:
        try:
            return uuid.UUID(object_id)
        except ValueError as none:
            raise Http404 from none
