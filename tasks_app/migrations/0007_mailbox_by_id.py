from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("tasks_app", "0006_unsuccessful"),
    ]

    operations = [
        migrations.RemoveIndex(model_name="delivery", name="delivery_of_peer"),
        migrations.AddIndex(
            model_name="delivery",
            index=models.Index(
                condition=models.Q(("peer__isnull", False), ("state", "waiting")),
                fields=["peer", "id"],
                name="delivery_of_peer",
            ),
        ),
    ]
