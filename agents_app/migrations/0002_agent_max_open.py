from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('agents_app', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='agent',
            name='max_open',
            field=models.PositiveIntegerField(default=1000),
        ),
    ]
