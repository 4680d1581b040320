"""The index of tasks at peers holds those only: a submit of ours does not touch it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tasks_app", "0009_ladder_rights")]

    operations = [
        migrations.RemoveIndex("task", "task_of_executor"),
        migrations.AddIndex(
            "task",
            models.Index(
                fields=["executor"],
                name="task_of_executor",
                condition=models.Q(due_at__isnull=False, lane=""),
            ),
        ),
    ]
