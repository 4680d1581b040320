"""The OpenAPI document and its page. Open to everybody, and working offline."""

from functools import cache
from typing import Any

from django.http import HttpResponse
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer2
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularSwaggerSplitView
from rest_framework.renderers import BaseRenderer, TemplateHTMLRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from tasks_app.api.addresses import PREFIX
from tasks_app.api.rendering import JSON, answer
from tasks_app.api.views.door import Door

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'"
)


class SchemaViewSet(Door):
    """GET /schema."""

    authentication_classes = ()
    only_json = False

    @extend_schema(exclude=True)
    def retrieve(self, request: Request) -> HttpResponse:
        """The OpenAPI 3.1 document."""
        return HttpResponse(_schema(), content_type=JSON)


class DocsView(SpectacularSwaggerSplitView):
    """GET /docs: Swagger UI from the installed package, scripts from here only."""

    authentication_classes = ()
    url = f"{PREFIX}/schema"
    # Not the address it was asked under, which may carry a key (G55).
    url_self = f"{PREFIX}/docs"

    def perform_content_negotiation(
        self, request: Request, force: bool = False
    ) -> tuple[BaseRenderer, str]:
        """One format, whatever is accepted: DRF's reading of it may raise (G50)."""
        return TemplateHTMLRenderer(), TemplateHTMLRenderer.media_type

    def options(  # type: ignore[override] # DRF takes any HttpResponse
        self, request: Request, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        """As at every other address; DRF's own answer has no template."""
        return answer({"success": True, "methods": self.allowed_methods})

    @extend_schema(exclude=True)
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Any: as in drf-spectacular."""
        response: Response = super().get(request, *args, **kwargs)  # type: ignore[no-untyped-call]
        response.headers["Content-Security-Policy"] = _POLICY
        return response


@cache
def _schema() -> bytes:
    """Optimization: the same for the life of the process, and slow to generate."""
    generator = SchemaGenerator()  # type: ignore[no-untyped-call]
    schema = generator.get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return bytes(OpenApiJsonRenderer2().render(schema, renderer_context={}))
