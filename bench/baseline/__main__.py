"""Makes the baselines' tables and prints an API key for them."""

import sys

import django
from django.core.management import call_command


def main() -> str:
    django.setup()
    call_command("migrate", verbosity=0, run_syncdb=True)
    # A model, so only after the setup.
    from rest_framework_api_key.models import APIKey

    _, key = APIKey.objects.create_key(name="bench")
    return str(key)


if __name__ == "__main__":
    sys.stdout.write(main())
