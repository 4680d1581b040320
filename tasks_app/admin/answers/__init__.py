"""Forms for JSON values that somebody else designed: a decision's value, missing facts.

schema and suggestion → shapes → Django fields → the value, types kept
"""

from tasks_app.admin.answers.controls import ValueField
from tasks_app.admin.answers.form import ValueForm
from tasks_app.admin.answers.shapes import ABSENT, Shape, shape_of, shapes_of

__all__ = ["ABSENT", "Shape", "ValueField", "ValueForm", "shape_of", "shapes_of"]
