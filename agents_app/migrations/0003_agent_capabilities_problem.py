from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("agents_app", "0002_agent_max_open"),
    ]

    operations = [
        migrations.AddField(
            model_name="agent",
            name="capabilities_problem",
            field=models.TextField(default="", editable=False),
        ),
    ]
