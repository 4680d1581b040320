"""The rules of the desk: the ladder, who stands in for whom, who works for a caller.

Plain forms: unlike what happened, rules may be edited, each with its own right.
"""

from tasks_app.admin.policy.absences import AbsenceAdmin
from tasks_app.admin.policy.rungs import RungAdmin
from tasks_app.admin.policy.staff import StaffAdmin

__all__ = ["AbsenceAdmin", "RungAdmin", "StaffAdmin"]
