
import agents_app.protocol.ids
import datetime
import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
        ('tasks_app', '0007_mailbox_by_id'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='question',
            name='answer_by',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='question',
            name='ladder',
            field=models.JSONField(null=True),
        ),
        migrations.AddField(
            model_name='question',
            name='level_since',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='question',
            name='stepped_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.CreateModel(
            name='Absence',
            fields=[
                ('id', models.UUIDField(default=agents_app.protocol.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('starts_at', models.DateTimeField(verbose_name='from')),
                ('ends_at', models.DateTimeField(verbose_name='until')),
                ('level_1', models.BooleanField(default=True, verbose_name='level 1')),
                ('level_2', models.BooleanField(default=True, verbose_name='level 2')),
                ('level_3', models.BooleanField(default=True, verbose_name='level 3')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('deputy', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='deputyships', to=settings.AUTH_USER_MODEL)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='absences', to=settings.AUTH_USER_MODEL, verbose_name='who is away')),
            ],
            options={
                'verbose_name': 'out of office',
                'verbose_name_plural': 'out of office',
                'ordering': ['-starts_at', '-id'],
                'indexes': [models.Index(fields=['deputy', 'ends_at'], name='absence_of_deputy')],
                'constraints': [models.CheckConstraint(condition=models.Q(('user', models.F('deputy')), _negated=True), name='absence_another_person', violation_error_message='The deputy is another person.'), models.CheckConstraint(condition=models.Q(('ends_at__gt', models.F('starts_at'))), name='absence_ends_later', violation_error_message='It ends after it starts.')],
            },
        ),
        migrations.CreateModel(
            name='CallerStaff',
            fields=[
                ('id', models.UUIDField(default=agents_app.protocol.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('caller', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='staff', to='tasks_app.caller')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'own staff',
                'verbose_name_plural': 'own staff',
                'ordering': ['caller', 'user'],
                'constraints': [models.UniqueConstraint(fields=('caller', 'user'), name='staff_once', violation_error_message='This is known already.')],
            },
        ),
        migrations.CreateModel(
            name='DeskEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('asked', 'Asked'), ('reminded', 'Reminded'), ('climbed', 'Went to the next level by itself'), ('due_soon', 'Will be rejected soon'), ('escalated', 'Given to the next level by hand'), ('delegated', 'Given to somebody')], max_length=10)),
                ('level', models.SmallIntegerField()),
                ('from_level', models.SmallIntegerField()),
                ('groups', models.JSONField(default=list)),
                ('by', models.CharField(max_length=200)),
                ('comment', models.TextField(default='')),
                ('due_at', models.DateTimeField()),
                ('created_at', models.DateTimeField()),
                ('told_at', models.DateTimeField(null=True)),
                ('question', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='events', to='tasks_app.question')),
                ('to_user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['id'],
                'indexes': [models.Index(condition=models.Q(('told_at__isnull', True)), fields=['id'], name='event_untold')],
            },
        ),
        migrations.CreateModel(
            name='RungPolicy',
            fields=[
                ('id', models.UUIDField(default=agents_app.protocol.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('task_type', models.CharField(default='*', help_text='As agents name it; * holds for all types without a rule of their own at this level.', max_length=128)),
                ('level', models.SmallIntegerField(choices=[(1, '1 operator'), (2, '2 supervisor'), (3, '3 owner')])),
                ('answer_within', models.DurationField(default=datetime.timedelta(seconds=14400), help_text='As hours:minutes:seconds, or “2 00:00:00” for two days.', validators=[django.core.validators.MinValueValidator(datetime.timedelta(seconds=60)), django.core.validators.MaxValueValidator(datetime.timedelta(days=365))], verbose_name='time to answer')),
                ('reminders', models.SmallIntegerField(default=0, help_text='So many times the people are reminded first when it has passed, and it begins again.', validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(20)])),
                ('then', models.CharField(choices=[('climb', 'Goes to the next level'), ('reject', 'Is rejected')], default='reject', max_length=8, verbose_name='what happens then')),
                ('approvals', models.SmallIntegerField(default=1, help_text='From different people, and for the same answer.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(20)], verbose_name='approvals needed')),
                ('rejections', models.SmallIntegerField(default=1, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(20)], verbose_name='rejections needed')),
                ('separate', models.BooleanField(default=False, help_text="The caller's own staff cannot decide what the caller submitted.", verbose_name='separation of duty')),
                ('deputies', models.BooleanField(default=True, help_text='In the name of those who are out of office.', verbose_name='deputies may decide')),
                ('tell', models.ManyToManyField(blank=True, help_text='Groups that hear of it when it is asked, climbs here, or is late.', related_name='+', to='auth.group', verbose_name='who is told')),
            ],
            options={
                'verbose_name': 'ladder rule',
                'ordering': ['task_type', 'level'],
                'constraints': [models.UniqueConstraint(fields=('task_type', 'level'), name='rung_of_type', violation_error_message='There is a rule for this type and level.'), models.CheckConstraint(condition=models.Q(('level', 3), ('then', 'climb'), _negated=True), name='rung_top_ends', violation_error_message='There is no level above 3: it is rejected.'), models.CheckConstraint(condition=models.Q(('level__in', [1, 2, 3])), name='rung_level_known')],
            },
        ),
        migrations.CreateModel(
            name='Vote',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('level', models.SmallIntegerField()),
                ('decision', models.JSONField()),
                ('decided_by', models.JSONField()),
                ('created_at', models.DateTimeField()),
                ('withdrawn_at', models.DateTimeField(null=True)),
                ('principal', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('question', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='votes', to='tasks_app.question')),
                ('voter', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['created_at', 'id'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('withdrawn_at', None)), fields=('question', 'level', 'voter'), name='vote_once_each'), models.UniqueConstraint(condition=models.Q(('withdrawn_at', None)), fields=('question', 'level', 'principal'), name='vote_once_for_each')],
            },
        ),
    ]
