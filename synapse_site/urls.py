"""All URLs: P2A under its prefix, the admin for operators. All else is JSON (G51)."""

from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

urlpatterns = [
    path("", RedirectView.as_view(pattern_name="admin:index")),
    path("api/v1/synapse/", include("tasks_app.api.urls")),
    path("admin/", admin.site.urls),
]

handler400 = "tasks_app.api.errors.bad_request"
handler403 = "tasks_app.api.errors.forbidden"
handler404 = "tasks_app.api.errors.not_found"
handler500 = "tasks_app.api.errors.server_error"
