"""The two names that an administrator types."""

from django import forms
from unfold.widgets import UnfoldAdminTextInputWidget


class NewCallerForm(forms.Form):
    """A caller is made from its name; whether the name will do, the verb says."""

    name = forms.CharField(
        max_length=100,
        help_text="The program that will submit tasks.",
        widget=UnfoldAdminTextInputWidget(),
    )


class KeyForm(forms.Form):
    """What the key is for, such as the machine that will hold it."""

    key_name = forms.CharField(
        max_length=50,
        label="Name of the new key",
        widget=UnfoldAdminTextInputWidget(
            attrs={"placeholder": "For example the machine that will hold it"}
        ),
    )
