"""Administrators of an installation may edit the rules of the ladder, if there are any.

The group as it came out of the box; one that was renamed or deleted is left alone.
"""

from django.apps import apps as installed
from django.apps.registry import Apps
from django.contrib.auth.management import create_permissions
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

GROUP = "Administrator"
RIGHTS = (
    "view_rungpolicy",
    "add_rungpolicy",
    "change_rungpolicy",
    "delete_rungpolicy",
    "view_absence",
    "view_callerstaff",
    "add_callerstaff",
    "delete_callerstaff",
)


def grant(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """The rights, which would not exist before the end of migrate."""
    database = schema_editor.connection.alias
    app = installed.get_app_config("tasks_app")
    create_permissions(app, apps=apps, using=database, verbosity=0)
    groups = apps.get_model("auth", "Group")._default_manager.using(database)
    rights = apps.get_model("auth", "Permission")._default_manager.using(database)
    found = rights.filter(content_type__app_label="tasks_app", codename__in=RIGHTS)
    for group in groups.filter(name=GROUP):
        group.permissions.add(*found)


class Migration(migrations.Migration):
    dependencies = [
        ("tasks_app", "0008_ladder"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]
    operations = [
        migrations.RunPython(grant, migrations.RunPython.noop, elidable=False)
    ]
