from django.db import migrations, models


def unsay(apps, schema_editor):
    """Who never sent a heartbeat has said nothing of its capacity."""
    agents = apps.get_model("agents_app", "Agent").objects
    agents.filter(heartbeat_at=None).update(capacity=None)


class Migration(migrations.Migration):

    dependencies = [
        ("agents_app", "0003_agent_capabilities_problem"),
    ]

    operations = [
        migrations.AlterField(
            model_name="agent",
            name="capacity",
            field=models.PositiveIntegerField(editable=False, null=True),
        ),
        migrations.RunPython(unsay, migrations.RunPython.noop),
    ]
