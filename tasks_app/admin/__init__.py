"""The operators' console: a door like the API, for people.

    browser → admin view (permission, parse) → one verb of desk, lifecycle, … → page

Django loads this package once all apps are there (`autodiscover`), so the admins that
other apps registered can be replaced here.
"""

from django.contrib import admin
from rest_framework_api_key.models import APIKey

from agents_app.models import Agent
from tasks_app.admin import people
from tasks_app.admin.agent import AgentAdmin
from tasks_app.admin.caller import CallerAdmin
from tasks_app.admin.delivery import DeliveryAdmin
from tasks_app.admin.human import HumanRequestAdmin
from tasks_app.admin.info import InfoRequestAdmin
from tasks_app.admin.policy import AbsenceAdmin, RungAdmin, StaffAdmin
from tasks_app.admin.task import TaskAdmin
from tasks_app.models import (
    Absence,
    Caller,
    CallerStaff,
    Delivery,
    HumanRequest,
    InfoRequest,
    RungPolicy,
    Task,
)

admin.site.index_title = "Overview"
admin.site.register(HumanRequest, HumanRequestAdmin)
admin.site.register(InfoRequest, InfoRequestAdmin)
admin.site.register(Task, TaskAdmin)
admin.site.register(Delivery, DeliveryAdmin)
admin.site.register(Caller, CallerAdmin)
admin.site.register(Agent, AgentAdmin)
admin.site.register(RungPolicy, RungAdmin)
admin.site.register(Absence, AbsenceAdmin)
admin.site.register(CallerStaff, StaffAdmin)
people.register()
# Keys belong to callers here; the library's own table stays empty.
if admin.site.is_registered(APIKey):
    admin.site.unregister(APIKey)
