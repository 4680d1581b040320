"""What an administrator types about an agent; whether it will do, the verb says."""

from django import forms
from unfold.widgets import (
    UnfoldAdminIntegerFieldWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanWidget,
)


class EndpointForm(forms.Form):
    """Where it is called, and whether we fetch there what it has for us."""

    endpoint = forms.CharField(
        max_length=2048,
        required=False,
        help_text="The URL its messages are posted to. Empty: it has a mailbox here.",
        widget=UnfoldAdminTextInputWidget(),
    )
    fetch = forms.BooleanField(
        required=False,
        label="Fetch our messages",
        help_text="For a node that cannot be called: we look into our mailbox there.",
        widget=UnfoldBooleanWidget(),
    )


class LimitsForm(forms.Form):
    """How much it may have at a time."""

    max_tasks = forms.IntegerField(
        label="Our tasks",
        help_text="How many of our tasks it may have at a time.",
        widget=UnfoldAdminIntegerFieldWidget(),
    )
    max_open = forms.IntegerField(
        label="Its tasks here",
        help_text="How many unfinished tasks of its own it may have here.",
        widget=UnfoldAdminIntegerFieldWidget(),
    )


class NewAgentForm(EndpointForm):
    """Id and name come first; the secret is made here and shown once."""

    id = forms.CharField(
        max_length=100,
        label="Id",
        help_text="Letters, digits, dots, hyphens, underscores; as it calls itself.",
        widget=UnfoldAdminTextInputWidget(),
    )
    name = forms.CharField(
        max_length=100,
        required=False,
        help_text="What people call it.",
        widget=UnfoldAdminTextInputWidget(),
    )
    field_order = ("id", "name", "endpoint", "fetch")
