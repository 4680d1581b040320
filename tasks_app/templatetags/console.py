"""Lets Django's error pages stand in the frame of the console.

403.html, 404.html → `framed` → a page below `console.html`
"""

from django import template
from django.contrib import admin
from django.template import Context
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

register = template.Library()


@register.simple_tag(takes_context=True)
def framed(context: Context, page: str, title: str) -> SafeString:
    """The page with what the frame needs; Django gives its error pages only a path."""
    request = context["request"]
    frame = {**admin.site.each_context(request), "title": title, "content_title": title}
    if not request.user.is_authenticated:
        # The sidebar shows who is logged in, and fails for nobody.
        frame["is_nav_sidebar_enabled"] = False
    return render_to_string(page, frame, request)
