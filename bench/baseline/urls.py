"""No-op, bare insert, bare read, and the two views of the hand-written version."""

from typing import Any

from django.urls import path
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView
from rest_framework_api_key.permissions import HasAPIKey

from bench.baseline.handmade import work
from bench.baseline.models import Bare, LogEntry, Row


class RowSerializer(serializers.ModelSerializer[Row]):
    class Meta:
        model = Row
        fields = ["id", "task_type", "payload", "priority"]


class BareSerializer(serializers.ModelSerializer[Bare]):
    class Meta:
        model = Bare
        fields = RowSerializer.Meta.fields


class StatusSerializer(serializers.ModelSerializer[Row]):
    class Meta:
        model = Row
        fields = ["id", "task_type", "state", "progress", "created_at", "completed_at"]


class NoOp(APIView):
    def get(self, request: Request) -> Response:
        return Response({"success": True})


class Insert(generics.CreateAPIView[Bare]):
    queryset = Bare.objects.all()
    serializer_class = BareSerializer


class Submit(APIView):
    """The row, a line in its log, a Celery message: three round trips."""

    def post(self, request: Request) -> Response:
        wanted = RowSerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        row = wanted.save()
        LogEntry.objects.create(row=row, type="request", payload=row.payload)
        work.delay(row.pk)
        return Response(wanted.data, status=status.HTTP_202_ACCEPTED)


class Read(generics.RetrieveAPIView[Row]):
    queryset = Row.objects.all()
    serializer_class = StatusSerializer


class KeyedRead(Read):
    permission_classes: list[Any] = [HasAPIKey]


urlpatterns = [
    path("noop", NoOp.as_view()),
    path("insert", Insert.as_view()),
    path("submit", Submit.as_view()),
    path("row/<int:pk>", Read.as_view()),
    path("keyed/<int:pk>", KeyedRead.as_view()),
]
