from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tasks_app', '0002_groups'),
    ]

    operations = [
        migrations.AddField(
            model_name='delivery',
            name='party',
            field=models.CharField(default='', max_length=200),
            preserve_default=False,
        ),
        migrations.AddIndex(
            model_name='delivery',
            index=models.Index(
                condition=models.Q(('state', 'waiting')),
                fields=['task', 'kind', 'sequence'],
                name='delivery_queue',
            ),
        ),
        migrations.AddIndex(
            model_name='delivery',
            index=models.Index(
                condition=models.Q(('state', 'waiting')),
                fields=['party', 'next_try_at'],
                name='delivery_turn',
            ),
        ),
    ]
