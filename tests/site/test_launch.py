"""What `make run` does before the services start, each piece repeatable."""

import json
import socket
import stat
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from cryptography.fernet import Fernet
from django.contrib.auth import authenticate, get_user_model
from environs import Env

from synapse_site.launch import demo, port, private_files, start, welcome
from synapse_site.launch.access import DemoAccess, Standing
from tasks_app import callers
from tasks_app.models import Caller, CallerKey
from tasks_app.secrets import vault
from tests.receiver import Receiver
from tests.services import free_port

ACCESS = DemoAccess(
    operator="operator",
    password="pw",
    caller="demo",
    api_key="k.ey",
    callback_secret="whsec_s",
)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def read_env(path: Path) -> dict[str, str]:
    lines = (line.partition("=") for line in path.read_text().splitlines())
    return {name: value for name, _, value in lines if not name.startswith("#")}


@pytest.fixture
def busy_port():
    with socket.socket() as listener:
        listener.bind((port.HOST, 0))
        listener.listen()
        yield listener.getsockname()[1]


class TestPort:
    def test_it_names_the_busy_port_and_a_way_out(self, busy_port):
        with pytest.raises(port.PortError) as caught:
            port.require_free(busy_port)

        assert f"Port {busy_port} is busy" in str(caught.value)
        assert "make run PORT=8001" in str(caught.value)

    def test_it_says_why_a_web_process_could_not_listen(self, busy_port):
        assert f"Port {busy_port} is busy" in port.why_busy(busy_port)
        assert port.why_busy(free_port()) == ""

    def test_it_does_not_propose_the_port_that_is_busy(self):
        with pytest.raises(port.PortError, match="PORT=8001"):
            port.require_free(0)

    @pytest.mark.parametrize("number", [-1, 0, 65536, 10**9])
    def test_it_refuses_what_is_no_port(self, number):
        with pytest.raises(port.PortError, match=f"PORT={number} is not a port"):
            port.require_free(number)

    def test_it_takes_a_port_that_was_just_given_back(self, busy_port):
        with socket.create_connection((port.HOST, busy_port)):
            pass
        with socket.socket() as free:
            free.bind((port.HOST, 0))
            number = free.getsockname()[1]

        port.require_free(number)


class TestSecrets:
    def test_it_writes_secrets_that_only_the_owner_may_read(self, tmp_path):
        assert private_files.ensure_env(tmp_path / "data")

        assert mode(tmp_path / "data/.env") == 0o600
        assert mode(tmp_path / "data") == 0o700

    def test_it_writes_what_the_settings_read_back(self, tmp_path, monkeypatch):
        for name in ("SECRET_KEY", "SYNAPSE_ENCRYPTION_KEYS", "DEBUG"):
            monkeypatch.setenv(name, "")
            monkeypatch.delenv(name)
        private_files.ensure_env(tmp_path)

        env = Env()
        env.read_env(tmp_path / ".env", recurse=False)

        assert len(env.str("SECRET_KEY")) >= 50
        assert env.bool("DEBUG") is False
        Fernet(env.list("SYNAPSE_ENCRYPTION_KEYS")[0])

    def test_it_keeps_the_secrets_of_an_earlier_start(self, tmp_path):
        private_files.ensure_env(tmp_path)
        before = (tmp_path / ".env").read_text()

        assert not private_files.ensure_env(tmp_path)
        assert (tmp_path / ".env").read_text() == before

    def test_it_makes_other_secrets_in_another_folder(self, tmp_path):
        private_files.ensure_env(tmp_path / "one")
        private_files.ensure_env(tmp_path / "two")

        one, two = (read_env(tmp_path / name / ".env") for name in ("one", "two"))
        assert one["SECRET_KEY"] != two["SECRET_KEY"]
        assert one["SYNAPSE_ENCRYPTION_KEYS"] != two["SYNAPSE_ENCRYPTION_KEYS"]


@pytest.mark.django_db
class TestDemo:
    def test_it_makes_an_operator_who_can_log_in(self, tmp_path):
        access = demo.ensure(tmp_path)

        user = authenticate(username=access.operator, password=access.password)
        assert user is not None
        assert user.is_superuser

    def test_it_makes_a_caller_whose_key_is_taken(self, tmp_path):
        access = demo.ensure(tmp_path)

        assert CallerKey.objects.get_from_key(access.api_key).caller.name == "demo"

    def test_it_gives_the_caller_a_secret_to_verify_callbacks_with(self, tmp_path):
        access = demo.ensure(tmp_path)

        sealed = Caller.objects.get().callback_secret
        assert vault().open(sealed) == access.callback_secret
        assert access.callback_secret.startswith("whsec_")

    def test_it_reads_what_an_older_version_wrote(self, tmp_path):
        demo.ensure(tmp_path)
        written = json.loads((tmp_path / "demo.json").read_text())
        del written["callback_secret"]
        (tmp_path / "demo.json").write_text(json.dumps(written))

        assert not demo.standing(demo.ensure(tmp_path)).secret_holds

    def test_it_remembers_instead_of_making_more(self, tmp_path):
        first = demo.ensure(tmp_path)

        assert demo.ensure(tmp_path) == first
        assert get_user_model().objects.count() == 1
        assert CallerKey.objects.count() == 1
        assert mode(tmp_path / "demo.json") == 0o600

    def test_it_makes_new_access_for_a_database_that_was_thrown_away(self, tmp_path):
        first = demo.ensure(tmp_path)
        get_user_model().objects.all().delete()
        Caller.objects.all().delete()

        second = demo.ensure(tmp_path)

        assert second.password != first.password
        assert demo.standing(second).key_holds

    def test_it_adds_nobody_where_somebody_is(self, tmp_path):
        get_user_model().objects.create_user("alice")

        assert demo.ensure(tmp_path) is None
        assert get_user_model().objects.count() == 1

    def test_it_notices_a_changed_password_and_a_revoked_key(self, tmp_path):
        access = demo.ensure(tmp_path)
        assert demo.standing(access) == Standing(
            access=access, password_holds=True, key_holds=True, secret_holds=True
        )
        user = get_user_model().objects.get()
        user.set_password("another")
        user.save()
        CallerKey.objects.update(revoked=True)
        callers.rotate_callback_secret(Caller.objects.get())

        assert demo.standing(access) == Standing(
            access=access, password_holds=False, key_holds=False, secret_holds=False
        )


class TestNotice:
    def text(self, **changes: bool) -> str:
        holds = dict.fromkeys(("password_holds", "key_holds", "secret_holds"), True)
        holds |= changes
        standing = Standing(access=ACCESS, **holds)
        return welcome.text("http://127.0.0.1:8000", Path("/data"), standing)

    def test_it_says_where_to_go_and_how_to_get_in(self):
        text = self.text()

        assert "http://127.0.0.1:8000/admin/" in text
        assert "http://127.0.0.1:8000/api/v1/synapse/docs" in text
        assert "operator" in text
        assert "pw" in text
        assert "whsec_s" in text

    def test_it_shows_two_lines_for_a_second_terminal(self):
        lines = [line.strip() for line in self.text().splitlines()]

        assert "export SYNAPSE_URL=http://127.0.0.1:8000" in lines
        assert "export SYNAPSE_API_KEY=k.ey" in lines

    def test_it_names_a_data_folder_that_others_would_not_find(self):
        assert "export SYNAPSE_DATA_DIR=/data" in self.text()
        usual = welcome.text("http://127.0.0.1:8000", welcome.DEFAULT_DATA, None)
        assert "SYNAPSE_DATA_DIR" not in usual

    def test_it_shows_a_curl_line_with_the_shipped_sample(self):
        (line,) = [x for x in self.text().splitlines() if "curl" in x]

        assert "'X-API-Key: k.ey'" in line
        assert f"file=@{welcome.SAMPLE}" in line
        assert welcome.SAMPLE.is_file()

    def test_it_does_not_show_what_no_longer_holds(self):
        text = self.text(password_holds=False, key_holds=False, secret_holds=False)

        assert "pw" not in text
        assert "k.ey" not in text
        assert "whsec_s" not in text

    def test_it_tells_how_to_make_access_where_it_made_none(self):
        text = welcome.text("http://127.0.0.1:8000", Path("/data"), None)

        assert "manage.py createsuperuser" in text
        assert "manage.py create_caller" in text


class TestStart:
    def test_it_touches_nothing_when_the_port_is_busy(
        self, busy_port, tmp_path, monkeypatch, capsys
    ):
        monkeypatch.setenv("PORT", str(busy_port))
        monkeypatch.setenv("SYNAPSE_DATA_DIR", str(tmp_path / "data"))

        assert start.main() == 2

        assert f"Port {busy_port} is busy" in capsys.readouterr().err
        assert not (tmp_path / "data").exists()

    def test_it_refuses_a_port_that_is_no_number(self, tmp_path, monkeypatch, capsys):
        monkeypatch.setenv("PORT", "eighty")
        monkeypatch.setenv("SYNAPSE_DATA_DIR", str(tmp_path))

        assert start.main() == 2
        assert "PORT" in capsys.readouterr().err

    def test_it_names_the_variable_of_a_folder_it_cannot_use(
        self, tmp_path, monkeypatch, capsys
    ):
        (tmp_path / "file").touch()
        monkeypatch.setenv("PORT", str(free_port()))
        monkeypatch.setenv("SYNAPSE_DATA_DIR", str(tmp_path / "file" / "data"))

        assert start.main() == 2
        assert "SYNAPSE_DATA_DIR" in capsys.readouterr().err


class TestAnswers:
    def test_it_notices_whether_somebody_answers(self):
        with Receiver() as web:
            assert welcome.answers(urlsplit(web.url()).port)
        assert not welcome.answers(free_port())
