"""The list of info requests: what is missing, from whom, until when."""

from tasks_app.admin.filters import InfoFilter, TaskTypeFilter
from tasks_app.admin.framework import display
from tasks_app.admin.info.providing import ProvidingAdmin
from tasks_app.admin.tree import one_line
from tasks_app.models import Question


class InfoRequestAdmin(ProvidingAdmin):
    """The list; the page behind it is in `providing`."""

    closed_box = "closed"
    open_columns = ("asked", "missing", "task_type", "caller", "age", "due")
    closed_columns = ("asked", "task_type", "caller", "outcome", "ended_by", "ended")
    list_display = open_columns
    list_filter = (InfoFilter, TaskTypeFilter, "task__caller")

    @display("Still missing")
    def missing(self, question: Question) -> str:
        names = (str(field["name"]) for field in question.missing_fields)
        left = [name for name in names if name not in question.provided]
        return one_line(", ".join(left), 80) or "—"
