"""All URLs: P2A under its prefix, the admin for operators."""

from django.contrib import admin
from django.urls import path

urlpatterns = [path("admin/", admin.site.urls)]
