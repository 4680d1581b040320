"""The page of one agent, and what can be done there. A clear secret is shown once.

It is part of the answer to the POST that made it: no redirect, no message, no session.
"""

from collections.abc import Sequence
from functools import partial

from django.contrib import messages
from django.forms import Form, model_to_dict
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_POST

from agents_app.models import Agent
from agents_app.protocol.errors import SynapseError
from tasks_app import peers, routing
from tasks_app.admin import door, refusals
from tasks_app.admin.agent.buttons import BUTTONS, HIDDEN, Button
from tasks_app.admin.agent.forms import EndpointForm, LimitsForm, NewAgentForm
from tasks_app.admin.base import ConsoleAdmin, Route
from tasks_app.admin.tree import tree
from tasks_app.models import Delivery, Received, Task

_NEW = "admin/agents_app/agent/new.html"
_ONCE = "admin/agents_app/agent/once.html"
_DETAIL = "admin/agents_app/agent/detail.html"
_SHOWN = 20
MOODS = {"enabled": "good", "draining": "soon", "disabled": "danger"}


class AgentPages(ConsoleAdmin[Agent]):
    """Own pages and buttons of agents."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        """By the page below."""
        return door.may(request, "add_agent", app="agents_app")

    def routes(self) -> Sequence[Route]:
        """One POST each."""
        buttons = [
            (f"<str:pk>/{name}/", require_POST(partial(self.press, button)), name)
            for name, button in BUTTONS.items()
        ]
        return (
            *buttons,
            ("<str:pk>/rotate/", require_POST(self.rotate), "rotate"),
            ("<str:pk>/endpoint/", require_POST(self.endpoint), "endpoint"),
            ("<str:pk>/limits/", require_POST(self.limits), "limits"),
        )

    @sensitive_variables("secret")
    def add_view(
        self,
        request: HttpRequest,
        form_url: str = "",
        extra_context: dict[str, object] | None = None,
    ) -> HttpResponse:
        """Register one."""
        door.require(request, "add_agent", app="agents_app")
        form = NewAgentForm(request.POST or None)
        if request.method == "POST" and form.is_valid():
            given = form.cleaned_data
            try:
                agent, secret = peers.register(
                    given["id"],
                    given["name"],
                    endpoint=given["endpoint"],
                    fetch=given["fetch"],
                )
            except SynapseError as refused:
                _add_errors(form, refused)
            else:
                self.log_addition(request, agent, "Registered.")
                return self._once(request, agent, secret)
        status = 422 if form.errors else 200
        return self.page(request, _NEW, title="New agent", form=form, status=status)

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, object] | None = None,
    ) -> HttpResponse:
        """Presence, card, messages; every change is a button of its own."""
        door.require(request, "view_agent", app="agents_app")
        return self._page(request, get_object_or_404(Agent, pk=object_id))

    def press(self, button: Button, request: HttpRequest, pk: str) -> HttpResponse:
        """Do what the button says."""
        door.require(request, button.permission, app="agents_app")
        agent = get_object_or_404(Agent, pk=pk)
        button.verb(agent)
        self.log_change(request, agent, f"{button.label}.")
        messages.success(request, button.done)
        return HttpResponseRedirect(self.url("change", pk))

    @sensitive_variables("secret")
    def rotate(self, request: HttpRequest, pk: str) -> HttpResponse:
        """A new secret beside the old one (G37)."""
        door.require(request, "rotate_agent_secret", app="agents_app")
        agent = get_object_or_404(Agent, pk=pk)
        secret = peers.rotate_secret(agent)
        self.log_change(request, agent, "Rotated the secret.")
        return self._once(request, agent, secret)

    def endpoint(self, request: HttpRequest, pk: str) -> HttpResponse:
        """Call it somewhere else, or never."""
        door.require(request, "change_agent", app="agents_app")
        agent = get_object_or_404(Agent, pk=pk)
        form = EndpointForm(request.POST)
        if form.is_valid():
            try:
                given = form.cleaned_data
                peers.set_endpoint(agent, given["endpoint"], fetch=given["fetch"])
            except SynapseError as refused:
                _add_errors(form, refused)
        if form.errors:
            return self._page(request, agent, endpoint_form=form, status=422)
        self.log_change(request, agent, f"Set the endpoint: {_way_to(agent)}.")
        messages.success(request, "The endpoint is set.")
        return HttpResponseRedirect(self.url("change", pk))

    def limits(self, request: HttpRequest, pk: str) -> HttpResponse:
        """How much it may have at a time; what is there already goes on."""
        door.require(request, "change_agent", app="agents_app")
        agent = get_object_or_404(Agent, pk=pk)
        form = LimitsForm(request.POST)
        if form.is_valid():
            try:
                peers.set_limits(agent, **form.cleaned_data)
            except SynapseError as refused:
                _add_errors(form, refused)
        if form.errors:
            return self._page(request, agent, limits_form=form, status=422)
        self.log_change(
            request,
            agent,
            f"Set the limits: {agent.max_tasks} of our tasks, "
            f"{agent.max_open} of its own here.",
        )
        messages.success(request, "The limits are set.")
        return HttpResponseRedirect(self.url("change", pk))

    def _once(self, request: HttpRequest, agent: Agent, secret: str) -> HttpResponse:
        return self.page(
            request,
            _ONCE,
            title="Shown once",
            original=agent,
            agent=agent,
            secret=secret,
            back=self.url("change", agent.pk),
        )

    def _page(
        self,
        request: HttpRequest,
        agent: Agent,
        *,
        endpoint_form: EndpointForm | None = None,
        limits_form: LimitsForm | None = None,
        status: int = 200,
    ) -> HttpResponse:
        busy = Task.objects.filter(
            executor=agent.address, lane="", due_at__isnull=False
        )
        out = Delivery.objects.filter(peer=agent).select_related(None).defer("body")
        heard = Received.objects.filter(sender=agent.address)
        return self.page(
            request,
            _DETAIL,
            title=str(agent),
            original=agent,
            status=status,
            agent=agent,
            mood=MOODS.get(agent.state, ""),
            online=agent.is_online(timezone.now(), routing.patience()),
            busy=busy.count(),
            secrets=len(agent.secrets),
            card=tree(agent.capabilities),
            types=agent.task_types(),
            sent=list(out.order_by("-created_at")[:_SHOWN]),
            received=list(heard.order_by("-created_at")[:_SHOWN]),
            form=endpoint_form or EndpointForm(initial=model_to_dict(agent)),
            limits_form=limits_form or LimitsForm(initial=model_to_dict(agent)),
            buttons=self._buttons(request, agent),
            may_rotate=door.may(request, "rotate_agent_secret", app="agents_app"),
            may_change=door.may(request, "change_agent", app="agents_app"),
            rotate_url=self.url("rotate", agent.pk),
            endpoint_url=self.url("endpoint", agent.pk),
            limits_url=self.url("limits", agent.pk),
            drop_url=self.url("drop", agent.pk),
        )

    def _buttons(self, request: HttpRequest, agent: Agent) -> list[tuple[str, str]]:
        """Address and label of those that this person may press now."""
        hidden = HIDDEN.get(agent.state, frozenset()) | {"drop"}
        return [
            (self.url(name, agent.pk), button.label)
            for name, button in BUTTONS.items()
            if name not in hidden
            and door.may(request, button.permission, app="agents_app")
        ]


def _way_to(agent: Agent) -> str:
    fetched = ", where we fetch our messages" if agent.fetch else ""
    return (agent.endpoint or "none, it has a mailbox here") + fetched


def _add_errors(form: Form, refused: SynapseError) -> None:
    """Each beside its field; ADDRESS_REFUSED is about the endpoint and names none."""
    for name, text in refusals.fields_of(refused).items():
        form.add_error(name if name in form.fields else "endpoint", text)
