"""Groups out of the box, so that rights are given by putting people into them.

Made once, when the database is: what is changed or deleted afterwards stays so. A group
that has the name already is left as it is.
"""

from django.apps import apps as installed
from django.apps.registry import Apps
from django.contrib.auth.management import create_permissions
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

_SEE = (
    "view_humanrequest",
    "view_inforequest",
    "view_task",
    "view_attachment",
    "view_attempt",
    "view_delivery",
    "view_caller",
    "view_agent",
)
_SUPERVISE = (
    "decide_level_1",
    "decide_level_2",
    "release_question",
    "provide_info",
    "view_task",
)
GROUPS = {
    "Operator": ("decide_level_1",),
    "Supervisor": _SUPERVISE,
    "Owner": (*_SUPERVISE, "decide_level_3"),
    "Support": _SEE,
    "Administrator": (
        *_SEE,
        "cancel_task",
        "retry_task",
        "replay_delivery",
        "add_caller",
        "change_caller",
        "add_callerkey",
        "change_callerkey",
        "add_agent",
        "change_agent",
        "ping_agent",
        "rotate_agent_secret",
        "add_user",
        "change_user",
        "view_user",
        "view_group",
    ),
}
_APPS = ("auth", "agents_app", "tasks_app")


def create(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """The groups with their rights, which would not exist before the end of migrate."""
    database = schema_editor.connection.alias
    for label in _APPS:
        # Asked of a migration's apps, it would take them for apps without models.
        app = installed.get_app_config(label)
        create_permissions(app, apps=apps, using=database, verbosity=0)
    groups = apps.get_model("auth", "Group")._default_manager.using(database)
    rights = apps.get_model("auth", "Permission")._default_manager.using(database)
    for name, codenames in GROUPS.items():
        group, is_new = groups.get_or_create(name=name)
        if is_new:
            found = rights.filter(
                content_type__app_label__in=_APPS, codename__in=codenames
            )
            group.permissions.set(found)


class Migration(migrations.Migration):
    dependencies = [
        ("tasks_app", "0001_initial"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]
    operations = [
        migrations.RunPython(create, migrations.RunPython.noop, elidable=False)
    ]
